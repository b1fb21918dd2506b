/* SPDX-License-Identifier: Apache-2.0 */
/* valuebits.h - how many bits per byte a value has: 0 for "aaaa", 4 for random hex digits. */
#ifndef REDACT_VALUEBITS_H
#define REDACT_VALUEBITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { VALUEBITS_MOST = 128 }; /* bytes that are counted */

/* Zeroed: no bytes. */
struct valuebits {
	uint8_t of[256];
	uint32_t order; /* the sum of n log2 n over them */
};

/* What one more of a byte of which there are n adds to that sum. */
extern const uint16_t valuebits_growth[VALUEBITS_MOST];

/* One more of a byte, or one less: returns what that adds to the sum, or takes from it.  Whoever
 * counts many adds that up first: a sum in memory would be read again behind every count. */
static inline uint32_t valuebits_add(struct valuebits *b, unsigned char c)
{
	return valuebits_growth[b->of[c]++];
}

static inline uint32_t valuebits_drop(struct valuebits *b, unsigned char c)
{
	return valuebits_growth[--b->of[c]];
}

/* Have these len bytes fewer, or more, than so many tenths of a bit each?  Both false: it is too
 * close to tell. */
bool valuebits_less(const struct valuebits *b, size_t len, uint32_t tenths);
bool valuebits_more(const struct valuebits *b, size_t len, uint32_t tenths);
/* The same as the first, of any len bytes of which so many are the same. */
bool valuebits_same_less(size_t same, size_t len, uint32_t tenths);

#endif
