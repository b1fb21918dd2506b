/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_maps.h - what the kernel tells a warm interpreter of its own memory. */
#ifndef WARM_ZYGOTE_MAPS_H
#define WARM_ZYGOTE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* -1: it does not tell. */
struct own_memory {
	int maps, pagemap, status;
};

/* Takes the directory that lies at ZYGOTE_PROC_FD, if one does, and closes it. */
struct own_memory own_memory_take(void);
void own_memory_end(struct own_memory *own);

/* Of pages that are mapped from a file: is what lies there still the file's?  false: somebody has
 * changed them, or nobody tells. */
bool own_memory_is_of_file(const struct own_memory *own, uintptr_t start, uintptr_t end);

struct own_status {
	unsigned threads;
	bool main_sleeps; /* the first of them */
};

bool own_memory_status(const struct own_memory *own, struct own_status *ret);

#endif
