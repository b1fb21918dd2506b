/* SPDX-License-Identifier: Apache-2.0 */
/* neutral_test.c - nothing that a terminal obeys or an eye does not see is left. */
#include "base/own.h"
#include "base/text.h"
#include "redact/neutral.h"
#include "tap.h"

/* In pieces of size bytes. */
static void clean(const char *text, size_t len, size_t size, char *ret)
{
	struct neutral n = {0};
	size_t out = 0;

	while (len > 0) {
		size_t piece = size < len ? size : len, left = piece;
		const char *at = text;

		out += neutral_feed(&n, &at, &left, ret + out, 4096);
		CHECK(left == 0);
		text += piece;
		len -= piece;
	}
	out += neutral_finish(&n, ret + out);
	ret[out] = '\0';
}

static const struct {
	const char *text, *want;
} rows[] = {
	{"plain text, \ttabs\nand lines", "plain text, \ttabs\nand lines"},
	{"a\r\nb\rc\r", "a\nb\nc\n"},
	{"\x1b[1;31mred\x1b[0m", "red"},
	{"\x1b]0;title\x07"
	 "after",
	 "after"},
	{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
	{"\x1b]0;never ended\nnext", "\nnext"},
	{"\x1bPdcs\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\z", "xyz"},
	{"\x1b(Bcharset\x1b=keypad", "charsetkeypad"},
	{"bell\x07 back\x08space del\x7f nul", "bell backspace del nul"},
	{"c1 \xc2\x9b"
	 "31mred \xc2\x85",
	 "c1 red "},
	{"\xc2\x9dosc\x07z", "z"},
	{"z\xe2\x80\x8bw\xe2\x80\x8cj\xe2\x80\x8d\xef\xbb\xbf", "zwj"},
	{"bidi \xe2\x80\xae"
	 "abc\xe2\x81\xa6x\xe2\x81\xa9",
	 "bidi abcx"},
	{"tags \xf3\xa0\x81\x81\xf3\xa0\x80\xa0.", "tags ."},
	{"soft\xc2\xadhyphen", "softhyphen"},
	{"\xc3\xa9t\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80",
	 "\xc3\xa9t\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"},
	{"caf\xe9 x", "caf\xef\xbf\xbd x"},
	{"half \xe2\x80", "half \xef\xbf\xbd"},
	{"joined \xef\xbb\x1b[m\xbf.", "joined \xef\xbf\xbd\xef\xbf\xbd."},
	{"overlong \xe0\x80\xaf", "overlong \xef\xbf\xbd"},
	{"surrogate \xed\xa0\x80", "surrogate \xef\xbf\xbd"},
	{"\x1b", ""},
	{"\x1b[", ""},
	{"\x1b[31", ""},
};

TEST(each_row_comes_out_clean_however_it_is_cut)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = strlen(rows[i].text);

		for (size_t size = 1; size <= len; size++) {
			char got[4096];

			clean(rows[i].text, len, size, got);
			CHECK_STR(got, rows[i].want);
		}
	}
}

TEST(what_is_clean_stays_as_it_is)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char got[4096];

		clean(rows[i].want, strlen(rows[i].want), 3, got);
		CHECK_STR(got, rows[i].want);
		CHECK(text_is_utf8(got, strlen(got)));
	}
}

TEST(odd_bytes_are_seen_at_every_place_of_a_long_text)
{
	for (size_t at = 0; at < 70; at++) {
		char text[80], got[256];

		memset(text, 'x', sizeof(text));
		text[at] = '\x07';
		clean(text, sizeof(text), sizeof(text), got);
		CHECK(strlen(got) == sizeof(text) - 1 && strspn(got, "x") == sizeof(text) - 1);
	}
}

/* What is looked at together comes out as it does byte by byte, wherever it begins. */
static void compare(const char *odd, size_t len, size_t at)
{
	char text[64], got[256], want[256];

	memset(text, 'x', sizeof(text));
	memcpy(text + at, odd, len);
	clean(text, sizeof(text), sizeof(text), got);
	clean(text, sizeof(text), 1, want);
	if (strcmp(got, want) != 0)
		CHECK_STR(got, want);
}

static size_t encode(uint32_t c, char *ret)
{
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len - 1; i > 0; i--, c >>= 6)
		ret[i] = (char)(0x80 | (c & 0x3f));
	ret[0] = (char)(len == 1 ? c : c | (0xf00u >> len & 0xff));
	return len;
}

TEST(every_character_comes_out_as_it_does_byte_by_byte)
{
	for (uint32_t c = 0; c < 0x120000; c++) {
		char one[4];

		compare(one, encode(c, one), c % 24);
	}
	/* Those with something unseen near, at every place. */
	for (uint32_t c = 0; c < 0x10000; c += c >= 0x2000 && c < 0x2080 ? 1 : 0x1f) {
		char two[8];
		size_t len = encode(c, two);

		len += encode(0xe9, two + len);
		for (size_t at = 0; at < 40; at++)
			compare(two, len, at);
	}
	CHECK(true);
}

TEST(what_no_eye_sees_is_taken_out_and_nothing_else)
{
	static const struct {
		uint32_t from, to;
	} unseen[] = {
		{0x00, 0x08},     {0x0b, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},
		{0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
		{0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
		{0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
		{0xfff9, 0xfffb}, {0x1bca0, 0x1bca3}, {0xe0000, 0xe0fff},
	};
	size_t wrong = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		char text[24] = "0123456789abcdef", got[64];
		size_t len = encode(c, text + 16);
		bool gone = false;

		for (size_t i = 0; i < ARRAY_LEN(unseen); i++)
			gone = gone || (c >= unseen[i].from && c <= unseen[i].to);
		if (c == '\r' || (c >= 0xd800 && c < 0xe000)) /* something else comes out */
			continue;
		clean(text, 16 + len, 1, got);
		wrong += gone ? strlen(got) != 16 : strlen(got) != 16 + len;
	}
	CHECK(wrong == 0);
}

/* Behind something unseen they are looked at one by one, but whole. */
TEST(every_character_behind_an_unseen_one_comes_out_as_it_does_byte_by_byte)
{
	for (uint32_t c = 0; c < 0x120000; c++) {
		char three[12];
		size_t len = encode(0x200b, three);

		len += encode(c, three + len);
		len += encode(0xe9, three + len);
		compare(three, len, c % 12);
		compare(three, len, 64 - len); /* and where nothing follows */
	}
	for (uint32_t three = 0; three < 0x1000000; three += 1 + three % 97) {
		char odd[] = {'\xe2',     '\x80', '\x8b', (char)(three >> 16), (char)(three >> 8),
			      (char)three};

		compare(odd, sizeof(odd), three % 8);
		odd[2] = '\xf0';
		compare(odd, sizeof(odd), three % 8);
	}
	CHECK(true);
}

TEST(bytes_that_are_no_characters_come_out_as_they_do_byte_by_byte)
{
	static const char *const ends[] = {"", "\x80", "\xbf\xbf", "\xc3\xa9"};

	for (uint32_t two = 0; two < 0x10000; two++) {
		for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
			char odd[8] = {(char)(two >> 8), (char)two};
			size_t len = strlen(ends[i]);

			memcpy(odd + 2, ends[i], len);
			compare(odd, 2 + len, 10 + two % 8);
		}
	}
	CHECK(true);
}

/* What goes, what stays, what becomes something else and what begins a sequence, drawn: sixteen
 * bytes at a time and one by one the same comes out. */
TEST(odd_bytes_in_any_order_come_out_as_they_do_byte_by_byte)
{
	static const char *const parts[] = {
		"a",
		"bc ",
		"\n",
		"\r",
		"\r\n",
		"\x01",
		"\x7f",
		"\t",
		"\x1b[31m",
		"\x1b",
		"\xc2\xad",
		"\xe2\x80\x8b",
		"\xf3\xa0\x81\x81",
		"\xf0\x9b\xb2\xa0",
		"\xf0\x9b\xb2\x9f",
		"\xc3\xa9",
		"\xe4\xb8\xad",
		"\xf0\x9f\x98\x80",
		"\xff",
		"\xe2\x80",
		"\xc2",
		"\x80",
		"\xc2\x85",
		"0123456789abcdef",
	};
	uint64_t seed = 1;

	for (int k = 0; k < 6000; k++) {
		char text[256], got[1024], want[1024];
		size_t len = 0, n = ARRAY_LEN(parts);
		/* Most texts have a few of them only. */
		size_t few = 1 + (size_t)(seed >> 40) % n, from = (size_t)(seed >> 20) % n;

		while (len < 200) {
			const char *part;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			part = parts[(from + (size_t)(seed >> 33) % few) % n];
			memcpy(text + len, part, strlen(part));
			len += strlen(part);
		}
		clean(text, len, len, got);
		clean(text, len, 1, want);
		if (strcmp(got, want) != 0)
			CHECK_STR(got, want);
	}
	CHECK(true);
}

/* The same behind so much that is no UTF-8 that all of it is looked at together, and with little
 * room, which ends anywhere. */
static void compare_behind(const char *odd, size_t len, size_t at)
{
	struct neutral n = {0};
	char text[96], got[512], want[512];
	const char *from = text;
	size_t left = sizeof(text), out = 0;

	memset(text, '\xff', sizeof(text));
	memset(text + 80, 'x', sizeof(text) - 80);
	memcpy(text + at, odd, len);
	clean(text, sizeof(text), 1, want);
	clean(text, sizeof(text), sizeof(text), got);
	if (strcmp(got, want) != 0)
		CHECK_STR(got, want);
	while (left > 0)
		out += neutral_feed(&n, &from, &left, got + out, 72 + at);
	out += neutral_finish(&n, got + out);
	got[out] = '\0';
	if (strcmp(got, want) != 0)
		CHECK_STR(got, want);
}

TEST(every_character_among_broken_ones_comes_out_as_it_does_byte_by_byte)
{
	for (uint32_t c = 0; c < 0x120000; c += c < 0x10000 ? 1 : 31) {
		char two[8];
		size_t len = encode(c, two);

		compare_behind(two, len, 16 + c % 33);
		len += encode(0xe9, two + len);
		compare_behind(two, len, 16 + c % 33);
	}
	/* Longer than they should be: some of them would not be seen. */
	for (uint32_t c = 0; c < 0x10000; c += c < 0x3200 ? 1 : 5) {
		char odd[] = {'\xf0', (char)(0x80 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)),
			      (char)(0x80 | (c & 0x3f))};

		compare_behind(odd, sizeof(odd), 16 + c % 33);
		odd[1] = '\xe0';
		compare_behind(odd + 1, 3, 16 + c % 33);
	}
	for (uint32_t four = 0x80000000; four >= 0x80000000; four += 5000 + four % 49999) {
		char odd[] = {(char)(four >> 24), (char)(four >> 16), (char)(four >> 8),
			      (char)four};

		compare_behind(odd, 2, 16 + four % 33);
		compare_behind(odd, 3, 16 + four % 33);
		compare_behind(odd, 4, 16 + four % 33);
	}
	CHECK(true);
}

/* Bytes, of which most are no UTF-8, drawn, in pieces of every size. */
TEST(broken_text_comes_out_as_it_does_byte_by_byte_however_it_is_cut)
{
	static const unsigned char hot[] = {
		0x80, 0x85, 0x90, 0x9b, 0x9d, 0xa0, 0xad, 0xb2, 0xbf, 0xc0, 0xc2, 0xc3,
		0xcd, 0xd8, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xff, 0x8d,
		0x98, 0x82, 'a',  '\r', '\n', 0x1b, '[',  ']',  'm',  0x07, 0x01, 0x7f,
	};
	uint64_t seed = 7;

	for (int k = 0; k < 6000; k++) {
		char text[300], got[2048], want[2048];
		size_t few = 1 + (size_t)(seed >> 40) % 12, from = (size_t)(seed >> 20);

		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = (char)hot[(from + (size_t)(seed >> 33) % few * 7) % sizeof(hot)];
			if (k % 3 == 0 && seed >> 61 == 0)
				text[i] = (char)(seed >> 50);
		}
		clean(text, sizeof(text), 1, want);
		clean(text, sizeof(text), sizeof(text), got);
		if (strcmp(got, want) != 0)
			CHECK_STR(got, want);
		clean(text, sizeof(text), 20 + (size_t)k % 100, got);
		if (strcmp(got, want) != 0)
			CHECK_STR(got, want);
	}
	CHECK(true);
}

TEST(the_end_of_a_string_is_seen_at_every_place)
{
	static const char *const ends[] = {"\x07", "\x1b\\", "\n", "\r", "\r\n"};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		for (size_t at = 2; at < 70; at++) {
			char text[80], got[256];
			size_t n = strlen(ends[i]), kept = sizeof(text) - at - n + (i >= 2);

			memset(text, 'x', sizeof(text));
			memcpy(text, "\x1b]", 2);
			memcpy(text + at, ends[i], n);
			clean(text, sizeof(text), sizeof(text), got);
			CHECK(strlen(got) == kept && strspn(got, "\nx") == kept);
			clean(text, at, at, got);
			CHECK(strlen(got) == 0);
		}
	}
}

TEST(it_stops_when_there_is_no_more_room)
{
	struct neutral n = {0};
	const char *text = "0123456789abcdefghijklmnopqrstuvwxyz\n";
	const char *at = text;
	size_t len = strlen(text), out = 0;
	char got[64];

	while (len > 0) {
		size_t before = len;

		out += neutral_feed(&n, &at, &len, got + out, 9);
		CHECK(len < before);
	}
	got[out] = '\0';
	CHECK_STR(got, text);
}
