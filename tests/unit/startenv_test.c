/* SPDX-License-Identifier: Apache-2.0 */
/* startenv_test.c - which environments make another interpreter of one that was started ahead. */
#include "sandbox/native/startenv.h"

#include <stdint.h>
#include <string.h>

#include "tap.h"

static const char *const begins[] = {"NODE_", "LANG", NULL};

static char why[80];

static bool same(const char *const *one, const char *const *other)
{
	why[0] = '\0';
	return startenv_same(begins, (char *const *)(uintptr_t)one, (char *const *)(uintptr_t)other,
			     why, sizeof(why));
}

TEST(variables_that_are_read_later_do_not_count)
{
	const char *one[] = {"HOME=/work", "LANG=C", NULL}, *other[] = {"LANG=C", "A=1", NULL};

	CHECK(same(one, other));
	CHECK(same(other, one));
}

TEST(a_variable_that_only_one_has_counts_both_ways)
{
	const char *one[] = {"LANG=C", NULL}, *other[] = {"LANG=C", "NODE_PATH=/x", NULL};

	CHECK(!same(one, other));
	CHECK(!same(other, one));
}

TEST(the_name_is_told_and_never_the_value)
{
	const char *none[] = {NULL}, *one[] = {"LANG=s3cret", NULL};
	const char *longer[] = {"NODE_ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ=s3cret",
				NULL};

	CHECK(!same(none, one) && strncmp(why, "LANG,", 5) == 0 && !strstr(why, "s3cret"));
	CHECK(!same(one, none) && strncmp(why, "LANG,", 5) == 0 && !strstr(why, "s3cret"));
	CHECK(!same(none, longer) && strncmp(why, "NODE_ABC", 8) == 0 && !strstr(why, "s3cret"));
	CHECK(strstr(why, "interpreter starts"));
}

TEST(another_value_counts)
{
	const char *one[] = {"LANG=C", NULL}, *other[] = {"LANG=de_DE.UTF-8", NULL};

	CHECK(!same(one, other));
}

TEST(a_longer_name_counts_as_what_it_begins_with)
{
	const char *one[] = {NULL}, *other[] = {"LANGUAGE=de", NULL};

	CHECK(!same(one, other));
}

TEST(nothing_is_the_same_as_nothing)
{
	const char *none[] = {NULL};

	CHECK(same(none, none));
}
