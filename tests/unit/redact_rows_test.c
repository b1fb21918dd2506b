/* SPDX-License-Identifier: Apache-2.0 */
/* redact_rows_test.c - secrets that begin in each other, in lines that are longer than a window.
 *
 * Such a row has no place where a window could end without cutting one in two.  One that is longer
 * than a window is a secret without an end: it goes on to the next blank or quote.
 */
#include "base/own.h"
#include "pattern_sample.h"
#include "redacting.h"
#include "tap.h"

enum {
	WINDOW = 128 << 10,
	PART = 112 << 10, /* of it, that goes out */
	ROW = 340 << 10,
	ROOM = ROW + 4096,
};

static const char secret[] = "ghp_"
			     "abcdefghijklmnopqrstuvwxyz0123456789";

struct text {
	struct sample draw;
	char data[ROOM];
	size_t len;
};

static void put(struct text *t, const char *word)
{
	size_t len = strlen(word);

	assert(t->len + len < ROOM);
	memcpy(t->data + t->len, word, len + 1);
	t->len += len;
}

/* Up to text[end], of some words at random. */
static void put_row(struct text *t, size_t end, size_t some)
{
	static const char *const words[] = {"AIza-",  "CFPAT-", "GOCSPX-",
					    "fio-u-", "EZAK-",  "sid="};

	assert(end < ROOM);
	while (t->len < end)
		put(t, words[sample_below(&t->draw, some)]);
	t->len = end;
	t->data[end] = '\0';
}

static size_t any_size(void *context)
{
	return 1 + sample_below(context, sample_below(context, 3) ? 50 : 90000);
}

static bool is_same(struct redact_set *set, const struct text *t, const struct buf *whole,
		    size_t (*next)(void *), void *context)
{
	struct buf out = {0};
	bool same;

	redacting_pieces(set, t->data, t->len, next, context, &out);
	same = out.len == whole->len && memcmp(buf_str(&out), buf_str(whole), out.len) == 0;
	buf_done(&out);
	return same;
}

static void check_chunkings(struct redact_set *set, struct text *t)
{
	static const size_t sizes[] = {1, 7, 4096, 65536};
	struct sample draw = {.seed = 7};
	struct buf whole = {0};

	redacting_pieces(set, t->data, t->len, redacting_same, &t->len, &whole);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		CHECK(is_same(set, t, &whole, redacting_same, (void *)&sizes[i]));
	for (size_t i = 0; i < 4; i++)
		CHECK(is_same(set, t, &whole, any_size, &draw));
	buf_done(&whole);
}

TEST(rows_of_many_rules_become_the_same_however_they_are_cut)
{
	static const char *const stops[] = {" ", "\"", "\n", "' ", ", "};
	static struct text t;
	struct redact_set *set = redacting_set(REDACT_STANDARD);

	for (size_t seed = 0; seed < 12; seed++) {
		t = (struct text){.draw.seed = seed};
		while (t.len + WINDOW < ROW) {
			put_row(&t, t.len + 1 + sample_below(&t.draw, WINDOW), 2 + seed % 5);
			put(&t, stops[sample_below(&t.draw, ARRAY_LEN(stops))]);
		}
		put_row(&t, ROW, 2 + seed % 5);
		check_chunkings(set, &t);
	}
	redact_set_free(set);
}

TEST(a_row_that_is_longer_than_a_window_goes_on_to_a_blank)
{
	static struct text t;
	struct redact_set *set = redacting_set(REDACT_STANDARD);

	for (size_t some = 1; some <= 2; some++) {
		own_str got = NULL;

		t = (struct text){.draw.seed = some};
		put(&t, "see AIza-");
		put_row(&t, ROW, some);
		put(&t, " behind, ");
		put(&t, secret);
		put(&t, " and more\n");
		got = redacting_text(set, t.data);
		CHECK_STR(got, "see [REDACTED:gcp-api-key] behind, [REDACTED:github-token] and "
			       "more\n");
	}
	redact_set_free(set);
}

/* A secret in a row, or right behind it, at every place where a window or what it lets out ends. */
static void check_planted(struct redact_set *set, size_t border, const char *before,
			  const char *behind)
{
	static struct text t;

	for (size_t at = border - sizeof(secret) - 2; at < border + 4; at++) {
		own_str got = NULL;

		t = (struct text){.draw.seed = at};
		put_row(&t, at, 2 + at % 4);
		put(&t, before);
		put(&t, secret);
		put(&t, behind);
		put_row(&t, border + WINDOW / 2 + at % 3 * 20000, 2 + at % 4);
		got = redacting_text(set, t.data);
		CHECK(!strstr(got, "ghp_") && !strstr(got, "bcdef") && !strstr(got, "56789"));
	}
}

TEST(no_secret_in_a_row_or_behind_it_is_cut_in_two)
{
	static const char *const around[][2] = {
		{"-", "-"}, {" ", "-"}, {"-", " "}, {" ", " "}, {"\"", "\""}, {" x=\"", "\" "},
	};
	static const size_t borders[] = {PART, WINDOW};
	struct redact_set *set = redacting_set(REDACT_STANDARD);

	for (size_t i = 0; i < ARRAY_LEN(around); i++)
		for (size_t b = 0; b < ARRAY_LEN(borders); b++)
			check_planted(set, borders[b], around[i][0], around[i][1]);
	redact_set_free(set);
}

/* At the end of a value a dot is no part of it: it is if the value goes on in the next window. */
TEST(a_value_goes_on_behind_a_window_that_ends_with_a_dot)
{
	static const char *const ends[] = {"", ".", "...", ":", "!?"};
	static struct text t;
	struct redact_set *set = redacting_set(REDACT_STANDARD);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		own_str got = NULL;

		t = (struct text){.len = 0};
		put(&t, "see token=");
		while (t.len + strlen(ends[i]) < WINDOW)
			put(&t, (const char[]){"a8Kq3ZmX0v"[t.len % 10], '\0'});
		put(&t, ends[i]);
		while (t.len < 2 * WINDOW)
			put(&t, "a8Kq3ZmX0v");
		put(&t, " behind\n");
		got = redacting_text(set, t.data);
		CHECK_STR(got, "see token=[REDACTED:secret-assignment] behind\n");
	}
	redact_set_free(set);
}
