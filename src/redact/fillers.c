/* SPDX-License-Identifier: Apache-2.0 */
/* fillers.c - words in a value that say that it is none: "example", "process.env", "://".
 *
 * Two letters tell most places that have none.  They are compared for sixteen places at once, from
 * the end on: the last one tells about all values that begin before it.
 */
#include "redact/fillers.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "redact/lanes.h"
#include "redact/redact_rule.h"

/* A word of check_fillers[], or "://", begins at text[0]; returns its length.  room: bytes that are
 * there. */
static size_t filler_len(const char *text, size_t room)
{
	if (room >= 3 && memcmp(text, "://", 3) == 0)
		return 3;
	for (size_t f = 0; check_fillers[f]; f++) {
		const char *word = check_fillers[f];
		size_t len;

		if ((text[0] | 0x20) != (word[0] | 0x20))
			continue;
		len = strlen(word);
		if (room >= len && strncasecmp(text, word, len) == 0)
			return len;
	}
	return 0;
}

/* At which of sixteen bytes one may begin, by it and the next: a test compares. */
static inline uint32_t may_begin(lanes v, lanes next)
{
	lanes x = v | 0x20, y = next | 0x20, e = (lanes)(y == 'e'), n = (lanes)(y == 'n');

	return lanes_bits(((lanes)(x == 'c') & ((lanes)(y == 'h') | (lanes)(y == 'o'))) |
			  ((lanes)(x == 'e') & (n | (lanes)(y == 'x'))) |
			  ((lanes)(x == 'l') & (lanes)(y == 'a')) |
			  ((lanes)(x == 'p') & ((lanes)(y == 'l') | (lanes)(y == 'r'))) |
			  (((lanes)(x == 'r') | (lanes)(x == 's')) & e) | ((lanes)(x == 'u') & n) |
			  ((lanes)(x == '-') & (lanes)(y == '>')) |
			  ((lanes)(x == ':') & (lanes)(y == '/')));
}

static inline uint32_t places_in(const char *text, size_t from, size_t to)
{
	char few[LANES + 1] = {0};

	if (to - from > LANES)
		return may_begin(lanes_load(text + to - LANES - 1), lanes_load(text + to - LANES));
	/* As if it were the end of sixteen and one. */
	memcpy(few + LANES + 1 - (to - from), text + from, to - from);
	return may_begin(lanes_load(few), lanes_load(few + 1));
}

struct filler fillers_last(const char *text, size_t from, size_t to)
{
	/* Of each sixteen one byte more is read, which is the first of the last sixteen. */
	for (size_t end = to; end - from > 1;) {
		for (uint32_t some = places_in(text, from, end); some;) {
			unsigned bit = 31 - (unsigned)__builtin_clz(some);
			size_t at = end + bit - LANES - 1, len = filler_len(text + at, to - at);

			if (len)
				return (struct filler){at, at + len};
			some &= ~(1u << bit);
		}
		end = end - from > LANES ? end - LANES : from;
	}
	return (struct filler){0};
}
