/* SPDX-License-Identifier: Apache-2.0 */
/* innocent.h - text in which no built-in rule can find anything, told without a pattern.
 *
 * For programs that must start fast and so have no redactor: what is innocent needs none.  It may
 * say no where there is nothing, but never yes where the redactor would change a byte (with any
 * of the standard groups, and no rules or secrets of the owner's).
 */
#ifndef REDACT_INNOCENT_H
#define REDACT_INNOCENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole lines, or a text up to its end. */
bool redact_innocent(const char *text, size_t len);

/* What the build makes of the rules' words (innocent_words.c). */
enum {
	INNOCENT_WORD = 14,
	INNOCENT_BITS = 16384,
	INNOCENT_STARTS = 1, /* only where a word begins, with a value behind it */
	INNOCENT_FOLD = 2,   /* capitals or not */
	INNOCENT_VALUE = 4,  /* only in a line with a long value */
};

struct innocent_word {
	char text[INNOCENT_WORD]; /* its begin, if it is longer */
	uint8_t len;
	uint8_t flags;
	char also[INNOCENT_WORD]; /* must be in the same line, too; empty: nothing */
	uint16_t row;             /* they are sorted by it */
};

extern const struct innocent_word innocent_words[];
extern const size_t innocent_word_count;
extern const uint8_t innocent_rows[INNOCENT_BITS / 8]; /* one bit for each row with a word */

/* From the first three bytes of a word. */
static inline uint32_t innocent_row(const char *word)
{
	uint32_t three = 0;

	for (int i = 0; i < 3; i++) {
		unsigned char c = (unsigned char)word[i];

		three = three << 8 | (c >= 'A' && c <= 'Z' ? c | 0x20u : c);
	}
	return (three * 2654435761u) >> 18;
}

#endif
