/* SPDX-License-Identifier: Apache-2.0 */
/* valuerun.h - the characters of a value in a row, and what was seen in them. */
#ifndef REDACT_VALUERUN_H
#define REDACT_VALUERUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact/valuebits.h"
#include "redact/valueletters.h"

enum {
	VALUERUN_GLANCE = 32,
	VALUERUN_ANSWERS = 8,
};

/* The bytes text[from .. to), counted. */
struct valuecount {
	size_t from, to;
	struct valuebits bits;
};

/* The same of its letters. */
struct valuekinds {
	size_t from, to;
	struct valueletters seen;
};

/* text[from .. to) has few changes: fewer than anything random with a digit in it. */
struct valuecalm {
	size_t from, to;
};

/* Whether text[from .. to) is random, perhaps: the last answer about a value of some length. */
struct valueanswer {
	size_t from, to;
	bool random;
};

/* Zeroed but for text and high: nothing was looked at yet.  Values are asked for in the order in
 * which they stand in the text, most of them end where the one before did. */
struct valuerun {
	const char *text;
	size_t high;       /* the text ends here */
	size_t begin, end; /* the run that was read last */
	size_t digit;      /* behind its last one; 0: none */
	size_t changes;    /* of letters, capitals and digits, in all of it; of many: some */
	size_t trimmed;    /* its end without "." and ":" */
	size_t last_path, last_env; /* behind the begin of its last "://", "environ"; 0: none */
	bool trim_known, last_known;
	size_t filler, filler_end; /* the last one that was found */
	size_t plain, plain_end;   /* there is none in it */
	size_t few, few_end; /* so few different bytes are in it that no value within is random */
	size_t many_end;     /* so many were there that it is not asked again up to here */
	struct valuecount count;
	bool count_first; /* it told of the last one that it is none */
	struct valuecalm calm;
	struct valuekinds kinds;
	struct valueanswer answers[VALUERUN_ANSWERS];
};

/* Behind the value that begins at text[at]. */
size_t valuerun_end(struct valuerun *r, size_t at);
/* true: whatever its name, the value from text[at] on is none for valuerun_secret(). */
bool valuerun_dull(struct valuerun *r, size_t at);
/* The same by VALUERUN_GLANCE bytes, all at the same time, without reading a run; false: perhaps.
 */
bool valuerun_dull_at_once(const struct valuerun *r, size_t at);
/* The same as valuerun_dull(), of a run that was read, by how many different bytes are in it. */
bool valuerun_few(struct valuerun *r, size_t at);
/* Either of them, by what is known already. */
bool valuerun_known_dull(const struct valuerun *r, size_t at);
/* The same of every value that begins in text[from .. to]. */
bool valuerun_all_dull(const struct valuerun *r, size_t from, size_t to);
/* Could the value from text[at] on be one, for check_assigned() and check_password()?  Those are
 * asked about what is left.  at is in the run that was read last. */
bool valuerun_secret(struct valuerun *r, size_t at);
bool valuerun_password(struct valuerun *r, size_t at);

#endif
