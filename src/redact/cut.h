/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - the exact spans of what the fast search has marked. */
#ifndef REDACT_CUT_H
#define REDACT_CUT_H

#include "redact/redact_set.h"
#include "redact/stretch.h"

/* Offsets in a text.  rule is an entry of the set. */
struct span {
	size_t from;       /* where the match begins: what was needed to see that it is a secret */
	size_t begin, end; /* what is replaced */
	size_t rule;
};

struct spans {
	struct span *span;
	size_t n, room;
	bool full; /* one more did not fit */
};

/* The find pattern of a rule matched, each time up to an end in [first, last], all in one line. */
struct mark {
	size_t rule, first, last;
};

/* There is no newline in text[from .. end), and one behind it, or nothing; both 0: not known. */
struct cut_line {
	size_t from, end;
	struct tail_runs tails;
};

void spans_add(struct spans *s, struct span span);
/* Looks around the mark.  What was read of a line is kept: it may be long, and full of marks. */
void cut_mark(struct redact_set *set, const struct mark *m, const struct stretch *in,
	      struct cut_line *line, struct spans *ret);

#endif
