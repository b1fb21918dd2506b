/* SPDX-License-Identifier: Apache-2.0 */
/* phrases.h - words with a blank behind them that say that a secret follows: "Bearer ...".
 *
 * They are found at what signs.c sees of 64 bytes anyway: where something long follows a blank,
 * where four dashes begin, where a digit follows ": ", where an option begins.  What is found here
 * may be one; the rule's pattern says whether it is, and where it begins and ends.
 */
#ifndef REDACT_PHRASES_H
#define REDACT_PHRASES_H

#include <stdint.h>

#include "redact/redact_rule.h"

enum {
	PHRASES_REACH = 128, /* from a match's begin to where it is found, at most */
	PHRASES_VALUE = 8,   /* characters that follow the blank, at least */
	PHRASES_DASHES = 4,  /* */
	PHRASES_BEFORE = 6,  /* bytes that are before the blank, at least */
};

/* false: no word before the blank before text[at] is one for phrases_value().  PHRASES_BEFORE bytes
 * are there. */
static inline bool phrases_maybe(const char *text, size_t at)
{
	unsigned last = (unsigned char)text[at - 2];
	unsigned pair = ((unsigned)(unsigned char)text[at - 3] << 8 | last) | 0x2020;

	/* There may be more blanks. */
	return (pair == ('e' << 8 | 'r')) | (pair == ('e' << 8 | 'n')) |
	       (pair == ('e' << 8 | 'y')) | (pair == ('i' << 8 | 'c')) | (last <= ' ');
}

/* Something that is no blank begins at text[at]: the value behind "Bearer", "authorization: token",
 * "authorization: key" or "authorization: basic"?  HAND_NONE: no. */
enum redact_hand phrases_value(const char *text, size_t high, size_t at);
/* "----" at text[at], and no dash before it: behind "PRIVATE KEY"? */
bool phrases_private_key(const char *text, size_t at);
/* The ":" behind "Private-Lines", with a number behind it? */
bool phrases_putty(const char *text, size_t high, size_t at);
/* The "-" of "-p" behind "sshpass"? */
bool phrases_sshpass(const char *text, size_t high, size_t at);

#endif
