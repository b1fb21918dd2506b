/* SPDX-License-Identifier: Apache-2.0 */
/* valueletters.h - letters, capitals and digits in a value, and how often one becomes another.
 *
 * A name made of words has digits and capitals at its joints only; what a machine drew has them
 * everywhere.  A capital that begins a word is no surprise, and so no change.
 */
#ifndef REDACT_VALUELETTERS_H
#define REDACT_VALUELETTERS_H

#include <stddef.h>

#include "redact/lanes.h"

/* Where they are among sixteen bytes, as bits. */
struct letterbits {
	uint32_t digits, lower, upper;
};

static inline lanes is_between(lanes v, unsigned char low, unsigned char high)
{
	return (lanes)(v - low <= (unsigned char)(high - low));
}

static inline struct letterbits letterbits_of(lanes v)
{
	return (struct letterbits){
		.digits = lanes_bits(is_between(v, '0', '9')),
		.lower = lanes_bits(is_between(v, 'a', 'z')),
		.upper = lanes_bits(is_between(v, 'A', 'Z')),
	};
}

/* How many of them are set: processors that have no instruction for it are welcome, too. */
static inline unsigned letterbits_count(uint32_t x)
{
	x = x - (x >> 1 & 0x55555555);
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

/* Bits that are a change from the one before them. */
static inline uint32_t letterbits_changes(struct letterbits b)
{
	return (b.upper & b.lower << 1) | (b.digits & (b.lower | b.upper) << 1) |
	       ((b.lower | b.upper) & b.digits << 1);
}

/* To the next sixteen, of which some are within a value: bit 0 is the last one before them. */
static inline void letterbits_move(struct letterbits *b, struct letterbits next, uint32_t within)
{
	b->digits = b->digits >> LANES | (next.digits & within) << 1;
	b->lower = b->lower >> LANES | (next.lower & within) << 1;
	b->upper = b->upper >> LANES | (next.upper & within) << 1;
}

struct valueletters {
	size_t letters, digits, changes;
};

/* Of text[0 .. len); room >= len bytes can be read. */
static inline struct valueletters valueletters_of(const char *text, size_t len, size_t room)
{
	struct valueletters all = {0};
	struct letterbits b = {0};

	for (size_t i = 0; i < len; i += LANES) {
		uint32_t within = len - i < LANES ? (1u << (len - i)) - 1 : 0xffff;
		char few[LANES] = {0};

		if (room - i < LANES)
			memcpy(few, text + i, len - i);
		letterbits_move(&b, letterbits_of(lanes_load(room - i < LANES ? few : text + i)),
				within);
		all.letters += letterbits_count((b.lower | b.upper) >> 1);
		all.digits += letterbits_count(b.digits >> 1);
		all.changes += letterbits_count(letterbits_changes(b));
	}
	return all;
}

#endif
