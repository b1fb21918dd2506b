/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.h - words before a sign that say whose the value behind it is: "okta_token = 00...". */
#ifndef REDACT_NEARNAMES_H
#define REDACT_NEARNAMES_H

#include <string.h>

#include "redact/nibbles.h"
#include "redact/shape.h"

enum {
	NEARNAMES_VALUE = 16, /* characters that every value has, at least */
	NEARNAMES_REACH = 1,  /* from a match's begin to behind the first letter of its word */
	NEARNAMES_LEAST = 2,  /* letters of a word */
	NEARNAMES_WORD = 24,  /* and at most */
	NEARNAMES_WORDS = 256,
	NEARNAMES_SHAPES = 192,
	NEARNAMES_ROWS = 8192,
	NEARNAMES_BITS = 65536,
	NEARNAMES_PAIRS = 1024,
	NEARNAMES_KINDS = 64,
	NEARNAMES_LONG = 32, /* characters of a value that are looked at, at most */
	NEARNAMES_NOTHINGS = 8,
	NEARNAMES_EQUALS = 8,
	NEARNAMES_THREES = 4,
	NEARNAMES_END = 8, /* bytes before a sign that nearnames_ends_equals() reads */
};

/* What may stand between a word and its value: NEAR(), GIVEN(), GIVEN_FAR() of redact_rule.h. */
enum nearjoint { NEARJOINT_NEAR, NEARJOINT_GIVEN, NEARJOINT_FAR, NEARJOINT_COUNT };

struct nearword {
	char text[NEARNAMES_WORD];
	uint8_t len;
	uint8_t joint;
	uint8_t kind;           /* of its values */
	uint8_t open;           /* values are bytes of this set, plus one, up to the first that is
				   none; 0: something else */
	bool begins;            /* a word, and not only a part of one */
	uint16_t entry;         /* the number of its rule */
	uint16_t first, behind; /* its values' shapes */
	uint16_t next;          /* with the same first letters, plus one; 0: none */
	uint64_t kinds;         /* of it and of all these, as bits */
};

/* The last eight bytes of a word, as nearnames_end() has them, and all bits of those that count. */
struct nearend {
	uint64_t bytes, mask;
};

/* Made from the rules when belljar is built.  Values are of one kind if the same characters can be
 * among their first ones, and if they are as long. */
struct nearnames {
	struct nibbles first, second, third; /* letters of words that begin with nearly the same */
	uint32_t bits[NEARNAMES_BITS / 32];  /* by three letters: a word begins so */
	uint16_t row[NEARNAMES_ROWS];        /* by two: the first of such words, plus one */
	struct nearword words[NEARNAMES_WORDS];
	size_t n_words;
	struct shape shapes[NEARNAMES_SHAPES];
	size_t n_shapes;
	struct shape_sets sets;
	int gap; /* the set of characters between a word and its sign */
	size_t n_kinds;
	uint8_t kind_len[NEARNAMES_KINDS];
	uint64_t value_kinds[256];               /* by a character: the kinds that have it */
	uint64_t near_kinds[NEARNAMES_WORD + 1]; /* those of words of so many letters, or fewer */
	/* By two letters before the sign: those of words right before it, as "sid". */
	uint64_t last_kinds[NEARNAMES_PAIRS];
	/* Those of values of so many characters before one of NEARNAMES_ENDS(), or fewer. */
	uint64_t long_kinds[NEARNAMES_LONG + 1];
	uint64_t gap_kinds; /* those of words that something may stand behind */
	size_t given_len;   /* letters of the other words, at most */
	/* Values that can have a "=" in them: words of so many letters or more are near them, and
	 * those right before the sign end so, and in one of these, by its lower five bits. */
	size_t equals_len;
	uint32_t equals_lasts;
	struct nearend equals_ends[NEARNAMES_EQUALS];
	size_t n_equals;
	size_t equals_least; /* of the former: bytes without a blank or a ":" */
	/* Each of the former words has one of these in it, in small letters. */
	char equals_threes[NEARNAMES_THREES][3];
	size_t n_threes;
};

extern const char near_names_start[], near_names_end[];

static inline size_t nearnames_row(const char *word)
{
	return (size_t)(word[0] & 0x1f) << 8 | (size_t)(unsigned char)(word[1] | 0x20);
}

/* By three letters; another byte is behind them. */
static inline uint32_t nearnames_bit(const char *word)
{
	uint32_t four;

	memcpy(&four, word, sizeof(four));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	four = __builtin_bswap32(four);
#endif
	return (((four & 0xffffffu) | 0x202020u) * 2654435761u) >> 16;
}

/* Of the two letters that end at text[end - 1]; a blank is as "`". */
static inline size_t nearnames_pair(const char *end)
{
	return (size_t)(end[-2] & 0x1f) << 5 | (size_t)(end[-1] & 0x1f);
}

/* The eight bytes before text[0]; of letters the small ones. */
static inline uint64_t nearnames_end(const char *text)
{
	uint64_t eight;

	memcpy(&eight, text - sizeof(eight), sizeof(eight));
	return eight | 0x2020202020202020u;
}

/* What most values end with, as a comparison of bytes or of lanes. */
#define NEARNAMES_ENDS(v) (((v) <= ')') | ((v) == ':') | ((v) == '='))

enum { NEARNAMES_BEFORE = 64 }; /* bytes before a sign in which a word may be, and more */

/* Nothing was found before the value at text[value] and so many bytes of a name, because of
 * text[value - before .. value + behind). */
struct nearnothing {
	size_t value, name, before, behind;
};

/* Where somebody looks; runs of the text are zeroed. */
struct nearlook {
	const struct nearnames *names;
	size_t low;    /* words begin here or later */
	bool shuffles; /* this processor looks sixteen bytes up at once */
	/* A word begins at text[at], and the value behind a sign near it looks as it must.
	 * false: enough. */
	bool (*hit)(void *context, size_t at, size_t entry);
	void *context;
	size_t value;  /* the one that was found */
	unsigned open; /* what it is made of, as in its word */
	size_t told;   /* bytes of a value that told what it is, so far; hit() makes it SIZE_MAX
			  if it takes one */
	/* What was before a value, from a byte before its name on, and named nobody who has values
	 * of these kinds. */
	size_t dull, dull_len;
	uint64_t dull_kinds;
	bool named; /* somebody was */
	/* In text that says the same again and again a few answers are enough. */
	struct nearnothing nothings[NEARNAMES_NOTHINGS];
	/* text[threes_from .. threes_to) was looked at for equals_threes; none ends behind
	 * text[threes]. */
	size_t threes_from, threes_to, threes;
	struct shape_text in;
};

/* May a word of equals_len letters or more be before a sign in text[at .. at + len)?  Bytes before
 * it are there, NEARNAMES_BEFORE of them, and two behind it.  len is some times LANES, and so is
 * what lies between two texts that are asked for. */
bool nearnames_may_equal(struct nearlook *l, size_t at, size_t len);

/* The kinds of values that can be behind a sign, by what is before it; two bytes are there. */
static inline uint64_t nearnames_before(const struct nearnames *n, const char *text, size_t last,
					size_t sign)
{
	size_t len = sign - last < NEARNAMES_WORD ? sign - last : NEARNAMES_WORD;

	return n->near_kinds[len] | n->last_kinds[nearnames_pair(text + sign)];
}

/* The same by NEARNAMES_VALUE bytes of it. */
static inline uint64_t nearnames_behind(const struct nearnames *n, const char *value)
{
	uint64_t kinds = ~(uint64_t)0;

#pragma GCC unroll 16
	for (size_t i = 0; i < NEARNAMES_VALUE; i++)
		kinds &= n->value_kinds[(unsigned char)value[i]];
	return kinds;
}

/* A "=" or ":" at text[sign], with no other from text[last] on, and what may be a value of these
 * kinds at text[value].  false: enough. */
bool nearnames_look(struct nearlook *l, size_t last, size_t sign, size_t value, uint64_t kinds);

/* Behind the value that was found, or so many bytes of it; it is one of an open set. */
size_t nearnames_value_end(struct nearlook *l, size_t most);

/* May a value that has a "=" in it follow a sign? */
static inline bool nearnames_equals(const struct nearlook *l, size_t last, size_t sign)
{
	const struct nearnames *n = l->names;

	return n && (nearnames_before(n, l->in.text, last, sign) & n->value_kinds['=']);
}

/* The same by the bytes before the sign, NEARNAMES_END of them, if it is not because of a word of
 * equals_len letters or more. */
static inline bool nearnames_ends_equals(const struct nearnames *n, const char *sign)
{
	uint64_t end = nearnames_end(sign);
	bool any = false;

	for (size_t i = 0; i < n->n_equals; i++)
		any |= ((end ^ n->equals_ends[i].bytes) & n->equals_ends[i].mask) == 0;
	return any;
}

/* false: nearnames_ends_equals() is, too.  Most have another letter there. */
static inline bool nearnames_maybe_equals(const struct nearnames *n, const char *sign)
{
	return n->equals_lasts >> (sign[-1] & 0x1f) & 1;
}

/* false: nobody's value begins as text[value] does. */
static inline bool nearnames_may_be_value(const struct nearlook *l, size_t value)
{
	return l->names->value_kinds[(unsigned char)l->in.text[value]] != 0;
}

/* The same as nearnames_look() if there are NEARNAMES_VALUE bytes of the value, and two before the
 * sign. */
static inline bool nearnames_try(struct nearlook *l, size_t last, size_t sign, size_t value)
{
	uint64_t kinds;

	if (!l->names)
		return true;
	kinds = nearnames_behind(l->names, l->in.text + value) &
		nearnames_before(l->names, l->in.text, last, sign);
	return kinds == 0 || nearnames_look(l, last, sign, value, kinds);
}

#endif
