/* SPDX-License-Identifier: Apache-2.0 */
/* pagediff.h - what differs between a page and another, written down, and put back.
 *
 * A note is numbers of 32 bits: the page's address in two, how many runs there
 * are, and of each run where in the page it begins and how long it is (16 bits
 * each, in numbers), and then the run itself.
 *
 * For processes that let go of their memory while they sleep: part of this runs
 * where there is no C library and nothing else may be written.  So everything is
 * inline, and no call can be made of it.
 */
#ifndef BASE_PAGEDIFF_H
#define BASE_PAGEDIFF_H

#include <stdint.h>

/* No call to memcpy() or memset() may be made of a loop. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#define PAGEDIFF_INLINE static inline __attribute__((always_inline))

enum {
	PAGEDIFF_PAGE = 4096,
	PAGEDIFF_NUMBERS = PAGEDIFF_PAGE / sizeof(uint32_t),
	PAGEDIFF_HEAD = 3,
	/* The longest note: every other number differs, or all do. */
	PAGEDIFF_MOST = PAGEDIFF_HEAD + PAGEDIFF_NUMBERS + PAGEDIFF_NUMBERS / 2,
};

/* as: NULL for zeros.  There must be room for PAGEDIFF_MOST numbers.  Returns what is behind the
 * note; that is to itself if nothing differs. */
PAGEDIFF_INLINE uint32_t *pagediff_note(uint32_t *to, uint64_t page, const uint32_t *as)
{
	const uint32_t *mine = (const uint32_t *)(uintptr_t)page;
	uint32_t *note = to, runs = 0;

	to += PAGEDIFF_HEAD;
	for (uint32_t i = 0; i < PAGEDIFF_NUMBERS; i++) {
		uint32_t first = i, *head = to;

		while (i < PAGEDIFF_NUMBERS && mine[i] != (as ? as[i] : 0))
			*++to = mine[i++];
		if (i == first)
			continue;
		*head = first | (i - first) << 16;
		to++;
		runs++;
	}
	if (runs == 0)
		return note;
	note[0] = (uint32_t)page;
	note[1] = (uint32_t)(page >> 32);
	note[2] = runs;
	return to;
}

/* All notes from at to end. */
PAGEDIFF_INLINE void pagediff_put_back(const uint32_t *at, const uint32_t *end)
{
	while (at < end) {
		volatile uint32_t *page = (uint32_t *)(uintptr_t)(at[0] | (uint64_t)at[1] << 32);
		uint32_t runs = at[2];

		for (at += PAGEDIFF_HEAD; runs > 0; runs--) {
			uint32_t first = *at & 0xffff, n = *at >> 16;

			for (at++; n > 0; n--)
				page[first++] = *at++;
		}
	}
}

#endif
