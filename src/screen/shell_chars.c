/* SPDX-License-Identifier: Apache-2.0 */
/* shell_chars.c - which characters a command line may hold at all.
 *
 * What cannot be seen, or changes how the rest is seen, is refused: somebody who
 * reads the line in a log must read what ran.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "screen/shell_tree.h"

struct range {
	uint32_t from, to;
	bool text_ok; /* fine between quotes: it belongs to ordinary writing */
	const char *what;
};

/* Sorted. */
static const struct range ranges[] = {
	{0x0000, 0x0008, false, "a control character"},
	{0x000b, 0x001f, false, "a control character"},
	{0x007f, 0x009f, false, "a control character"},
	{0x00a0, 0x00a0, true, "a space that is no ASCII space"},
	{0x00ad, 0x00ad, false, "a character that cannot be seen"},
	{0x034f, 0x034f, false, "a character that cannot be seen"},
	{0x061c, 0x061c, false, "a character that changes the direction of the text"},
	{0x115f, 0x1160, true, "a character that cannot be seen"},
	{0x1680, 0x1680, true, "a space that is no ASCII space"},
	{0x17b4, 0x17b5, false, "a character that cannot be seen"},
	{0x180b, 0x180f, false, "a character that cannot be seen"},
	{0x2000, 0x200a, true, "a space that is no ASCII space"},
	{0x200b, 0x200b, false, "a character that cannot be seen"},
	{0x200c, 0x200d, true, "a character that cannot be seen"}, /* Persian, Hindi, emoji */
	{0x200e, 0x200f, false, "a character that changes the direction of the text"},
	{0x2028, 0x2029, false, "a line end that is no newline"},
	{0x202a, 0x202e, false, "a character that changes the direction of the text"},
	{0x202f, 0x202f, true, "a space that is no ASCII space"},
	{0x205f, 0x205f, true, "a space that is no ASCII space"},
	{0x2060, 0x2065, false, "a character that cannot be seen"},
	{0x2066, 0x2069, false, "a character that changes the direction of the text"},
	{0x206a, 0x206f, false, "a character that cannot be seen"},
	{0x3000, 0x3000, true, "a space that is no ASCII space"},
	{0x3164, 0x3164, true, "a character that cannot be seen"},
	{0xfe00, 0xfe0f, true, "a character that cannot be seen"}, /* emoji */
	{0xfeff, 0xfeff, false, "a byte order mark"},
	{0xffa0, 0xffa0, true, "a character that cannot be seen"},
	{0xfff0, 0xfffb, false, "a character that cannot be seen"},
	{0x1d173, 0x1d17a, false, "a character that cannot be seen"},
	{0xe0000, 0xe0fff, false, "a character that cannot be seen"},
};

static uint32_t code_point(const char *data, size_t len)
{
	const unsigned char *b = (const unsigned char *)data;

	switch (len) {
	case 1:
		return b[0];
	case 2:
		return (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
	case 3:
		return (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
	default:
		return (b[0] & 7u) << 18 | (b[1] & 0x3fu) << 12 | (b[2] & 0x3fu) << 6 |
		       (b[3] & 0x3fu);
	}
}

static const struct range *range_of(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_LEN(ranges) && ranges[i].from <= c; i++)
		if (c <= ranges[i].to)
			return &ranges[i];
	return NULL;
}

static int refuse_char(struct shell_reader *r, size_t at, uint32_t c, const struct range *bad)
{
	char hint[160] = "leave it out";

	if (c == '\r')
		(void)snprintf(hint, sizeof(hint), "end lines with a newline alone");
	else if (bad->text_ok)
		(void)snprintf(hint, sizeof(hint), "leave it out, or quote it if it is meant");
	return shell_refuse(r, at, hint, "%s (U+%04X)", bad->what, (unsigned)c);
}

int shell_check_bytes(struct shell_reader *r)
{
	for (size_t at = 0; at < r->len;) {
		unsigned char c = (unsigned char)r->text[at];
		const struct range *bad;
		size_t n;

		if (c >= 0x20 && c < 0x7f) {
			at++;
			continue;
		}
		n = text_utf8_char(r->text + at, r->len - at);
		if (n == 0)
			return shell_refuse(r, at, "send the command as UTF-8",
					    "a byte that is not UTF-8");
		bad = range_of(code_point(r->text + at, n));
		if (bad && !bad->text_ok)
			return refuse_char(r, at, code_point(r->text + at, n), bad);
		at += n;
	}
	return 0;
}

int shell_check_bare(struct shell_reader *r, size_t at, size_t len)
{
	uint32_t c = code_point(r->text + at, len);
	const struct range *bad = range_of(c);

	return bad ? refuse_char(r, at, c, bad) : 0;
}
