/* SPDX-License-Identifier: Apache-2.0 */
#include "base/match.h"

#include "base/clock.h"
#include "base/own.h"
#include "tap.h"

static enum match_result full(const char *pattern, const char *text, size_t len)
{
	struct error err = {0};
	struct match *m = match_new(pattern, &err);
	enum match_result r;

	if (!m) {
		printf("# %s: %s\n", pattern, err.text);
		tap_failures++;
		return MATCH_GAVE_UP;
	}
	r = match_full(m, text, len);
	match_free(m);
	return r;
}

static enum match_result part(const char *pattern, const char *text)
{
	struct error err = {0};
	struct match *m = match_new(pattern, &err);
	enum match_result r = m ? match_part(m, text, strlen(text)) : MATCH_GAVE_UP;

	match_free(m);
	return r;
}

static bool refused_for(const char *pattern, const char *word)
{
	struct error err = {0};
	struct match *m = match_new(pattern, &err);

	match_free(m);
	return !m && err.kind == ERR_CALLER && strstr(err.text, word);
}

struct row {
	const char *pattern, *text;
	enum match_result want;
};

TEST(a_full_match_is_the_whole_text)
{
	static const struct row rows[] = {
		{"abc", "abc", MATCH_YES},
		{"abc", "abcd", MATCH_NO},
		{"abc", "xabc", MATCH_NO},
		{"abc", "abc\n", MATCH_NO},
		{"abc$", "abc\n", MATCH_NO},
		{"^abc$", "abc", MATCH_YES},
		{"(?m)^abc$", "abc\nrm", MATCH_NO},
		{"a|b", "a", MATCH_YES},
		{"a|b", "b", MATCH_YES},
		{"a|b", "ab", MATCH_NO},   /* not ^a|b$ */
		{"a|ab", "ab", MATCH_YES}, /* the second way is tried as well */
		{"a|b", "xb", MATCH_NO},
		{"", "", MATCH_YES},
		{"", "a", MATCH_NO},
		{".*", "a\nb", MATCH_NO},
		{".*", "a\rb", MATCH_NO},
		{".*",
		 "a\xe2\x80\xa8"
		 "b",
		 MATCH_NO},
		{"(?s).*", "a\nb", MATCH_YES},
		{"a\\Kb", "ab", MATCH_NO}, /* the match begins at b */
		{"ab(?=c)", "abc", MATCH_NO},
		{"(?C1)a", "a", MATCH_YES},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum match_result r = full(rows[i].pattern, rows[i].text, strlen(rows[i].text));

		if (r != rows[i].want)
			printf("# %s on %s: %d\n", rows[i].pattern, rows[i].text, (int)r);
		CHECK(r == rows[i].want);
	}
	CHECK(refused_for("a) (?:b", "character 2"));
	CHECK(full("ab", "ab\0c", 4) == MATCH_NO);
}

TEST(characters_are_not_bytes_and_classes_are_ascii)
{
	CHECK(full(".", "\xc3\xa9", 2) == MATCH_YES);
	CHECK(full("..", "\xc3\xa9", 2) == MATCH_NO);
	CHECK(full("\\w", "\xc3\xa9", 2) == MATCH_NO);
	CHECK(full("\\p{L}", "\xc3\xa9", 2) == MATCH_YES);
	CHECK(full("\\d", "\xd9\xa3", 2) == MATCH_NO); /* ARABIC-INDIC DIGIT THREE */
	CHECK(full("[[:alpha:]]", "\xc3\xa9", 2) == MATCH_NO);
	CHECK(full("\\s", "\xc2\xa0", 2) == MATCH_NO);
}

TEST(text_that_is_not_utf8_is_given_up)
{
	CHECK(full(".*", "\xff", 1) == MATCH_GAVE_UP);
	CHECK(full(".*", "\xc3", 1) == MATCH_GAVE_UP);
	CHECK(full(".*", "\xed\xa0\x80", 3) == MATCH_GAVE_UP);
}

TEST(a_part_is_enough_where_that_is_asked_for)
{
	CHECK(part("b+", "abba") == MATCH_YES);
	CHECK(part("^b", "ab") == MATCH_NO);
	CHECK(part("a$", "a\n") == MATCH_NO);
	CHECK(part("", "") == MATCH_YES);
}

TEST(verbs_are_refused_wherever_they_stand)
{
	CHECK(refused_for("(*UTF)a", "character 1"));
	CHECK(refused_for("(*LIMIT_MATCH=9)a", "verbs"));
	CHECK(refused_for("(*ACCEPT)a", "verbs"));
	CHECK(refused_for("(*NO_JIT)(*UCP)a", "verbs"));
	CHECK(refused_for("a(*ACCEPT)b", "character 2"));
	CHECK(refused_for("[]a](*F)", "verbs"));
	CHECK(refused_for("[^]a](*F)", "verbs"));
	CHECK(refused_for("[[:alpha:]](*F)", "verbs"));
	CHECK(refused_for("\\Qx\\E(*F)", "verbs"));
	CHECK(refused_for("\\[(*F)", "verbs"));
	CHECK(refused_for("\\C", "character"));
	CHECK(full("[(*]+", "(*", 2) == MATCH_YES);
	CHECK(full("\\(\\*", "(*", 2) == MATCH_YES);
	CHECK(full("\\Q(*\\E", "(*", 2) == MATCH_YES);
	CHECK(full("[](*]+", "](*", 3) == MATCH_YES);
}

TEST(what_is_no_pattern_is_refused_with_its_place)
{
	CHECK(refused_for("a(b", "character 4"));
	CHECK(refused_for("[z-a]", "character"));
	CHECK(refused_for("\xff", "UTF-8"));
	CHECK(refused_for("((((a{1000}){1000}){1000}){1000})", "too large"));
}

TEST(a_very_long_pattern_is_refused)
{
	char pattern[5001];

	memset(pattern, 'a', sizeof(pattern) - 1);
	pattern[sizeof(pattern) - 1] = '\0';
	CHECK(refused_for(pattern, "longer than"));
	pattern[4096] = '\0';
	CHECK(!refused_for(pattern, "longer than"));
}

TEST(a_pattern_that_tries_for_ever_is_given_up_soon)
{
	static const char *const patterns[] = {"(a+)+[bc]", "(a|a)*[bc]", "(a|aa)+[bc]",
					       "(.*)*(.*)*[xy]", "(?:(?:a?){30}){30}[bc]"};
	char text[2001];
	uint64_t before = clock_us();

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		enum match_result r = full(patterns[i], text, strlen(text));

		CHECK(r != MATCH_YES);
	}
	CHECK(full("(a+)+[bc]", text, strlen(text)) == MATCH_GAVE_UP);
	CHECK(clock_us() - before < 5000000); /* sanitizers and a busy host */
	printf("# %llu us\n", (unsigned long long)(clock_us() - before));
}

TEST(ordinary_patterns_take_the_longest_string_that_is_judged)
{
	static char text[65536];

	memset(text, 'a', sizeof(text));
	CHECK(full("[\\w .,-]+", text, sizeof(text)) == MATCH_YES);
	CHECK(full("(a|b)*", text, sizeof(text)) == MATCH_YES);
	CHECK(full("(?:\\w+ ?)*", text, sizeof(text)) == MATCH_YES);
}
