/* SPDX-License-Identifier: Apache-2.0 */
/* searchwitness.h - what a search for files has seen: one that would see the same would find the
 * same. */
#ifndef NATIVE_SEARCHWITNESS_H
#define NATIVE_SEARCHWITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "sandbox/native/filemark.h"

enum { WITNESS_MAX = 16384 };

/* One name that was looked for, all links followed. */
struct sight {
	char *path; /* from the root, which is the host's */
	struct filemark mark;
};

struct witness {
	struct sight *sights;
	size_t n, room;
	int64_t since_ns; /* when the search began, by the clock that files have */
	bool incomplete;  /* something was seen and could not be noted */
};

void witness_begin(struct witness *w);
void witness_done(struct witness *w);
void witness_end(struct witness *w); /* for own(witness) */

/* fd: what is there; -1: nothing.  w: NULL: nobody wants to know. */
void witness_note(struct witness *w, const char *path, int fd);
/* Something is there, and nobody could look at it. */
void witness_miss(struct witness *w);
/* May what was found be believed for as long as what was seen is the same?  Not if anything is so
 * young that it may have changed since without looking different. */
bool witness_will_do(const struct witness *w);
/* Is what was seen of a name so still? */
bool sight_is_same(const char *path, const struct filemark *mark);

#endif
