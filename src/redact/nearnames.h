/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.h - words before a sign that say whose the value behind it is: "okta_token = 00...". */
#ifndef REDACT_NEARNAMES_H
#define REDACT_NEARNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "redact/redact_rule.h"

enum {
	NEARNAMES_VALUE = 16, /* characters of the shortest value */
	NEARNAMES_REACH = 41, /* from a match's begin to behind the first letter of its word */
	NEARNAMES_SEEN = 64,
};

struct nearnames;

struct nearnames *nearnames_new(struct error *err);
void nearnames_free(struct nearnames *n);
/* rule->names: words of 2 to 20 characters, apart by blanks; "\\b" before one: not within a word. */
int nearnames_add(struct nearnames *n, const struct redact_rule *rule, size_t entry,
		  struct error *err);

/* What was seen in a text.  Zeroed but for text, high and who asks: nothing yet. */
struct nearlook {
	const struct nearnames *names;
	const char *text;
	size_t low, high; /* words begin at low, the text ends at high */
	/* A word begins at text[at], and the value behind a sign near it looks as it must.
	 * false: enough. */
	bool (*hit)(void *context, size_t at, size_t entry);
	void *context;
	size_t seen; /* words that begin before this are known */
	size_t n;
	struct {
		size_t at;
		uint16_t word;
	} words[NEARNAMES_SEEN]; /* the last of them */
};

/* Could sixteen bytes be the begin of a value? */
bool nearnames_value(const char *text);
/* A "=" or ":" at text[sign], with a value that begins at text[value]: asked in the order of the
 * text.  false: too much. */
bool nearnames_look(struct nearlook *l, size_t sign, size_t value);

#endif
