/* SPDX-License-Identifier: Apache-2.0 */
#include "base/glob.h"

#include <fnmatch.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/own.h"
#include "tap.h"

static bool refused_for(const char *pattern, const char *word)
{
	struct error err = {0};

	return glob_check(pattern, &err) < 0 && err.kind == ERR_CALLER && strstr(err.text, word);
}

TEST(a_star_stays_in_its_directory)
{
	CHECK(glob_match("*", "a"));
	CHECK(glob_match("*.txt", "a.txt"));
	CHECK(glob_match("*.txt", ".txt"));
	CHECK(!glob_match("*.txt", "sub/a.txt"));
	CHECK(glob_match("sub/*.txt", "sub/a.txt"));
	CHECK(!glob_match("sub/*.txt", "sub/deep/a.txt"));
	CHECK(glob_match("a*b*c", "a-b-b-c"));
	CHECK(!glob_match("a*b*c", "a-b-b-"));
	CHECK(glob_match("*", ""));
}

TEST(two_stars_cross_directories)
{
	CHECK(glob_match("**", "a"));
	CHECK(glob_match("**", "a/b/c"));
	CHECK(glob_match("**/*.txt", "a.txt"));
	CHECK(glob_match("**/*.txt", "x/y/a.txt"));
	CHECK(glob_match("out/**", "out/a/b"));
	CHECK(!glob_match("out/**", "out"));
	CHECK(!glob_match("out/**", "outer/a"));
	CHECK(glob_match("a/**/z", "a/z"));
	CHECK(glob_match("a/**/z", "a/b/c/z"));
	CHECK(!glob_match("a/**/z", "a/bz"));
	CHECK(!glob_match("**/z", "az"));
	CHECK(glob_match("a**z", "a/b/z"));
	CHECK(glob_match("**/**/z", "z"));
	CHECK(glob_match("***", "a/b"));
}

TEST(a_question_mark_is_one_byte)
{
	CHECK(glob_match("?", "a"));
	CHECK(glob_match("?", "\xff"));
	CHECK(!glob_match("?", ""));
	CHECK(!glob_match("?", "ab"));
	CHECK(!glob_match("a?b", "a/b"));
}

TEST(sets_have_ranges_and_negation)
{
	CHECK(glob_match("[a-c]x", "bx"));
	CHECK(!glob_match("[a-c]x", "dx"));
	CHECK(glob_match("[!a-c]x", "dx"));
	CHECK(!glob_match("[!a-c]x", "ax"));
	CHECK(glob_match("[^a]", "b"));
	CHECK(glob_match("[]]", "]"));
	CHECK(glob_match("[!]]", "a"));
	CHECK(!glob_match("[!]]", "]"));
	CHECK(glob_match("[a-]", "-"));
	CHECK(glob_match("[\\]-a]", "_"));
	CHECK(glob_match("[\x80-\xff]", "\xc3"));
	CHECK(!glob_match("a[!b]c", "a/c"));
	CHECK(!glob_match("a[.-0]c", "a/c"));
}

TEST(a_backslash_takes_the_next_byte_as_it_is)
{
	CHECK(glob_match("\\*", "*"));
	CHECK(!glob_match("\\*", "a"));
	CHECK(glob_match("a\\[b", "a[b"));
	CHECK(glob_match("\\\\", "\\"));
}

TEST(names_are_bytes)
{
	CHECK(glob_match("*", "line\nbreak"));
	CHECK(glob_match("a\xff*", "a\xff\xfe"));
	CHECK(glob_match("-*", "-rf"));
	CHECK(glob_match("*", ".hidden"));
}

TEST(broken_patterns_are_refused_and_match_nothing)
{
	static const struct {
		const char *pattern, *word;
	} bad[] = {
		{"", "empty"},       {"/etc/*", "empty"},    {"a//b", "empty"},
		{"a/", "empty"},     {"../*", "no name"},    {"a/./b", "no name"},
		{"a/..", "no name"}, {"[a", "closed"},       {"[", "closed"},
		{"[]", "closed"},    {"[a-", "closed"},      {"a\\", "backslash"},
		{"[a\\", "closed"},  {"[z-a]", "backwards"}, {"[!", "closed"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK(refused_for(bad[i].pattern, bad[i].word));
		CHECK(!glob_match(bad[i].pattern, "a"));
	}
}

TEST(the_longest_pattern_is_1024_bytes)
{
	char pattern[GLOB_MAX + 2];
	struct error err;

	memset(pattern, 'a', sizeof(pattern));
	pattern[GLOB_MAX + 1] = '\0';
	CHECK(refused_for(pattern, "longer"));
	CHECK(!glob_match(pattern, pattern));
	pattern[GLOB_MAX] = '\0';
	CHECK(glob_check(pattern, &err) == 0);
	CHECK(glob_match(pattern, pattern));
}

TEST(directories_that_cannot_hold_a_match_are_known)
{
	CHECK(glob_may_enter("*.txt", ""));
	CHECK(!glob_may_enter("*.txt", "sub"));
	CHECK(glob_may_enter("sub/*.txt", "sub"));
	CHECK(!glob_may_enter("sub/*.txt", "bus"));
	CHECK(!glob_may_enter("sub/*.txt", "sub/deep"));
	CHECK(glob_may_enter("**/a", "x/y/z"));
	CHECK(glob_may_enter("s*/**", "sub/deep"));
	CHECK(!glob_may_enter("s*/**", "tub"));
	CHECK(!glob_may_enter("[", ""));
}

TEST(patterns_made_to_blow_up_do_not)
{
	char pattern[GLOB_MAX + 1], path[4096];
	uint64_t before = clock_us();

	for (size_t i = 0; i + 1 < GLOB_MAX; i += 2)
		memcpy(pattern + i, "a*", 2);
	pattern[GLOB_MAX] = '\0';
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	path[sizeof(path) - 2] = 'b';
	pattern[GLOB_MAX - 1] = 'c';
	CHECK(!glob_match(pattern, path));
	for (size_t i = 0; i < 510; i += 3)
		memcpy(pattern + i, "**a", 4);
	CHECK(!glob_match(pattern, path));
	CHECK(clock_us() - before < 5000000); /* a backtracking matcher takes years */
}

/* The C library's matcher knows stars and question marks, too: all short patterns must agree. */
TEST(stars_and_question_marks_agree_with_fnmatch)
{
	static const char alphabet[] = {'a', 'b', '/', '*', '?'};
	unsigned long compared = 0, different = 0;

	for (unsigned p = 0; p < 3125; p++) {
		char pattern[6] = {0};
		unsigned rest = p;

		for (int i = 0; i < 5; i++, rest /= 5)
			pattern[i] = alphabet[rest % 5];
		if (strstr(pattern, "**"))
			continue;
		for (unsigned t = 0; t < 243; t++) {
			char path[6] = {0};
			unsigned left = t;

			for (int i = 0; i < 5; i++, left /= 3)
				path[i] = alphabet[left % 3];
			compared++;
			if (glob_match(pattern, path) ==
			    (fnmatch(pattern, path, FNM_PATHNAME | FNM_NOESCAPE) == 0))
				continue;
			printf("# %s against %s\n", pattern, path);
			different++;
		}
	}
	CHECK(compared > 400000 && different == 0);
}
