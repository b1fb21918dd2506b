/* SPDX-License-Identifier: Apache-2.0 */
/* segment.h - one file of lines, read from left to right while somebody may be writing to it. */
#ifndef AUDIT_SEGMENT_H
#define AUDIT_SEGMENT_H

#include "audit/log.h"

enum { SEGMENT_PATH = 32 };

struct segment_scan {
	int fd; /* owned; -1: not open */
	char *room;
	size_t at, len;  /* what is read and not told yet: room[at] to room[len - 1] */
	uint64_t offset; /* of room[0] in the file */
	bool torn;       /* the end that was found is no clean one */
};

/* "log/00000000.jsonl" */
void segment_path(uint64_t number, const char *suffix, char ret_path[static SEGMENT_PATH]);

void segment_init(struct segment_scan *s);
void segment_done(struct segment_scan *s);
/* From that byte on.  ERR_NOT_FOUND: there is no such file. */
int segment_open(struct segment_scan *s, int dir, uint64_t number, uint64_t offset,
		 struct error *err);
/* 1: a line, valid until the next call; 0: the end, for now; -1: err.  The end is where the file
 * ends or the zeros begin that were written ahead; what is there instead of a whole line is torn.
 */
int segment_next(struct segment_scan *s, struct log_line *ret, struct error *err);
/* Where the next line begins. */
uint64_t segment_tell(const struct segment_scan *s);
/* Is nothing but zeros left?  1, 0, or -1 with err. */
int segment_rest_is_empty(struct segment_scan *s, struct error *err);

#endif
