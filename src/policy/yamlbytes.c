/* SPDX-License-Identifier: Apache-2.0 */
/* yamlbytes.c - is every byte of a policy file one that its reader sees?
 *
 * This comes before the YAML parser, because libfyaml takes a NUL or a bad byte
 * for the end of the document: every rule behind it would be gone without a
 * word.  Characters that an editor does not show are refused for the same
 * reason: the rule that is in force must be the rule that was read.
 */
#include "policy/yamlbytes.h"

#include <inttypes.h>

#include "base/own.h"
#include "base/text.h"

struct range {
	uint32_t from, to;
	const char *what;
};

static const struct range refused[] = {
	{0x0, 0x0, "a NUL byte"},
	{0x1, 0x8, "a control character"},
	{0xb, 0xc, "a control character"},
	{0xe, 0x1f, "a control character"},
	{0x7f, 0x9f, "a control character"},
	{0xad, 0xad, "a soft hyphen, which is not shown"},
	{0x34f, 0x34f, "a character that is not shown"},
	{0x61c, 0x61c, "a character that turns the direction of the writing"},
	{0x115f, 0x1160, "a character that is not shown"},
	{0x17b4, 0x17b5, "a character that is not shown"},
	{0x180b, 0x180f, "a character that is not shown"},
	{0x200b, 0x200d, "a character of no width"},
	{0x200e, 0x200f, "a character that turns the direction of the writing"},
	{0x2028, 0x2029, "a line break that not every reader takes for one"},
	{0x202a, 0x202e, "a character that turns the direction of the writing"},
	{0x2060, 0x2065, "a character of no width"},
	{0x2066, 0x2069, "a character that turns the direction of the writing"},
	{0x206a, 0x206f, "a character that is not shown"},
	{0x3164, 0x3164, "a character that is not shown"},
	{0xfe00, 0xfe0f, "a character that is not shown"},
	{0xfeff, 0xfeff, "a byte order mark; save the file without one"},
	{0xffa0, 0xffa0, "a character that is not shown"},
	{0xfff0, 0xfffb, "a character that is not shown"},
	{0xfffe, 0xffff, "a code point that is no character"},
	{0xe0000, 0xe0fff, "a character that is not shown"},
};

static uint32_t decode(const char *data, size_t len)
{
	static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *p = (const unsigned char *)data;
	uint32_t ret = p[0] & first_bits[len];

	for (size_t i = 1; i < len; i++)
		ret = ret << 6 | (p[i] & 0x3f);
	return ret;
}

static const char *refusal(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		if (c >= refused[i].from && c <= refused[i].to)
			return refused[i].what;
	return NULL;
}

/* What is wrong with the character at data; NULL: nothing. */
static const char *judge(const char *data, size_t left, unsigned column, size_t *ret_len)
{
	size_t len = text_utf8_char(data, left);

	*ret_len = len;
	if (!len)
		return "not UTF-8";
	if (*data == '\r' && (left < 2 || data[1] != '\n'))
		return "a carriage return without a line feed";
	if (*data == '%' && column == 1)
		return "a directive; a policy file has none";
	return refusal(decode(data, len));
}

bool yamlbytes_check(const char *name, const char *data, size_t len, struct complaints *ret)
{
	struct place place = {name, 1, 1};

	for (size_t i = 0, step; i < len; i += step) {
		const char *wrong = judge(data + i, len - i, place.column, &step);

		if (wrong) {
			complain(ret, place, "", "here is %s%s (byte %zu)",
				 step ? "" : "a byte that is ", wrong, i);
			return false;
		}
		if (data[i] == '\n') {
			place.line++;
			place.column = 1;
		} else {
			place.column++;
		}
	}
	return true;
}
