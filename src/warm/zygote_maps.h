/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_maps.h - what the kernel tells a warm interpreter of its own memory. */
#ifndef WARM_ZYGOTE_MAPS_H
#define WARM_ZYGOTE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -1: it does not tell. */
struct own_memory {
	int maps, pagemap, status;
};

/* Takes the directory that lies at ZYGOTE_PROC_FD, if one does, and closes it. */
struct own_memory own_memory_take(void);
void own_memory_end(struct own_memory *own);

/* A line of the list of mappings. */
struct mapping {
	uintptr_t start, end;
	char rights[5];   /* "r-xp" */
	char file[40];    /* its device and its number; "": none is behind it */
	const char *name; /* "" or a path or "[heap]" */
};

/* The list is kept on the stack: what is mapped for it would be in it. */
struct mappings {
	int fd;
	size_t at, len;
	char text[4096];
};

/* From the first on. */
void mappings_begin(const struct own_memory *own, struct mappings *ret);
/* false: there is no more.  The name is good until the next. */
bool mappings_next(struct mappings *list, struct mapping *ret);

/* Pages that are to be of one file, and to be read and not written to, whatever the file says: who
 * was loaded later may have changed that. */
struct span {
	uintptr_t start, end;
	uintptr_t seen; /* so far */
	char file[40];
};

/* One mapping after the other, in order. */
void span_see(struct span *span, const struct mapping *mapping);
bool span_is_read_only(const struct span *span);

/* Could all of it be read?  Behind the end of a file that became shorter nothing can. */
bool pages_are_there(uintptr_t start, uintptr_t end);

/* Of pages that are mapped from a file: is what lies there still the file's?  false: somebody has
 * changed them, or nobody tells. */
bool own_memory_is_of_file(const struct own_memory *own, uintptr_t start, uintptr_t end);

struct own_status {
	unsigned threads;
	bool main_sleeps;  /* the first of them */
	uint64_t resident; /* bytes */
};

bool own_memory_status(const struct own_memory *own, struct own_status *ret);

#endif
