/* SPDX-License-Identifier: Apache-2.0 */
/* anchors.h - checkpoints that were put away elsewhere, read back from where they are.
 *
 * A file of signed notes one after the other, or lines of a system log with
 *     belljar-checkpoint ORIGIN SIZE ROOT SIGNATURE
 * somewhere in them; both in one file will do.
 */
#ifndef AUDITREAD_ANCHORS_H
#define AUDITREAD_ANCHORS_H

#include "audit/verify.h"

#define ANCHOR_WORD "belljar-checkpoint"
enum { ANCHOR_FILE_MAX = 64 << 20, ANCHOR_LINE_MAX = 1024 };

struct anchors {
	struct anchor *list; /* names and texts are owned */
	size_t n, room;
};

/* Adds what the file has.  A file without any checkpoint is an error: it would anchor nothing. */
int anchors_load(struct anchors *a, const char *file, struct error *err);
/* The same for text that is at hand, where none is no error. */
int anchors_add(struct anchors *a, const char *file, const char *text, size_t len,
		struct error *err);
void anchors_done(struct anchors *a);
void anchors_end(struct anchors *a); /* for own(anchors) */

/* The one line for a system log. */
int anchor_line(const char *note, size_t len, char *ret, size_t room, struct error *err);

#endif
