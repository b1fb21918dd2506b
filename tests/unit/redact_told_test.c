/* SPDX-License-Identifier: Apache-2.0 */
/* redact_told_test.c - what was told of a name before a sign is told of the same name only. */
#include "base/own.h"
#include "pattern_sample.h"
#include "redact/signname.h"
#include "tap.h"

enum { TEXTS = 12000, NAMES = 4, SIGNS = 16, NAME = 64, ROOM = 2048 };

/* Parts of names, joints, and what may stand before a name or between it and its sign. */
static size_t draw_name(struct sample *draw, char *ret)
{
	static const char *const parts[] = {
		"key", "token", "secret", "credential", "api", "private", "pass", "word", "wd",
		"pwd", "_",     "-",      "__",         "k",   "e",       "y",    "en",   "al",
		"t",   "2",     "ts",     "shpss_",     ".",   " ",       "\"",   ":",    "=",
	};
	size_t len = 0;

	for (size_t n = 1 + sample_below(draw, 5); n > 0; n--) {
		const char *part = parts[sample_below(draw, ARRAY_LEN(parts))];

		for (; *part; part++)
			ret[len++] = (char)(sample_below(draw, 40) ? *part : *part & ~0x20);
	}
	ret[len++] = '=';
	return len;
}

/* A few names, again and again, each before a sign. */
static size_t draw_text(struct sample *draw, char *ret)
{
	char names[NAMES][NAME];
	size_t lens[NAMES], len = 0;

	for (size_t i = 0; i < NAMES; i++)
		lens[i] = draw_name(draw, names[i]);
	for (size_t i = 0; i < SIGNS; i++) {
		size_t one = sample_below(draw, NAMES);

		memcpy(ret + len, names[one], lens[one]);
		len += lens[one];
	}
	return len;
}

static unsigned what_is(const char *text, size_t sign)
{
	unsigned what = signname_maybe_secret(text, sign) ? SIGNNAME_SECRET : SIGNNAME_NO_SECRET;

	if (!signname_near_password(text, sign - (text[sign - 1] == ':')))
		what |= SIGNNAME_NO_PASSWORD;
	return what;
}

TEST(what_was_told_of_a_name_is_true_of_the_same_name)
{
	struct sample draw = {.seed = 22};
	size_t wrong = 0, known = 0;

	for (size_t i = 0; i < TEXTS; i++) {
		struct signname_told told[SIGNNAME_TOLD] = {0};
		char text[ROOM];
		size_t len = draw_text(&draw, text);

		for (size_t sign = LANES; sign < len; sign++) {
			unsigned now = signname_what(told, text, sign);

			if (text[sign] != '=')
				continue;
			known += now != 0;
			wrong += (now & ~what_is(text, sign)) != 0;
			signname_tell(told, text, sign, what_is(text, sign));
		}
	}
	CHECK(wrong == 0);
	CHECK(known > TEXTS);
}
