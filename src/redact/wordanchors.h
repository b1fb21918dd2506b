/* SPDX-License-Identifier: Apache-2.0 */
/* wordanchors.h - letters in the middle of long words that say what they are: "...AZDO...". */
#ifndef REDACT_WORDANCHORS_H
#define REDACT_WORDANCHORS_H

#include "redact/nibbles.h"
#include "redact/shape.h"
#include "redact/stretch.h"

enum {
	ANCHORS_LEAST = 2,   /* letters */
	ANCHORS_LETTERS = 8, /* of an anchor that are looked for, at most */
	ANCHORS_FORMS = 128,
	ANCHORS_ROWS = 65536,
	ANCHORS_SETS = 8, /* of first letters */
	ANCHORS_RUN = 31, /* bytes without a blank that every form has, at least */
};

/* One form of a rule. */
struct anchor {
	char letters[ANCHORS_LETTERS];
	uint64_t mask; /* all bits of these */
	uint8_t len;
	uint8_t prev;     /* the set that bytes before it are in */
	uint16_t n_prev;  /* so many; 0: others */
	uint8_t after;    /* the set that bytes behind it are in */
	uint16_t n_after; /* so many; 0: others */
	uint16_t before;  /* bytes from the match's begin to the anchor */
	uint16_t entry;   /* the number of its rule */
	uint16_t next;    /* with the same first two letters, plus one; 0: none */
	uint64_t prevs;   /* prev of it and of all these, as bits; all bits: one has none */
	struct shape shape;
};

/* Made from the rules when belljar is built. */
struct anchors {
	struct nibbles first, second,
		third;                      /* letters of anchors that begin with the same, or so */
	uint32_t pairs[ANCHORS_ROWS / 32];  /* of every second pair of bytes: one is in an anchor */
	uint32_t firsts[ANCHORS_ROWS / 32]; /* pairs that an anchor begins with */
	uint16_t row[ANCHORS_ROWS]; /* by the first two letters: the first anchor, plus one */
	struct anchor anchors[ANCHORS_FORMS];
	size_t n;
	struct shape_sets sets;
};

extern const char anchor_forms_start[], anchor_forms_end[];

/* In this order it is one load. */
static inline size_t anchors_row(const char *letters)
{
	return (size_t)(unsigned char)letters[0] | (size_t)(unsigned char)letters[1] << 8;
}

static inline bool anchors_bit(const uint32_t *bits, size_t row)
{
	return bits[row / 32] >> row % 32 & 1;
}

/* There is an anchor at text[at], and all around it looks as it must.  false: enough. */
typedef bool anchors_hit(void *context, size_t at, size_t entry);
/* false: hit() had enough. */
bool anchors_find(const struct anchors *a, const struct stretch *in, anchors_hit *hit,
		  void *context);

#endif
