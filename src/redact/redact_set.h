/* SPDX-License-Identifier: Apache-2.0 */
/* redact_set.h - what is looked for, as the redactor sees it. */
#ifndef REDACT_REDACT_SET_H
#define REDACT_REDACT_SET_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "redact/wordanchors.h"
#include "redact/known.h"
#include "redact/nearnames.h"
#include "redact/patterns.h"
#include "redact/redact_rule.h"
#include "redact/starts.h"
#include "redact/tailclass.h"

enum { SET_DATABASES = 3 }; /* standard, personal, own */

/* One thing that can be found; its number is the place in the set. */
struct entry {
	char *label;                    /* [REDACTED:id] */
	size_t label_len;               /* */
	char *id;                       /* */
	const struct redact_rule *rule; /* built in; NULL: own or known */
	char *pattern;                  /* own */
	pcre2_code *code;               /* compiled when it is first needed */
	size_t uses;
	uint32_t least;   /* bytes of its shortest match; 0 until it was compiled */
	uint32_t reach;   /* a match begins at most so far before its mark; UINT32_MAX: anywhere */
	struct tail tail; /* read when a long line needs it */
	bool wanted;
	bool canary;
	bool fast;   /* compiled for the processor, or not to be */
	bool broken; /* cannot be compiled: every mark is replaced whole */
};

/* Built-in rules, own rules, known values, and last LIMIT: too much to look at. */
struct redact_set {
	struct entry *entries;
	size_t n, n_rules, first_own, first_known, limit;
	size_t hand[HAND_COUNT]; /* the entry found by hand; n: none is wanted */
	/* NULL: nothing of that kind is wanted, or it is not warm yet */
	const struct starts *starts;
	const struct nearnames *names;
	const struct anchors *anchors;
	struct known *known;
	struct patterns db[SET_DATABASES];
	bool db_wanted[SET_DATABASES], warm, lost;
	struct tailclasses tails;
	hs_scratch_t *scratch;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

/* For entry i, which is about to look at so many bytes; NULL: it cannot be compiled. */
const pcre2_code *set_code(struct redact_set *set, size_t i, size_t bytes);
/* How many bytes tell whether entry i matches, and what follows those; need is 0: not known. */
struct tail set_tail(struct redact_set *set, size_t i);
/* The number in the set of a database's pattern. */
static inline size_t set_entry_of(const struct redact_set *set, size_t db, unsigned id)
{
	return db == SET_DATABASES - 1 ? set->first_own + id : id;
}

#endif
