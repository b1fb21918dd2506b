/* SPDX-License-Identifier: Apache-2.0 */
/* signblock.h - 64 bytes of text at a time: where signs are, and what stands around them, as bits.
 */
#ifndef REDACT_SIGNBLOCK_H
#define REDACT_SIGNBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact/lanes.h"

enum { SIGNBLOCK = 64 };

/* x, n bytes on; what is beyond its end is not known and may be anything. */
static inline uint64_t later(uint64_t x, unsigned n)
{
	return x >> n | ~(~(uint64_t)0 >> n);
}

/* 64 bytes, one bit for each. */
struct block {
	uint64_t dots, colons, equals, digits, slashes, dashes, dark;
	uint64_t hex;         /* letters among them */
	uint64_t cs;          /* "c" and "C" */
	uint64_t openings;    /* and ">", backslashes, "#", "&" */
	uint64_t long_values; /* what is right behind may be long enough for a secret */
	uint64_t word_ends;   /* of words that mean one; all bits: not known */
	uint64_t passwords;   /* signs behind names that may be theirs; all bits: not known */
	uint64_t near;        /* signs with what may be a vendor's; all bits: not known */
	uint64_t values;      /* characters of values without quotes */
	uint64_t six, ten;    /* so many characters of a value begin there, and of ten a digit is
				 one, or they are twenty; all bits: not known */
};

static inline struct block read_block(const char *text)
{
	struct block b = {0};

#pragma GCC unroll 4
	for (unsigned i = 0; i < SIGNBLOCK; i += LANES) {
		lanes v = lanes_load(text + i), letter = (v | 0x20) - 'a';

		b.dots |= (uint64_t)lanes_bits((lanes)(v == '.')) << i;
		b.colons |= (uint64_t)lanes_bits((lanes)(v == ':')) << i;
		b.equals |= (uint64_t)lanes_bits((lanes)(v == '=')) << i;
		b.digits |= (uint64_t)lanes_bits((lanes)((v >= '0') & (v <= '9'))) << i;
		b.hex |= (uint64_t)lanes_bits((lanes)(letter <= 'f' - 'a')) << i;
		b.cs |= (uint64_t)lanes_bits((lanes)(letter == 'c' - 'a')) << i;
		b.slashes |= (uint64_t)lanes_bits((lanes)(v == '/')) << i;
		b.dashes |= (uint64_t)lanes_bits((lanes)(v == '-')) << i;
		b.openings |= (uint64_t)lanes_bits((lanes)((v | 5) == '\'') | (lanes)(v == '`') |
						   (lanes)(v == '>') | (lanes)(v == '\\'))
			      << i;
		b.dark |= (uint64_t)lanes_bits((lanes)(v > ' ')) << i;
	}
	return b;
}

/* Where a name may end.  Not behind a "/", or another sign, but for ":="; and what is one byte
 * long, from one sign to the next, is none that anybody looks for. */
static inline uint64_t may_have_names(const struct block *b)
{
	uint64_t signs = b->colons | b->equals;

	return ~((signs | b->slashes) << 1 | signs << 2) | (b->equals & b->colons << 1);
}

/* Where "key", "token", "secret" or "credential" may end among sixteen bytes, by their last three
 * letters.  A joint may stand between any two of them.  Two bytes are before text. */
static inline lanes word_ends_in(const char *text)
{
	lanes last = lanes_load(text) | 0x20, v = lanes_load(text - 1), w = lanes_load(text - 2);
	lanes joint = (lanes)(v == '_') | (lanes)(v == '-');
	lanes before = (lanes)(w == '_') | (lanes)(w == '-');
	lanes third = w | 0x20, e = (lanes)((v | 0x20) == 'e'), a = (lanes)((v | 0x20) == 'a');
	/* One bit is between "e" and "a", "n" and "l". */
	lanes second = (lanes)((third | 4) == 'e');

	return ((lanes)((last | 2) == 'n') | (lanes)(last == 't') | (lanes)(last == 'y')) &
	       ((e & ((lanes)(third == 'k') | (lanes)(third == 'r') | before)) |
		(a & ((lanes)(third == 'i') | before)) | (joint & (second | before)));
}

/* The same of a whole block at once. */
static inline uint64_t read_word_ends(const char *text)
{
	uint64_t ends = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < SIGNBLOCK; i += LANES)
		ends |= (uint64_t)lanes_bits(word_ends_in(text + i)) << i;
	return ends;
}

/* Is there one between two signs, of which the second is the i-th byte of a block?  Not if the
 * first is in the block, too, and tells. */
static inline bool may_mean_secret(const struct block *b, size_t i, size_t last, size_t sign)
{
	size_t name = sign - last;

	return (name > i) |
	       ((b->word_ends >> ((i - name) & 63) & (((uint64_t)1 << (name & 63)) - 1)) != 0);
}

/* Where a name may end as a password's does: what signname_maybe_password() has, and more.  A byte
 * is before text. */
static inline uint64_t read_password_ends(const char *text)
{
	uint64_t words = 0, others = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < SIGNBLOCK; i += LANES) {
		lanes v = lanes_load(text + i), x = v | 0x20;
		lanes before = lanes_load(text + i - 1) | 0x20, s = (lanes)(before == 's');
		lanes joint = (lanes)(before == ('_' | 0x20)) | (lanes)(before == '-');
		lanes word = ((lanes)(x == 'd') &
			      ((lanes)(before == 'r') | (lanes)(before == 'w') | joint)) |
			     (((lanes)(x == 's') | (lanes)(x == 'e')) & (s | joint));
		lanes other = (lanes)(v <= '\'') | (lanes)(v == '_') | (lanes)(v == '-') |
			      (lanes)(v == ']') | (lanes)(v == ':');

		words |= (uint64_t)lanes_bits(word) << i;
		others |= (uint64_t)lanes_bits(other) << i;
	}
	/* What may stand behind a name says nothing alone: from a word's end a carry runs through
	 * it, and leaves no bit of it. */
	return words | (others & ~(((words << 1 | 1) & others) + others));
}

/* What a value without quotes can have in it: VALUE of rules_assign.c. */
static inline uint64_t read_values(const char *text)
{
	uint64_t ends = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < SIGNBLOCK; i += LANES) {
		lanes v = lanes_load(text + i), x = v | 0x20;
		lanes mark = v - '&', other = (lanes)(v == ',') | (lanes)(v == '"');

		other |= (lanes)(mark <= ')' - '&') | (lanes)((v | 2) == '>') | (lanes)(v == ';') |
			 (lanes)(v == '`') | (lanes)(v == '|');
		other |= (lanes)(x == '{') | (lanes)(x == '}') | (lanes)(v == ' ') |
			 (lanes)(v == '\n') | (lanes)(v == '\t');
		ends |= (uint64_t)lanes_bits(other) << i;
	}
	return ~ends;
}

/* Of runs of bits those that have one of some bits behind them, or are one; a run that goes on
 * behind the block may have one there. */
static inline uint64_t runs_up_to(uint64_t runs, uint64_t some)
{
	uint64_t up = runs & (some | (uint64_t)1 << (SIGNBLOCK - 1));

	for (unsigned n = 1; n < SIGNBLOCK; n *= 2) {
		up |= runs & up >> n;
		runs &= runs >> n;
	}
	return up;
}

/* Bits of sixteen in a row. */
static inline uint64_t sixteen_of(uint64_t one)
{
	uint64_t two = one & later(one, 1), four = two & later(two, 2);
	uint64_t eight = four & later(four, 4);

	return eight & later(eight, 8);
}

/* The same of any number of them, up to all that a block has but one. */
static inline uint64_t in_a_row(uint64_t one, size_t n)
{
	unsigned len = 1, most = n < SIGNBLOCK ? (unsigned)n : SIGNBLOCK - 1;

	for (; 2 * len <= most; len *= 2)
		one &= later(one, len);
	return one & (len < most ? later(one, most - len) : one);
}

/* Is the i-th bit set, or beyond what is known? */
static inline unsigned may_have(uint64_t bits, size_t i)
{
	return (unsigned)(i >= SIGNBLOCK) | (unsigned)(bits >> (i & (SIGNBLOCK - 1)) & 1);
}

/* The first dots of what may be four numbers: two more follow, each behind three digits at most.
 * Where the first of a longer row is none of them, no other is the first of four numbers. */
static inline uint64_t may_be_ipv4(uint64_t dots)
{
	uint64_t two = dots & (later(dots, 2) | later(dots, 3) | later(dots, 4));

	return dots & (later(two, 2) | later(two, 3) | later(two, 4));
}

/* Where six characters follow of which none ends a part of a bot's token. */
static inline uint64_t may_be_bots(const struct block *b)
{
	uint64_t ends = b->dots | b->colons | b->equals | b->slashes | b->openings | ~b->dark;
	uint64_t two = ends >> 1 | ends >> 2;

	return ~(two | two >> 2 | two >> 4);
}

/* More than so many bits? */
static inline bool has_more(uint64_t bits, int than)
{
	for (int i = 0; i < than; i++)
		bits &= bits - 1;
	return bits != 0;
}

#endif
