/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.h - words before a sign that say whose the value behind it is: "okta_token = 00...". */
#ifndef REDACT_NEARNAMES_H
#define REDACT_NEARNAMES_H

#include "redact/lanes.h"
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
};

/* What may stand between a word and its value: NEAR(), GIVEN(), GIVEN_FAR() of redact_rule.h. */
enum nearjoint { NEARJOINT_NEAR, NEARJOINT_GIVEN, NEARJOINT_FAR, NEARJOINT_COUNT };

struct nearword {
	char text[NEARNAMES_WORD];
	uint8_t len;
	uint8_t joint;
	bool begins;            /* a word, and not only a part of one */
	uint16_t entry;         /* the number of its rule */
	uint16_t first, behind; /* its values' shapes */
	uint16_t next;          /* with the same first letters, plus one; 0: none */
};

/* Made from the rules when belljar is built. */
struct nearnames {
	uint8_t bits[NEARNAMES_BITS / 8]; /* by three letters: a word begins so */
	uint16_t row[NEARNAMES_ROWS];     /* by two: the first of such words, plus one */
	struct nearword words[NEARNAMES_WORDS];
	size_t n_words;
	struct shape shapes[NEARNAMES_SHAPES];
	size_t n_shapes;
	struct shape_sets sets;
	int gap; /* the set of characters between a word and its sign */
	/* Values with odd characters in them, which keywords glued to each other have, too. */
	bool odd_last[256]; /* before the sign, where nothing else may stand: behind "sid" */
	size_t odd_word;    /* letters that their words have at least, where more may stand */
	size_t odd_least;   /* and then bytes of the value */
};

extern const char near_names_start[], near_names_end[];

static inline size_t nearnames_row(const char *word)
{
	return (size_t)(word[0] & 0x1f) << 8 | (size_t)(unsigned char)(word[1] | 0x20);
}

static inline uint32_t nearnames_bit(const char *word)
{
	uint32_t three = (uint32_t)(unsigned char)word[0] | (uint32_t)(unsigned char)word[1] << 8 |
			 (uint32_t)(unsigned char)word[2] << 16;

	return ((three | 0x202020u) * 2654435761u) >> 16;
}

/* Where somebody looks; runs of the text are zeroed. */
struct nearlook {
	const struct nearnames *names;
	size_t low; /* words begin here or later */
	/* A word begins at text[at], and the value behind a sign near it looks as it must.
	 * false: enough. */
	bool (*hit)(void *context, size_t at, size_t entry);
	void *context;
	struct shape_text in;
};

/* A "=" or ":" at text[sign], with no other from text[last] on, and what may be a value at
 * text[value].  false: enough. */
bool nearnames_look(struct nearlook *l, size_t last, size_t sign, size_t value);

/* What NEARNAMES_VALUE bytes can be the begin of. */
enum nearvalue { NEARVALUE_NONE, NEARVALUE_PLAIN, NEARVALUE_ODD };

static inline enum nearvalue nearnames_value(const char *text)
{
	lanes v = lanes_load(text), letter = (v | 0x20) - 'a';
	lanes plain = (lanes)(letter <= 'z' - 'a') | (lanes)((v >= '0') & (v <= '9')) |
		      (lanes)(v == '_') | (lanes)(v == '-') | (lanes)(v == '/') | (lanes)(v == '+');
	lanes odd = (lanes)(v == '=') | (lanes)(v == '%') | (lanes)(v == '~') | (lanes)(v == '.');

	if (lanes_bits(plain) == 0xffff)
		return NEARVALUE_PLAIN;
	return lanes_bits(plain | odd) == 0xffff ? NEARVALUE_ODD : NEARVALUE_NONE;
}

bool nearnames_odd(const struct nearlook *l, size_t last, size_t sign, size_t value);

/* Of a sign, and a value at text[value] of which NEARNAMES_VALUE bytes are there: false: nothing
 * for nearnames_look(). */
static inline bool nearnames_maybe(const struct nearlook *l, size_t last, size_t sign, size_t value)
{
	enum nearvalue kind = nearnames_value(l->in.text + value);

	return l->names && (kind == NEARVALUE_PLAIN ||
			    (kind == NEARVALUE_ODD && nearnames_odd(l, last, sign, value)));
}

#endif
