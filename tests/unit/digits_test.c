/* SPDX-License-Identifier: Apache-2.0 */
/* What is written without printf, and eight bytes at a time, is what would be written otherwise. */
#include "base/digits.h"

#include <inttypes.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "tap.h"

static uint64_t seed = 88172645463325252u;

static uint64_t chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static bool is_uint(uint64_t value)
{
	char got[DIGITS_ROOM], want[DIGITS_ROOM];
	size_t n = digits_uint(value, got);

	return (size_t)snprintf(want, sizeof(want), "%" PRIu64, value) == n &&
	       strcmp(got, want) == 0;
}

static bool is_int(int64_t value)
{
	char got[DIGITS_ROOM], want[DIGITS_ROOM];
	size_t n = digits_int(value, got);

	return (size_t)snprintf(want, sizeof(want), "%" PRId64, value) == n &&
	       strcmp(got, want) == 0;
}

static bool is_ratio(double value)
{
	char got[DIGITS_ROOM], want[64];
	size_t n = digits_ratio(value, got);

	if ((size_t)snprintf(want, sizeof(want), "%.4f", value) == n && strcmp(got, want) == 0)
		return true;
	printf("# %a is '%s', not '%s'\n", value, got, want);
	return false;
}

TEST(whole_numbers_are_printf_s)
{
	uint64_t ten = 1;

	for (int i = 0; i < 20; i++, ten *= 10)
		CHECK(is_uint(ten) && is_uint(ten - 1) && is_uint(ten + 1));
	CHECK(is_uint(0) && is_uint(UINT64_MAX));
	CHECK(is_int(0) && is_int(-1) && is_int(INT64_MIN) && is_int(INT64_MAX));
	for (int i = 0; i < 100000; i++) {
		uint64_t value = chance() >> (chance() & 63);

		CHECK(is_uint(value) && is_int((int64_t)value) && is_int(-(int64_t)(value >> 1)));
	}
}

TEST(zeros_stand_in_front)
{
	char text[DIGITS_ROOM];

	CHECK(digits_padded(7, 3, text) == 3);
	CHECK_STR(text, "007");
	CHECK(digits_padded(0, 4, text) == 4);
	CHECK_STR(text, "0000");
	CHECK(digits_padded(12345, 3, text) == 5);
	CHECK_STR(text, "12345");
}

TEST(ratios_are_rounded_as_printf_rounds)
{
	CHECK(is_ratio(0) && is_ratio(1) && is_ratio(0.5) && is_ratio(1e-300) && is_ratio(5e-324));
	CHECK(is_ratio(0.00005) && is_ratio(0.99995) && is_ratio(0.99994999) && is_ratio(1e12));
	/* Exactly between two: to the even one. */
	for (int i = 0; i < 40000; i++)
		CHECK(is_ratio(i / 32768.0) && is_ratio(i * 0.00005) && is_ratio(i / 3.0));
	for (int i = 0; i < 100000; i++)
		CHECK(is_ratio((double)(chance() >> 12) / (double)(chance() >> 4 | 1)));
}

TEST(what_is_no_ratio_is_left_to_printf)
{
	char text[DIGITS_ROOM];

	CHECK(digits_ratio(-0.0, text) == 0 && digits_ratio(-1, text) == 0);
	CHECK(digits_ratio(1e13, text) == 0 && digits_ratio(1e300 * 1e300, text) == 0);
	CHECK(digits_ratio(1e300 * 1e300 * 0, text) == 0);
}

TEST(bytes_are_two_digits_each)
{
	char text[9];

	CHECK(digits_hex("\x00\x7f\x80\xff", 4, text) == 8);
	CHECK_STR(text, "007f80ff");
	CHECK(digits_hex("", 0, text) == 0);
	CHECK_STR(text, "");
}

/* Byte by byte, as it is written in the header. */
static void write_slowly(const char *data, size_t len, char *ret, size_t room)
{
	size_t at = (size_t)snprintf(ret, room, "\""), step;

	for (size_t i = 0; i < len; i += step) {
		unsigned char c = (unsigned char)data[i];

		step = text_utf8_char(data + i, len - i);
		if (!step)
			at += (size_t)snprintf(ret + at, room - at, "\\\\x%02x", c);
		else if (c == '"' || c == '\\')
			at += (size_t)snprintf(ret + at, room - at, "\\%c", c);
		else if (c == '\n')
			at += (size_t)snprintf(ret + at, room - at, "\\n");
		else if (c < 0x20 || c == 0x7f)
			at += (size_t)snprintf(ret + at, room - at, "\\u%04x", c);
		else if (step == 2 && c == 0xc2 && (unsigned char)data[i + 1] < 0xa0)
			at += (size_t)snprintf(ret + at, room - at, "\\u%04x",
					       (unsigned char)data[i + 1]);
		else
			at += (size_t)snprintf(ret + at, room - at, "%.*s", (int)step, data + i);
		step = step ? step : 1;
	}
	(void)snprintf(ret + at, room - at, "\"");
}

static bool is_written(const char *data, size_t len)
{
	char want[1024];
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	buf_init(&out, 4096);
	jsonout_start(&j, &out, &err);
	jsonout_bytes(&j, NULL, data, len);
	write_slowly(data, len, want, sizeof(want));
	return jsonout_end(&j) == 0 && strcmp(buf_str(&out), want) == 0;
}

static bool has_control_slowly(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)data[i] < 0x20 || data[i] == 0x7f)
			return true;
	return false;
}

static bool is_utf8_slowly(const char *data, size_t len)
{
	size_t step;

	for (size_t i = 0; i < len; i += step) {
		step = text_utf8_char(data + i, len - i);
		if (!step)
			return false;
	}
	return true;
}

static bool is_seen_alike(const char *data, size_t len)
{
	return is_written(data, len) &&
	       text_has_control(data, len) == has_control_slowly(data, len) &&
	       text_is_utf8(data, len) == is_utf8_slowly(data, len);
}

TEST(each_byte_at_each_place_is_seen)
{
	char text[32];

	for (size_t len = 0; len <= 20; len++)
		for (size_t at = 0; at < len; at++)
			for (int c = 0; c < 256; c++) {
				memset(text, 'a', sizeof(text));
				text[at] = (char)c;
				CHECK(is_seen_alike(text, len));
			}
}

TEST(any_bytes_are_seen_alike)
{
	static const char pieces[][5] = {"a",    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x94\x94",
					 "\x01", "~",        "\"",           "\xc2\x85",
					 "\x80", " "};
	char text[200];

	for (int i = 0; i < 20000; i++) {
		size_t len = 0;

		while (len < 100 && chance() % 30)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
						pieces[chance() % (chance() % 3 ? 1 : 10)]);
		CHECK(is_seen_alike(text, len));
	}
}

TEST(a_key_of_any_length_and_kind_is_written)
{
	char key[200];
	struct error err = {0};

	for (size_t len = 0; len < 100; len++) {
		struct jsonout j;
		char want[600];
		own(buf) out;

		memset(key, 'k', len);
		key[len] = '\0';
		buf_init(&out, 4096);
		jsonout_start(&j, &out, &err);
		jsonout_object(&j, NULL);
		jsonout_uint(&j, key, 1);
		jsonout_null(&j, key);
		jsonout_str(&j, "a\"b", "c");
		jsonout_object_end(&j);
		(void)snprintf(want, sizeof(want), "{\"%s\":1,\"%s\":null,\"a\\\"b\":\"c\"}", key,
			       key);
		CHECK(jsonout_end(&j) == 0);
		CHECK_STR(buf_str(&out), want);
	}
}

TEST(what_does_not_fit_is_cut_and_told)
{
	for (size_t room = 0; room < 40; room++) {
		struct error err = {0};
		struct jsonout j;
		own(buf) out;

		buf_init(&out, room);
		jsonout_start(&j, &out, &err);
		jsonout_str(&j, NULL, "twenty-four bytes of it.");
		CHECK(jsonout_end(&j) == (room < 26 ? -1 : 0));
		CHECK(out.len == (room < 26 ? room : 26) && strlen(buf_str(&out)) == out.len);
	}
}
