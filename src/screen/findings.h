/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - collects what the readers of each language find, in the policy's modes.
 *
 * Which mode a rule has: a row of the policy that names its id, else a row whose glob fits, else
 * the policy's own mode, else the rule's.  Among several rows of one kind the strictest counts,
 * wherever it stands: block before warn before off.
 */
#ifndef SCREEN_FINDINGS_H
#define SCREEN_FINDINGS_H

#include "screen/screen.h"

/* One text being screened. */
struct sieve {
	const struct screen_policy *rules;
	struct arena *arena; /* the findings' strings */
	struct findings *found;
	const char *text; /* what offsets refer to */
	size_t len;
	size_t inside; /* 0, or 1 + offset: the text is a string at that place of an outer one */
	const struct sieve *outer;
	const char *hint; /* instead of the rows' own; NULL: those */
	bool failed;      /* no memory for a finding: must deny */
};

enum screen_mode screen_mode_of(const struct screen_policy *rules, const struct screen_row *row);
/* Of an owner's rule: the row that names it, else its own, else block. */
enum screen_mode screen_mode_of_own(const struct screen_policy *rules,
				    const struct screen_own_rule *own);

/* A finding of row at text[at .. at + len).  reason and hint: NULL takes the row's. */
void sieve_add(struct sieve *s, const struct screen_row *row, size_t at, size_t len,
	       const char *reason, const char *hint);
void sieve_add_own(struct sieve *s, const struct screen_own_rule *own, size_t at, size_t len);
/* No further finding can change the answer or the list. */
bool sieve_is_full(const struct sieve *s);
/* In the order of the text; the answer is deny if one blocks, and why speaks of the first. */
enum answer findings_answer(struct findings *found, struct why *why);
/* Does an owner's list name it?  "a" stands for "a.b" too. */
bool words_cover(const struct words *list, const char *dotted);
/* "allowed: json, math" */
void screen_list_allowed(const struct words *imports, char *ret, size_t room);

#endif
