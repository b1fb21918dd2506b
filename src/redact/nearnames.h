/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.h - words before a sign that say whose the value behind it is: "okta_token = 00...". */
#ifndef REDACT_NEARNAMES_H
#define REDACT_NEARNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "redact/lanes.h"
#include "redact/redact_rule.h"

enum {
	NEARNAMES_VALUE = 16, /* characters of the shortest value */
	NEARNAMES_REACH = 41, /* from a match's begin to behind the first letter of its word */
	NEARNAMES_SEEN = 64,
	NEARNAMES_EQUAL = 3, /* characters of the shortest word with such a value: "sid" */
};

struct nearnames;

struct nearnames *nearnames_new(struct error *err);
void nearnames_free(struct nearnames *n);
/* rule->names: words of 2 to 20 characters, apart by blanks; "\\b" before one: not within a word.
 */
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

/* A "=" or ":" at text[sign], the one before it at text[last], and a value that may be one at
 * text[value]: asked in the order of the text.  false: too much. */
bool nearnames_look(struct nearlook *l, size_t last, size_t sign, size_t value);

/* Sixteen bytes behind a sign, which is so far behind the one before it: NEARNAMES_ODD has
 * characters that few values have. */
enum nearnames_value { NEARNAMES_NO = 0, NEARNAMES_PLAIN = 1, NEARNAMES_ODD = 2 };

static inline enum nearnames_value nearnames_value(const char *text, size_t far)
{
	lanes v = lanes_load(text), letter = (v | 0x20) - 'a', other = v - '+';
	/* "," and "." are in no value. */
	lanes plain =
		(lanes)(letter <= 'z' - 'a') | (lanes)(other <= '9' - '+') | (lanes)(v == '_');
	lanes odd = (lanes)(v == '%') | (lanes)(v == '~') | (lanes)(v == '=');

	if (lanes_bits(plain | odd) != 0xffff)
		return NEARNAMES_NO;
	odd |= (lanes)(v == '.');
	return lanes_bits(odd) == 0 ? NEARNAMES_PLAIN
				    : (enum nearnames_value)((far >= NEARNAMES_EQUAL) * 2);
}

/* NEARNAMES_ODD: is it before the sign, or long? */
bool nearnames_odd(const struct nearlook *l, size_t last, size_t sign, size_t value);

#endif
