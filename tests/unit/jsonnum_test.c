/* SPDX-License-Identifier: Apache-2.0 */
/* JSON numbers by what they are worth. */
#include "base/jsonnum.h"

#include "base/jsonread.h"
#include "base/own.h"
#include "tap.h"

static json_t *number(const char *text)
{
	json_t *n = json_loads(text, JSON_DECODE_ANY, NULL);

	if (!json_is_number(n)) {
		printf("# no number: %s\n", text);
		abort();
	}
	return n;
}

static int compare(const char *a, const char *b)
{
	own_json x = number(a);
	own_json y = number(b);
	int there = jsonnum_compare(x, y), back = jsonnum_compare(y, x);

	CHECK((there > 0) == (back < 0) && (there < 0) == (back > 0));
	return there;
}

static bool multiple(const char *a, const char *step)
{
	own_json x = number(a);
	own_json y = number(step);

	return jsonnum_is_multiple(x, y);
}

static bool whole(const char *text)
{
	own_json n = number(text);

	return jsonnum_is_whole(n);
}

TEST(an_integer_and_a_real_of_the_same_worth_are_equal)
{
	CHECK(compare("1", "1.0") == 0);
	CHECK(compare("0", "-0.0") == 0);
	CHECK(compare("-3", "-3e0") == 0);
	CHECK(compare("9007199254740992", "9007199254740992.0") == 0);
	CHECK(compare("-9223372036854775808", "-9223372036854775808.0") == 0);
}

TEST(integers_beyond_what_a_double_holds_stay_apart)
{
	CHECK(compare("9007199254740993", "9007199254740992") > 0);
	CHECK(compare("9007199254740993", "9007199254740992.0") > 0);
	CHECK(compare("9223372036854775807", "9223372036854775808.0") < 0);
	CHECK(compare("-9223372036854775808", "-9.3e18") > 0);
}

TEST(fractions_decide_between_an_integer_and_a_real)
{
	CHECK(compare("1", "1.5") < 0);
	CHECK(compare("-1", "-1.5") > 0);
	CHECK(compare("2", "1.5") > 0);
	CHECK(compare("0", "1e-300") < 0);
	CHECK(compare("0", "1e308") < 0);
	CHECK(compare("0", "-1e308") > 0);
}

TEST(a_real_without_a_fraction_is_whole)
{
	CHECK(whole("1.0") && whole("1e300") && whole("-0.0") && whole("7"));
	CHECK(!whole("1.5") && !whole("1e-5"));
}

TEST(counts_are_whole_and_not_negative)
{
	static const struct {
		const char *text;
		bool is;
		uint64_t count;
	} rows[] = {
		{"0", true, 0},
		{"2.0", true, 2},
		{"1e30", true, UINT64_MAX},
		{"-1", false, 0},
		{"-1.0", false, 0},
		{"1.5", false, 0},
		{"9223372036854775807", true, 9223372036854775807U},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		own_json n = number(rows[i].text);
		uint64_t count = 0;
		bool is = jsonnum_count(n, &count);

		CHECK(is == rows[i].is);
		CHECK(!is || count == rows[i].count);
	}
}

TEST(multiples_go_by_the_decimal_digits)
{
	CHECK(multiple("0.0075", "0.0001"));
	CHECK(!multiple("0.00751", "0.0001"));
	CHECK(multiple("1.1", "0.1") && multiple("0.3", "0.1") && multiple("4.35", "0.01"));
	CHECK(multiple("12391239123", "1e-8"));
	CHECK(multiple("1e308", "1e-300") && multiple("1e308", "0.5"));
	CHECK(!multiple("1e308", "0.123456789"));
	CHECK(!multiple("1e-300", "1e300") && !multiple("5e-324", "1"));
	CHECK(multiple("-9", "3") && !multiple("-10", "3"));
	CHECK(multiple("0", "7") && multiple("0.0", "0.7"));
	CHECK(multiple("9223372036854775807", "9223372036854775807"));
	CHECK(!multiple("9223372036854775806", "9223372036854775807"));
	CHECK(multiple("-9223372036854775808", "2"));
}
