/* SPDX-License-Identifier: Apache-2.0 */
/* redact_fuzz.c - any text through the redactor: no planted secret survives, what comes out does
 * not depend on how the text was cut, and is UTF-8 that a terminal does not obey; what is innocent
 * comes through as it is. */
#include "fuzz.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "redact/innocent.h"
#include "redact/redact.h"

static const char token[] = "ghp_"
			    "Zq8Lw2Nv5Xt1Rb7Kc3Md9Pf4Hs6Jg0Ty2Ue5";
static const char value[] = "kn0wn value\nwith a line";
static const char value_base64[] = "a24wd24gdmFsdWUKd2l0aCBhIGxpbm";

static struct redact_set *the_set(void)
{
	static struct redact_set *set;
	static const struct redact_known known = {"K", value, sizeof(value) - 1, true};
	const struct redact_config config = {.groups = REDACT_ALL, .known = &known, .n_known = 1};
	struct error err = {0};

	if (!set)
		set = redact_set_new(&config, &err);
	assert(set);
	return set;
}

static void keep(void *context, const char *data, size_t len)
{
	struct error err = {0};
	int added = buf_add(context, data, len, &err);

	assert(added == 0);
}

/* The first byte of the rest says where the next cut is. */
static void clean(const char *text, size_t len, unsigned seed, struct buf *ret)
{
	struct error err = {0};
	struct redactor *r = redactor_new(the_set(), keep, ret, &err);

	assert(r);
	buf_init(ret, (size_t)1 << 28);
	while (len > 0) {
		size_t piece = len;

		if (seed) {
			seed = seed * 1103515245u + 12345u;
			piece = 1 + (seed >> 16) % (seed & 0x1000 ? 7 : 5000);
			piece = piece < len ? piece : len;
		}
		redactor_feed(r, text, piece);
		text += piece;
		len -= piece;
	}
	redactor_finish(r);
	redactor_free(r);
}

static void check_plain(const struct buf *out)
{
	assert(text_is_utf8(buf_str(out), out->len));
	for (size_t i = 0; i < out->len; i++) {
		unsigned char c = (unsigned char)out->data[i];

		assert(c >= 0x20 || c == '\n' || c == '\t');
		assert(c != 0x7f);
	}
}

/* The text, a secret in its middle, and the rest of the text; between them a blank, so that it is
 * a secret and not a part of something else. */
static void check_planted(const char *text, size_t len, const char *secret, unsigned seed)
{
	size_t n = strlen(secret), half = len / 2;
	char *all = malloc(len + n + 8);
	struct buf out = {0};

	assert(all);
	memcpy(all, text, half);
	memcpy(all + half, "\x18\n", 2); /* ends what a terminal may be in the middle of */
	memcpy(all + half + 2, secret, n);
	all[half + 2 + n] = '\n';
	memcpy(all + half + 3 + n, text + half, len - half);
	clean(all, len + n + 3, seed, &out);
	assert(!strstr(buf_str(&out), secret));
	buf_done(&out);
	free(all);
}

/* What is innocent has nothing in it. */
static void check_innocent(const char *text, size_t len)
{
	static struct redact_set *set;
	const struct redact_config config = {.groups = REDACT_STANDARD};
	struct error err = {0};
	size_t clean_len = 0;
	char *clean_text;

	if (!redact_innocent(text, len))
		return;
	if (!set)
		set = redact_set_new(&config, &err);
	assert(set);
	clean_text = redact_text(set, text, len, &clean_len, &err);
	assert(clean_text && clean_len == len && memcmp(clean_text, text, len) == 0);
	free(clean_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	unsigned seed = size ? data[size - 1] + 1u : 1;
	struct buf whole = {0}, cut = {0};

	clean(text, size, 0, &whole);
	clean(text, size, seed, &cut);
	assert(whole.len == cut.len && memcmp(buf_str(&whole), buf_str(&cut), cut.len) == 0);
	check_plain(&whole);
	check_innocent(text, size);
	/* A token that is the end of a longer word is none; then it is there before we plant it. */
	if (!strstr(buf_str(&whole), token))
		check_planted(text, size, token, seed);
	check_planted(text, size, value, seed);
	check_planted(text, size, value_base64, seed);
	buf_done(&whole);
	buf_done(&cut);
	return 0;
}
