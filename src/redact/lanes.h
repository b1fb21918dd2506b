/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h - sixteen bytes at a time: what is true of which of them, as bits. */
#ifndef REDACT_LANES_H
#define REDACT_LANES_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LANES = 16 };

typedef unsigned char lanes __attribute__((vector_size(LANES)));

static inline lanes lanes_load(const char *text)
{
	lanes v;

	memcpy(&v, text, sizeof(v));
	return v;
}

/* Of a comparison, which says 0xff where it is true: one bit for each byte, the first one lowest.
 */
static inline uint32_t lanes_bits(lanes v)
{
#ifdef __SSE2__
	return (uint32_t)_mm_movemask_epi8((__m128i)v);
#else
	uint64_t half[2];

	memcpy(half, &v, sizeof(half));
	for (int i = 0; i < 2; i++) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		half[i] = __builtin_bswap64(half[i]);
#endif
		half[i] = (half[i] & 0x0101010101010101u) * 0x0102040810204080u >> 56;
	}
	return (uint32_t)(half[0] | half[1] << 8);
#endif
}

#endif
