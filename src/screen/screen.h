/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - looks at what is written inside a call: code and command lines.
 *
 * It explains and labels; it is not the wall.  What it lets through still runs
 * in the box, and the box is what keeps the promise.
 */
#ifndef SCREEN_SCREEN_H
#define SCREEN_SCREEN_H

#include "base/arena.h"
#include "call/rules.h"
#include "call/why.h"

/* One rule of ours; a row in the table of its language. */
struct screen_row {
	const char *id;    /* "python.eval" */
	const char *label; /* capability: net, proc, fs-write, dynamic, introspection, paths... */
	enum screen_mode mode; /* what it does unless the policy says otherwise */
	const char *reason;    /* plain words for the one who wrote the code */
	const char *hint;      /* what to do instead; NULL: nothing */
};

struct finding {
	const char *rule;
	const char *label;
	enum screen_mode mode; /* block or warn; what is off is not listed */
	unsigned line, column; /* from 1; columns count characters */
	const char *what;      /* the part of the text, shortened and escaped */
	const char *reason;
	const char *hint;
};

enum { FINDINGS_MAX = 64 };

struct findings {
	struct finding list[FINDINGS_MAX];
	size_t n;
	bool cut; /* there were more; the ones that block are kept first */
};

/* language: python, node, bash.  Denies when a finding blocks, when the text is larger than the
 * policy's cap, when its time budget is used up, or when it cannot be read; why then speaks of the
 * first such.  Strings of the findings live in a.  rules may be all zeros. */
enum answer screen_code(const char *language, const struct screen_policy *rules, const char *code,
			size_t len, struct arena *a, struct findings *ret, struct why *why);

/* Every rule there is, for the manual and for checking the policy's "modes". */
const struct screen_row *screen_rows(size_t *ret_n);
const char *screen_label_help(const char *label);

#endif
