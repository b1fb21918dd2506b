/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_large.h - a warm interpreter's memory, laid into huge pages. */
#ifndef WARM_ZYGOTE_LARGE_H
#define WARM_ZYGOTE_LARGE_H

#include <stdint.h>

/* What the kernel tells the process of its own memory; -1: it does not. */
struct own_memory {
	int maps, pagemap;
};

/* Takes the directory that lies at ZYGOTE_PROC_FD, if one does, and closes it. */
struct own_memory own_memory_take(void);

/* Closes both.  Returns how many bytes more it has for itself, at most.  For a process whose other
 * threads sleep. */
uint64_t settle_memory(struct own_memory *own);

#endif
