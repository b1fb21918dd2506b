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
	NEARNAMES_PAIRS = 1024,
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
	/* Values with odd characters in them, which keywords glued to each other have, too: which
	 * of NEARODD_... they may have. */
	uint8_t odd_bits[NEARNAMES_BITS / 8]; /* as bits, of their words only */
	uint8_t odd_last[NEARNAMES_PAIRS];    /* by two letters before the sign: behind "sid" */
	uint8_t odd_near;                     /* where more may stand between word and sign */
	size_t odd_word;                      /* letters that their words then have at least */
	size_t odd_least;                     /* and bytes of the value */
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

/* Of the two letters that end at text[end - 1]; a blank is as "`". */
static inline size_t nearnames_pair(const char *end)
{
	return (size_t)(end[-2] & 0x1f) << 5 | (size_t)(end[-1] & 0x1f);
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

/* What NEARNAMES_VALUE bytes can be the begin of: nothing, or a value with these characters in it.
 */
enum {
	NEARODD_EQUALS = 1,
	NEARODD_PERCENT = 2,
	NEARODD_TILDE = 4,
	NEARODD_DOT = 8,
	NEAR_NONE = 16
};

static inline unsigned nearnames_value(const char *text)
{
	lanes v = lanes_load(text), letter = (v | 0x20) - 'a';
	uint32_t plain = lanes_bits((lanes)(letter <= 'z' - 'a') |
				    (lanes)((v >= '0') & (v <= '9')) | (lanes)(v == '_') |
				    (lanes)(v == '-') | (lanes)(v == '/') | (lanes)(v == '+'));
	uint32_t equals, percents, tildes, dots;

	if (plain == 0xffff)
		return 0;
	equals = lanes_bits((lanes)(v == '='));
	percents = lanes_bits((lanes)(v == '%'));
	tildes = lanes_bits((lanes)(v == '~'));
	dots = lanes_bits((lanes)(v == '.'));
	if ((plain | equals | percents | tildes | dots) != 0xffff)
		return NEAR_NONE;
	return (equals ? NEARODD_EQUALS : 0u) | (percents ? NEARODD_PERCENT : 0u) |
	       (tildes ? NEARODD_TILDE : 0u) | (dots ? NEARODD_DOT : 0u);
}

/* A "=" or ":" at text[sign], with no other from text[last] on, and what may be a value at
 * text[value]; odd: it has such characters.  false: enough. */
bool nearnames_look(struct nearlook *l, size_t last, size_t sign, size_t value, bool odd);
/* Can a value with odd characters be one? */
bool nearnames_odd(const struct nearlook *l, size_t last, size_t sign, size_t value, unsigned odd);

/* May a value that has a "=" in it follow a sign? */
static inline bool nearnames_equals(const struct nearlook *l, size_t last, size_t sign)
{
	const struct nearnames *n = l->names;

	return n && (n->odd_last[nearnames_pair(l->in.text + sign)] & NEARODD_EQUALS ||
		     (n->odd_near & NEARODD_EQUALS && sign - last >= n->odd_word));
}

/* The same if there are NEARNAMES_VALUE bytes of the value, and two before the sign. */
static inline bool nearnames_try(struct nearlook *l, size_t last, size_t sign, size_t value)
{
	unsigned odd;

	if (!l->names)
		return true;
	odd = nearnames_value(l->in.text + value);
	if (odd && !(odd < NEAR_NONE && nearnames_odd(l, last, sign, value, odd)))
		return true;
	return nearnames_look(l, last, sign, value, odd != 0);
}

#endif
