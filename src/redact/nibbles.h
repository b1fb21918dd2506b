/* SPDX-License-Identifier: Apache-2.0 */
/* nibbles.h - up to eight sets of bytes, and the sets of sixteen bytes, by their halves. */
#ifndef REDACT_NIBBLES_H
#define REDACT_NIBBLES_H

#include "redact/lanes.h"
#ifdef __SSE2__
#include <tmmintrin.h>
#endif

/* A bit for each set: a byte is in those that both its halves are in, which may be too many. */
struct nibbles {
	lanes low, high;
};

static inline void nibbles_add(struct nibbles *n, char c, unsigned set)
{
	n->low[c & 0x0f] |= (unsigned char)(1u << set);
	n->high[(unsigned char)c >> 4] |= (unsigned char)(1u << set);
}

#ifdef __SSE2__
/* Where the processor looks sixteen bytes up at once. */
__attribute__((target("ssse3"))) static inline lanes nibbles_of(const struct nibbles *n, lanes v)
{
	__m128i low = (__m128i)(v & 0x0f), high = (__m128i)(v >> 4);

	return (lanes)_mm_shuffle_epi8((__m128i)n->low, low) &
	       (lanes)_mm_shuffle_epi8((__m128i)n->high, high);
}
#endif

#endif
