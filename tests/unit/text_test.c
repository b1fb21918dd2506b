/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdint.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "tap.h"

static bool bytes_are(const char *text, uint64_t want)
{
	struct error err;
	uint64_t got;

	return text_parse_bytes(text, &got, &err) == 0 && got == want;
}

static bool ms_are(const char *text, uint64_t want)
{
	struct error err;
	uint64_t got;

	return text_parse_ms(text, &got, &err) == 0 && got == want;
}

static bool bytes_refused(const char *text)
{
	struct error err;
	uint64_t got;

	return text_parse_bytes(text, &got, &err) < 0 && err.kind == ERR_CALLER && err.text[0];
}

TEST(sizes_have_binary_units)
{
	CHECK(bytes_are("0", 0));
	CHECK(bytes_are("4096", 4096));
	CHECK(bytes_are("100k", 102400));
	CHECK(bytes_are("256M", 268435456));
	CHECK(bytes_are("256MiB", 268435456));
	CHECK(bytes_are("1.5g", 1610612736));
	CHECK(bytes_are("18446744073709551615", UINT64_MAX));
}

TEST(bad_sizes_are_refused_with_a_reason)
{
	static const char *const bad[] = {"",
					  "-1",
					  "+1",
					  " 1",
					  "1 ",
					  "k",
					  "1x",
					  "1.",
					  "0x10",
					  "1e3",
					  "18446744073709551616",
					  "99999999999999g",
					  "1\n"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(bytes_refused(bad[i]));
}

TEST(durations_default_to_seconds)
{
	CHECK(ms_are("30", 30000));
	CHECK(ms_are("30s", 30000));
	CHECK(ms_are("500ms", 500));
	CHECK(ms_are("1.5s", 1500));
	CHECK(ms_are("2m", 120000));
	CHECK(ms_are("1h", 3600000));
	CHECK(!ms_are("1d", 86400000));
}

TEST(utf8_is_judged_as_rfc_3629_says)
{
	CHECK(text_is_utf8("plain", 5));
	CHECK(text_is_utf8("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9));
	CHECK(text_is_utf8("a\0b", 3));
	CHECK(!text_is_utf8("\xff", 1));
	CHECK(!text_is_utf8("\xc0\x80", 2));         /* overlong */
	CHECK(!text_is_utf8("\xed\xa0\x80", 3));     /* surrogate */
	CHECK(!text_is_utf8("\xf4\x90\x80\x80", 4)); /* beyond U+10FFFF */
	CHECK(!text_is_utf8("\xe2\x82", 2));         /* cut short */
}

TEST(a_cut_never_splits_a_character)
{
	static const char euro[] = "a\xe2\x82\xac";

	CHECK(text_utf8_floor(euro, 4) == 4);
	CHECK(text_utf8_floor(euro, 3) == 1);
	CHECK(text_utf8_floor(euro, 2) == 1);
	CHECK(text_utf8_floor(euro, 1) == 1);
	CHECK(text_utf8_floor(euro, 0) == 0);
	CHECK(text_utf8_floor("\x82\x82\x82\x82\x82", 5) == 5); /* not UTF-8: left alone */
}

TEST(escaped_text_has_no_control_characters)
{
	char out[64];

	text_escape("a\nb\x1b[0m\\", 8, out, sizeof(out));
	CHECK_STR(out, "a\\x0ab\\x1b[0m\\x5c");
	text_escape("aaaaaaaaaa", 10, out, 8); /* room is kept for a whole escape */
	CHECK_STR(out, "aaa");
}

TEST(a_line_for_a_terminal_moves_no_cursor)
{
	char out[64];

	text_one_line("gr\u00fc\u00df, \u4e16", out, sizeof(out));
	CHECK_STR(out, "gr\u00fc\u00df, \u4e16");
	text_one_line("a\nb\x1b[2J\x7f", out, sizeof(out));
	CHECK_STR(out, "a\\x0ab\\x1b[2J\\x7f");
	text_one_line("\x9b\x32J", out, sizeof(out)); /* a raw CSI */
	CHECK_STR(out, "\\x9b2J");
	text_one_line("\xc2\x9b\x32J", out, sizeof(out)); /* the same as UTF-8 */
	CHECK_STR(out, "\\xc2\\x9b2J");
	text_one_line("\xff\xc3", out, sizeof(out));
	CHECK_STR(out, "\\xff\\xc3");
	text_one_line("\xff\xff\xff", out, 8);
	CHECK_STR(out, "\\xff");
}

static const char *as_json(const char *data, struct buf *out)
{
	struct error err = {0};
	struct jsonout j;

	buf_init(out, 1000);
	jsonout_start(&j, out, &err);
	jsonout_str(&j, NULL, data);
	CHECK(jsonout_end(&j) == 0);
	return buf_str(out);
}

TEST(json_is_utf8_whatever_goes_in)
{
	static const char *const pairs[][2] = {
		{"a\"b\\\n\t", "\"a\\\"b\\\\\\n\\u0009\""},
		{"\xff\xc3", "\"\\\\xff\\\\xc3\""},
		{"\xc2\x9b", "\"\\u009b\""},
		{"\u00fc\u4e16", "\"\u00fc\u4e16\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		own(buf) out;

		CHECK_STR(as_json(pairs[i][0], &out), pairs[i][1]);
	}
}

TEST(a_near_miss_is_suggested)
{
	static const char *const names[] = {"memory", "processes", "wall", NULL};

	CHECK_STR(text_nearest("memry", names), "memory");
	CHECK_STR(text_nearest("proceses", names), "processes");
	CHECK_STR(text_nearest("momery", names), "memory");
	CHECK_STR(text_nearest("memroy", names), "memory");
	CHECK(text_nearest("zzzzzz", names) == NULL);
	CHECK_STR(text_nearest("certificate", (const char *const[]){"key", "cert", NULL}), "cert");
	CHECK(text_nearest("foo", (const char *const[]){"root", "run", NULL}) == NULL);
	CHECK(text_nearest("nonexist", (const char *const[]){"corelist", NULL}) == NULL);
	CHECK_STR(text_nearest("ru", (const char *const[]){"root", "run", NULL}), "run");
	CHECK(text_nearest("0123456789012345678901234567890123456789", names) == NULL);
}

/* The others are two steps away, as the last one would be if a swap were two. */
TEST(two_letters_that_changed_places_are_one_mistake)
{
	static const char *const programs[] = {"gpg", "grub", "grpck", "grep", NULL};
	static const char *const letters[] = {"b", "ab", NULL};

	CHECK_STR(text_nearest("grpe", programs), "grep");
	CHECK_STR(text_nearest("rgep", programs), "grep");
	CHECK_STR(text_nearest("ba", letters), "b"); /* as near as "ab": the first one */
	CHECK_STR(text_nearest("ab", letters), "ab");
}

TEST(what_is_no_word_is_near_to_nothing)
{
	static const char *const names[] = {"s", "list", "integer", NULL};
	char many[5001];

	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	CHECK(text_nearest("", names) == NULL);
	CHECK(text_nearest(many, names) == NULL);
	CHECK_STR(text_nearest("int", names), "integer");
}

TEST(a_real_number_has_its_shortest_digits)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {{0.1, "0.1"},
		    {1, "1"},
		    {-0.5, "-0.5"},
		    {1e21, "1e+21"},
		    {0.1 + 0.2, "0.30000000000000004"},
		    {1.0 / 3, "0.3333333333333333"},
		    {5e-324, "4.94065645841247e-324"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[40];

		text_real(rows[i].value, text, sizeof(text));
		CHECK_STR(text, rows[i].text);
		CHECK(strtod(text, NULL) == rows[i].value);
	}
}
