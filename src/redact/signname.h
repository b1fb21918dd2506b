/* SPDX-License-Identifier: Apache-2.0 */
/* signname.h - the name before a sign: does it say that a secret follows? */
#ifndef REDACT_SIGNNAME_H
#define REDACT_SIGNNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "redact/lanes.h"

enum { SIGNNAME_MAX = 32 }; /* bytes of a name that are looked at: its end */

struct signname {
	char text[SIGNNAME_MAX]; /* it ends where this does: small letters without "_" and "-" */
	size_t len;              /* of what is there */
	size_t from, end;        /* where it was read */
	uint32_t ends;           /* one bit for each byte of text that can end a secret's word */
	bool key;                /* a "key" that begins the name, or follows a "-", near its end */
};

/* What a letter can be in the last two of "password", "passwd", "pass", "passphrase".  What may
 * stand between a name's end and its sign can be anything. */
enum { SIGNNAME_RW_D = 1, SIGNNAME_S_SE = 2, SIGNNAME_ANY = 3 };
extern const unsigned char signname_firsts[256], signname_lasts[256];

/* false: what stands before a sign is no name for signname_password().  Two bytes are there. */
static inline bool signname_maybe_password(const char *text, size_t sign)
{
	unsigned char last = signname_lasts[(unsigned char)text[sign - 1]];
	unsigned char before = (unsigned char)text[sign - 2];

	unsigned any = -(unsigned)(last == SIGNNAME_ANY);

	/* Behind a name there may be more of what can be anything, or its last letter. */
	return (signname_lasts[before] & any) | (signname_firsts[before] & last & ~any);
}
/* The same, with what may stand between. */
bool signname_near_password(const char *text, size_t sign);
/* false: what stands before a sign is no name for signname_secret(). */
bool signname_maybe_secret(const char *text, size_t sign);
/* What stands before a sign that begins at text[sign]; false: nothing, or a number. */
bool signname_read(const char *text, size_t sign, struct signname *ret);
/* "password", "db_pass" */
bool signname_password(const char *text, const struct signname *n);
/* "token", "api_key_2" */
bool signname_secret(const struct signname *n);

/* In text that says the same again and again a few answers are enough. */
enum {
	SIGNNAME_NO_SECRET = 1,   /* signname_maybe_secret() says so */
	SIGNNAME_NO_PASSWORD = 2, /* signname_near_password() does */
	SIGNNAME_SECRET = 4,      /* the former says perhaps */
	SIGNNAME_TOLD = 8,
};

/* What was told of a name right before a sign, by the last bytes before that: the name, with the
 * byte before it, begins among them.  Zeroed: nothing. */
struct signname_told {
	size_t at;       /* of the first of these bytes */
	uint32_t others; /* bits of those that have no part in it */
	unsigned what;
};

static inline size_t signname_told_row(const char *text, size_t sign)
{
	uint32_t four;

	memcpy(&four, text + sign - sizeof(four), sizeof(four));
	return (four * 2654435761u) >> 29;
}
_Static_assert((int)SIGNNAME_TOLD == 1 << (32 - 29), "a row for each answer");

/* LANES bytes are before the sign.  0: nothing is known. */
static inline unsigned signname_what(const struct signname_told *told, const char *text,
				     size_t sign)
{
	const struct signname_told *t = &told[signname_told_row(text, sign)];
	lanes same = (lanes)(lanes_load(text + sign - LANES) == lanes_load(text + t->at));

	return -(unsigned)((lanes_bits(same) | t->others) == 0xffff) & t->what;
}

/* Keeps what is known now. */
void signname_tell(struct signname_told *told, const char *text, size_t sign, unsigned what);

#endif
