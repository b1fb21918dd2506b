/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - text of others, made harmless for a terminal. */
#include "auditread/plain.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

enum { PIECE = 16 };

/* What is not seen, or changes what is seen around it. */
static const struct {
	uint32_t from, to;
} hidden[] = {
	{0x0000, 0x001f},   /* controls */
	{0x007f, 0x009f},   /* and the other ones */
	{0x00ad, 0x00ad},   /* soft hyphen */
	{0x034f, 0x034f},   /* grapheme joiner */
	{0x061c, 0x061c},   /* Arabic letter mark */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x17b4, 0x17b5},   /* Khmer inherent vowels */
	{0x180b, 0x180f},   /* Mongolian selectors and separator */
	{0x200b, 0x200f},   /* zero width, left-to-right, right-to-left */
	{0x2028, 0x202e},   /* line and paragraph separator, embeddings, overrides */
	{0x2060, 0x206f},   /* word joiner, isolates, deprecated formats */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xd800, 0xdfff},   /* no characters */
	{0xe000, 0xf8ff},   /* private: looks like anything */
	{0xfe00, 0xfe0f},   /* variation selectors */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* half width Hangul filler */
	{0xfff0, 0xfffc},   /* interlinear annotations */
	{0x1d173, 0x1d17a}, /* musical formats */
	{0xe0000, 0xe0fff}, /* tags and more selectors */
	{0xf0000, UINT32_MAX},
};

bool plain_is_hidden(uint32_t character)
{
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		if (character >= hidden[i].from && character <= hidden[i].to)
			return true;
	return false;
}

static uint32_t decode(const unsigned char *p, size_t len)
{
	uint32_t value;

	if (len == 1)
		return p[0];
	value = p[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++)
		value = value << 6 | (p[i] & 0x3f);
	return value;
}

/* One character as it is shown; returns how many bytes it took from data. */
static size_t show(const char *data, size_t left, char ret[static PIECE], size_t *ret_len)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t len = text_utf8_char(data, left);
	uint32_t character = len ? decode(p, len) : 0;
	int n;

	if (len == 0 || (len == 1 && plain_is_hidden(character))) {
		n = snprintf(ret, PIECE, "\\x%02x", p[0]);
		len = 1;
	} else if (plain_is_hidden(character)) {
		n = snprintf(ret, PIECE, "\\u{%04" PRIx32 "}", character);
	} else if (character == '\\') {
		n = snprintf(ret, PIECE, "\\\\");
	} else {
		memcpy(ret, data, len);
		n = (int)len;
	}
	*ret_len = (size_t)n;
	return len;
}

size_t plain_text(const char *data, size_t len, char *ret, size_t room)
{
	size_t used = 0, fits = 0; /* fits: where the dots could still go */

	assert(room > 4);
	for (size_t at = 0; at < len;) {
		char piece[PIECE];
		size_t n;

		at += show(data + at, len - at, piece, &n);
		if (used + n + 1 > room) {
			memcpy(ret + fits, "...", 4);
			return fits + 3;
		}
		memcpy(ret + used, piece, n);
		used += n;
		if (used + 4 <= room)
			fits = used;
	}
	ret[used] = '\0';
	return used;
}

void plain_json(const char *data, size_t len, FILE *to)
{
	for (size_t at = 0; at < len;) {
		size_t step = text_utf8_char(data + at, len - at);
		uint32_t c = step ? decode((const unsigned char *)data + at, step) : 0xfffd;

		if ((step > 1 || c == 0x7f) && plain_is_hidden(c) && c < 0x10000)
			(void)fprintf(to, "\\u%04" PRIx32, c);
		else if (step > 1 && plain_is_hidden(c))
			(void)fprintf(to, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd7c0 + (c >> 10),
				      0xdc00 + (c & 0x3ff));
		else
			(void)fwrite(data + at, 1, step ? step : 1, to);
		at += step ? step : 1;
	}
}
