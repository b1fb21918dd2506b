/* SPDX-License-Identifier: Apache-2.0 */
/* memmove.c - moves few bytes fast.
 *
 * Parsers copy a dozen bytes at a time.  musl's own begins with "rep movs" whatever the length is,
 * which alone takes longer, and makes room in an array byte by byte.  Defined here, the names keep
 * musl's out.
 */
#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 16, FEW = 512 };

/* Anywhere, and whatever is there. */
typedef uint64_t __attribute__((may_alias, aligned(1))) eight;
typedef uint32_t __attribute__((may_alias, aligned(1))) four;
typedef uint16_t __attribute__((may_alias, aligned(1))) two;

/* The first and the last ones, which may overlap: all are read before one is written. */
#define MOVE_ENDS(type)                                                            \
	do {                                                                       \
		type first_ = *(const type *)(const void *)in;                     \
		type last_ = *(const type *)(const void *)(in + n - sizeof(type)); \
                                                                                   \
		*(type *)(void *)out = first_;                                     \
		*(type *)(void *)(out + n - sizeof(type)) = last_;                 \
	} while (0)

static inline __m128i lanes_at(const char *in)
{
	return _mm_loadu_si128((const __m128i *)(const void *)in);
}

static inline void put_lanes(char *out, __m128i lanes)
{
	_mm_storeu_si128((__m128i *)(void *)out, lanes);
}

static inline void move_few(char *out, const char *in, size_t n)
{
	if (n >= sizeof(eight))
		MOVE_ENDS(eight);
	else if (n >= sizeof(four))
		MOVE_ENDS(four);
	else if (n >= sizeof(two))
		MOVE_ENDS(two);
	else if (n)
		*out = *in;
}

/* What is read last is read first: the way there may have been over it. */
static inline void move_up(char *out, const char *in, size_t n)
{
	__m128i first = lanes_at(in);

	for (size_t left = n; left > LANES; left -= LANES)
		put_lanes(out + left - LANES, lanes_at(in + left - LANES));
	put_lanes(out, first);
}

static inline void move_down(char *out, const char *in, size_t n)
{
	__m128i last = lanes_at(in + n - LANES);

	for (size_t done = 0; done + LANES < n; done += LANES)
		put_lanes(out + done, lanes_at(in + done));
	put_lanes(out + n - LANES, last);
}

void *memmove(void *to, const void *from, size_t n)
{
	char *out = to;
	const char *in = from;

	if (n < LANES)
		move_few(out, in, n);
	else if ((uintptr_t)to - (uintptr_t)from < n)
		move_up(out, in, n);
	else if (n <= FEW)
		move_down(out, in, n);
	else
		__asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(n) : : "memory");
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
	__attribute__((alias("memmove")));
