/* SPDX-License-Identifier: Apache-2.0 */
#include "auditread/plain.h"

#include "tap.h"

static const char *shown(const char *text, size_t room)
{
	static char out[256];

	(void)plain_text(text, strlen(text), out, room);
	return out;
}

TEST(ordinary_text_stays_as_it_is)
{
	CHECK_STR(shown("", 100), "");
	CHECK_STR(shown("execute_code", 100), "execute_code");
	CHECK_STR(shown("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\x9f", 100),
		  "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\x9f");
}

TEST(what_acts_on_a_terminal_is_spelled_out)
{
	CHECK_STR(shown("a\x1b[31mb\n\t\x7f", 100), "a\\x1b[31mb\\x0a\\x09\\x7f");
	CHECK_STR(shown("\xc2\x9b", 100), "\\u{009b}");
	CHECK_STR(shown("\xe2\x80\xae \xe2\x81\xa6", 100), "\\u{202e} \\u{2066}");
	CHECK_STR(shown("a\xe2\x80\x8b\xef\xbb\xbf", 100), "a\\u{200b}\\u{feff}");
	CHECK_STR(shown("\xf3\xa0\x81\x81", 100), "\\u{e0041}");
	CHECK_STR(shown("\xff\xc3", 100), "\\xff\\xc3");
}

TEST(an_escape_cannot_be_faked)
{
	CHECK_STR(shown("\\x1b", 100), "\\\\x1b");
}

TEST(what_is_too_long_ends_in_dots_and_is_not_cut_within_a_character)
{
	CHECK_STR(shown("abcdefgh", 9), "abcdefgh");
	CHECK_STR(shown("abcdefgh", 8), "abcd...");
	CHECK_STR(shown("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 8), "\xc3\xbc\xc3\xbc...");
	CHECK_STR(shown("ab\x1b\x1b", 8), "ab...");
}

TEST(a_nul_is_no_end)
{
	char out[64];

	CHECK(plain_text("a\0b", 3, out, sizeof(out)) == 6);
	CHECK_STR(out, "a\\x00b");
}

TEST(json_stays_the_same_json)
{
	static const char text[] = "{\"a\":\"\xe2\x80\xae\x7f\xf3\xa0\x81\x81\xc3\xbc\"}";
	char out[128] = "";
	FILE *to = fmemopen(out, sizeof(out), "w");

	plain_json(text, strlen(text), to);
	(void)fclose(to);
	CHECK_STR(out, "{\"a\":\"\\u202e\\u007f\\udb40\\udc41\xc3\xbc\"}");
}
