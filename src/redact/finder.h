/* SPDX-License-Identifier: Apache-2.0 */
/* finder.h - all spans of whole lines: the fast search, then the exact one. */
#ifndef REDACT_FINDER_H
#define REDACT_FINDER_H

#include "redact/cut.h"

enum { FINDER_MARKS = 4096, FINDER_SPANS = 8192 };

struct finder {
	struct redact_set *set;
	struct spans spans;
	struct mark *marks;
	size_t n_marks;
	uint16_t *recent; /* per entry: its last mark, plus one */
	struct stretch in;
	size_t db;
	size_t line, line_end; /* between these there is no newline */
	size_t dark;           /* up to here there is no blank, from the last beginning on */
};

int finder_init(struct finder *f, struct redact_set *set, struct error *err);
void finder_done(struct finder *f);
/* Fills f->spans, sorted by begin, with what is in the stretch.  -1: too much was found to keep. */
int finder_run(struct finder *f, const struct stretch *in);

#endif
