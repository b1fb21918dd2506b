/* SPDX-License-Identifier: Apache-2.0 */
/* redact_blocks_test.c - what many bytes tell at once is what they tell one after the other. */
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "pattern_sample.h"
#include "redact/fillers.h"
#include "redact/redact_rule.h"
#include "redact/signblock.h"
#include "tap.h"

enum { TEXTS = 60000, ROOM = 256 };

/* The last filler, by comparing every word at every place. */
static struct filler last_one(const char *text, size_t from, size_t to)
{
	for (size_t i = to; i-- > from;) {
		if (to - i >= 3 && memcmp(text + i, "://", 3) == 0)
			return (struct filler){i, i + 3};
		for (size_t f = 0; check_fillers[f]; f++) {
			size_t len = strlen(check_fillers[f]);

			if (to - i >= len && strncasecmp(text + i, check_fillers[f], len) == 0)
				return (struct filler){i, i + len};
		}
	}
	return (struct filler){0};
}

/* Fillers, parts of them, and letters, in capitals now and then. */
static size_t draw_text(struct sample *draw, char text[static ROOM])
{
	size_t len = 0, want = 2 + sample_below(draw, 90), words = 0;

	for (; check_fillers[words]; words++)
		assert(strlen(check_fillers[words]) <= FILLERS_MOST);
	while (len < want) {
		const char *word = check_fillers[sample_below(draw, words)];
		size_t n = sample_below(draw, strlen(word) + 1);

		switch (sample_below(draw, 16)) {
		case 0:
			n = strlen(word);
			break;
		case 1:
			word = "://";
			n = 3;
			break;
		default:
			word = sample_below(draw, 2) ? &"ceprsul-:"[sample_below(draw, 8)] : word;
			n = n < strlen(word) ? n : strlen(word);
			break;
		}
		memcpy(text + len, word, n);
		if (n > 0 && sample_below(draw, 4) == 0)
			text[len] = (char)(text[len] >= 'a' ? text[len] - 0x20 : text[len]);
		len += n;
	}
	return len;
}

TEST(the_last_filler_is_found_wherever_it_is)
{
	struct sample draw = {.seed = 5};
	size_t found = 0, none = 0, wrong = 0;

	for (size_t n = 0; n < TEXTS; n++) {
		char text[ROOM];
		size_t len = draw_text(&draw, text), from = sample_below(&draw, len - 1);
		struct filler is = fillers_last(text, from, len);
		struct filler should = last_one(text, from, len);

		found += should.end > 0;
		none += should.end == 0;
		wrong += is.begin != should.begin || is.end != should.end;
	}
	CHECK(wrong == 0);
	CHECK(found > TEXTS / 10 && none > TEXTS / 10);
}

static uint64_t draw_bits(struct sample *draw)
{
	uint64_t bits = sample_random(draw) << 32 ^ sample_random(draw);

	/* Long runs now and then, and few bits. */
	switch (sample_below(draw, 3)) {
	case 0:
		return bits;
	case 1:
		return bits | bits << 1 | bits << 2 | bits << 3;
	default:
		return bits & (sample_random(draw) << 32 ^ sample_random(draw));
	}
}

TEST(runs_have_what_is_behind_them)
{
	struct sample draw = {.seed = 6};
	size_t wrong = 0;

	for (size_t n = 0; n < TEXTS; n++) {
		uint64_t runs = draw_bits(&draw), some = draw_bits(&draw),
			 is = runs_up_to(runs, some);

		for (unsigned i = 0; i < SIGNBLOCK; i++) {
			unsigned at = i;

			while (at < SIGNBLOCK - 1 && runs >> at & 1 && !(some >> at & 1))
				at++;
			wrong += (is >> i & 1) !=
				 ((runs >> at & 1) && (at == SIGNBLOCK - 1 || (some >> at & 1)));
		}
	}
	CHECK(wrong == 0);
}

TEST(the_first_dot_of_an_address_is_one_wherever_it_stands)
{
	for (unsigned a = 1; a <= 3; a++)
		for (unsigned b = 1; b <= 3; b++)
			for (unsigned i = 0; i < SIGNBLOCK; i++) {
				uint64_t first = (uint64_t)1 << i, dots = first;

				if (i + a + 1 < SIGNBLOCK)
					dots |= (uint64_t)1 << (i + a + 1);
				if (i + a + b + 2 < SIGNBLOCK)
					dots |= (uint64_t)1 << (i + a + b + 2);
				CHECK(may_be_ipv4(dots) & first);
			}
	CHECK(may_be_ipv4(1 | 1 << 2) == 0);
	CHECK(may_be_ipv4(1 | 1 << 2 | 1 << 7) == 0);
}
