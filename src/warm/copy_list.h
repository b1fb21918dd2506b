/* SPDX-License-Identifier: Apache-2.0 */
/* copy_list.h - reads what /proc says of a process's memory. */
#ifndef WARM_COPY_LIST_H
#define WARM_COPY_LIST_H

#include "warm/copy_work.h"

/* In /proc/self/pagemap. */
#define COPY_PAGE_THERE (3ull << 62) /* in memory, or in swap */
#define COPY_PAGE_SWAP  (1ull << 62) /* not in memory: in swap, or a mark */
#define COPY_PAGE_FILE  (1ull << 61) /* of a file, or shared */
#define COPY_PAGE_GUARD (1ull << 58) /* nobody may touch it (from 6.15 on) */

/* A line of maps, or the first of several in smaps. */
struct copy_entry {
	uint64_t start, end, offset;
	char read, write, exec, share;
	const char *place; /* the device: a word, and then others */
	const char *path;  /* the rest; may be empty */
};

void copy_entry_read(char *line, struct copy_entry *ret);
/* The next line; its end becomes a NUL. */
char *copy_line(char **at);
/* Into w->list; false: w->reason. */
bool copy_read_list(struct copy_work *w, const char *name);
/* Into w->place, of the mapping that begins there; of w->list, which stays as it is. */
void copy_find_place(struct copy_work *w, uint64_t view);
/* The second word of a place. */
uint64_t copy_inode(const char *place);
/* Is it of the template that the process became? */
bool copy_is_template(const struct copy_work *w, const struct copy_entry *e);
/* Into w->pagemap. */
bool copy_open_pagemap(struct copy_work *w);

#endif
