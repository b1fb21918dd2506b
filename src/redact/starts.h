/* SPDX-License-Identifier: Apache-2.0 */
/* starts.h - words that begin with what a credential begins with: "ghp_", "AKIA". */
#ifndef REDACT_STARTS_H
#define REDACT_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact/lanes.h"
#include "redact/nextchars.h"
#include "redact/stretch.h"

enum {
	STARTS_REACH = 1,
	STARTS_WORD_LEAST = 3,
	STARTS_WORD = 12,
	STARTS_VALUE = 8,       /* characters behind every word that can be part of a value */
	STARTS_NEXT = 16,       /* and of which it is known what each can be, at most */
	STARTS_ALL = 112,       /* and in rows of bytes that can be the same */
	STARTS_PARTS = 6,       /* such rows, at most */
	STARTS_MORE = 20,       /* bytes behind STARTS_NEXT that are worth a row, at least */
	STARTS_RUN = 8,         /* bytes of one that is worth remembering */
	STARTS_RUNS = 32,       /* sets of those */
	STARTS_COLON_FIRST = 4, /* where in a word a ":" may be: "http://", "oauth:" */
	STARTS_COLON_LAST = 5,
	STARTS_ROWS = 4096,
	STARTS_WORDS = 512,
	STARTS_LONGER = 0xffff,
	STARTS_SETS = 256,
	STARTS_GLANCE = 65536,
	STARTS_GROUPS = 256,
};
_Static_assert((int)STARTS_WORD + (int)STARTS_ALL <= (int)NEXTCHARS_REACH, "see nextchars.h");

/* Bytes behind a word that are in one set. */
struct start_part {
	uint8_t at, len; /* the first one, counted from the end of the word */
	uint8_t set;     /* by the bits of run_sets if it is STARTS_RUN or longer, else one of sets
			  */
};

struct start {
	char word[STARTS_WORD];
	uint8_t len;
	uint8_t n_next;
	uint8_t next[STARTS_NEXT];             /* the sets that the bytes behind it are in */
	uint8_t n_same;                        /* so many of these are one, from the first on */
	bool grows;                            /* all of these have all that the first has */
	uint8_t n_all;                         /* so many bytes are behind it, at least */
	uint8_t n_parts;                       /* of them, beyond those that are known one by one */
	uint16_t more;                         /* in the same row, plus one; 0: none */
	uint16_t entry;                        /* the number of its rule */
	uint32_t first;                        /* its first four bytes, or three */
	uint32_t four;                         /* all bits of its bytes behind the first eight */
	uint64_t eight;                        /* and of these */
	struct start_part parts[STARTS_PARTS]; /* what tells most is first */
};

/* Made from the rules when belljar is built. */
struct starts {
	/* By the first three bytes: the first word of three, plus one; STARTS_LONGER: there are
	 * only longer ones; 0: there is none.  Then, by four, the first longer one, plus one. */
	uint16_t row[STARTS_ROWS], longer[STARTS_ROWS];
	/* Bits, by four bytes: they may be the first of a word, or a word of three and what
	 * follows.
	 */
	uint8_t glance[STARTS_GLANCE / 8];
	uint8_t longer_glance[STARTS_GLANCE / 8]; /* by five, for longer words */
	/* By the first three bytes: the group of words that begin so; 0: there is none.  Then kinds
	 * of bytes that none of its words has where they are, or with them what follows; the first
	 * is the fourth one of a word. */
	uint8_t group[STARTS_ROWS];
	uint8_t never[STARTS_GROUPS][LANES];
	size_t n_groups;
	struct start words[STARTS_WORDS];
	size_t n;
	struct nextchars_set sets[STARTS_SETS];
	size_t n_sets;
	uint32_t run_sets[256]; /* by a byte: one bit for each set of long parts that it is in */
	size_t n_run_sets;
};

extern const char start_words_start[], start_words_end[];

static inline bool starts_in_value(char c)
{
	static const bool in[256] = {
		['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true,
		['-'] = true,         ['+'] = true,         ['/'] = true,         ['='] = true,
		['.'] = true,         ['~'] = true,         ['%'] = true,         ['$'] = true,
	};

	return in[(unsigned char)c];
}

static inline uint32_t starts_three(const char *word)
{
	return (uint32_t)(unsigned char)word[0] | (uint32_t)(unsigned char)word[1] << 8 |
	       (uint32_t)(unsigned char)word[2] << 16;
}

static inline uint32_t starts_four(const char *word)
{
	return starts_three(word) | (uint32_t)(unsigned char)word[3] << 24;
}

/* Of three bytes, or of four. */
static inline size_t starts_row(uint32_t first)
{
	return (first * 2654435761u) >> 20;
}

static inline size_t starts_glance(uint32_t four)
{
	return (four * 2654435761u) >> 16;
}

static inline size_t starts_longer_glance(uint32_t four, char fifth)
{
	return starts_glance(four) ^ (size_t)(unsigned char)fifth * 257;
}

/* Kinds of sixteen bytes, a bit for each: every byte is of one. */
static inline lanes starts_kinds(lanes v)
{
	lanes small = (lanes)((lanes)(v - 'a') <= 'z' - 'a') & 1;
	lanes capital = (lanes)((lanes)(v - 'A') <= 'Z' - 'A') & 2;
	lanes digit = (lanes)((lanes)(v - '0') <= 9) & 4;
	lanes joint = ((lanes)(v == '_') & 8) | ((lanes)(v == '-') & 16);
	lanes some = small | capital | digit | joint | ((lanes)(v == '.') & 32) |
		     ((lanes)(v == '=') & 64);

	return some | ((lanes)(some == 0) & 128);
}

/* A word begins at text[at], and what follows may be its value.  false: enough.  *until becomes 0
 * if it is taken; less than it was if it is not, and no other one of its rule is that begins before
 * that. */
typedef bool starts_hit(void *context, size_t at, size_t rule, size_t *until);
/* Looks at words that begin in the stretch.  false: hit() had enough. */
bool starts_find(const struct starts *s, const struct stretch *in, starts_hit *hit, void *context);

#endif
