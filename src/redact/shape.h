/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h - what a text looks like: so many characters of a kind, then so many of another. */
#ifndef REDACT_SHAPE_H
#define REDACT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPE_PARTS = 40, SHAPE_SETS = 64 };

/* Sets of characters, numbered. */
struct shape_sets {
	uint64_t of[256]; /* one bit for each set that a byte is in */
	size_t n;
};

enum shape_kind { SHAPE_CHAR, SHAPE_SET, SHAPE_BORDER };

struct shape_part {
	uint8_t kind;
	uint8_t what;   /* a character, or the number of a set */
	uint16_t count; /* at least, if it is the last; 0: SHAPE_BORDER, where a word begins or ends
			 */
	uint16_t at;    /* bytes before it */
};

struct shape {
	struct shape_part parts[SHAPE_PARTS]; /* what tells most is first */
	uint16_t n;
	uint16_t len;  /* bytes that it has at least */
	bool caseless; /* characters are small ones, and stand for both */
};

/* What was seen of a text: bytes of a set in a row.  Nobody reads them again and again. */
struct shape_run {
	size_t begin, end;
	bool wall; /* text[begin - 1] is not in the set */
	bool over; /* text[end] is not */
};

struct shape_text {
	const char *text;
	size_t high; /* it ends here */
	struct shape_run runs[SHAPE_SETS];
};

/* Does text[at ..] look so? */
bool shape_fits(const struct shape *s, const struct shape_sets *sets, struct shape_text *t,
		size_t at);
/* A letter, a digit or "_": \b lies between one and what is none. */
bool shape_word(char c);

#endif
