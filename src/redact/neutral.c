/* SPDX-License-Identifier: Apache-2.0 */
/* neutral.c - text without what a terminal would obey or an eye would not see.
 *
 * Most output is plain ASCII: it is looked at sixteen bytes at a time.  The state
 * between two bytes is all that is kept, so it does not matter how the text is cut.
 */
#include "redact/neutral.h"

#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

enum { ESC = 0x1b, BEL = 0x07, DEL = 0x7f, LANES = 16, ROOM = 8 };

typedef unsigned char lanes __attribute__((vector_size(LANES)));

/* Any byte that is not printable ASCII, newline or tab? */
static bool is_plain(const char *data)
{
	uint64_t half[2];
	lanes v, odd;

	memcpy(&v, data, sizeof(v));
	odd = (lanes)((v < 0x20) & (v != '\n') & (v != '\t')) | (lanes)(v >= 0x7f);
	memcpy(half, &odd, sizeof(half));
	return (half[0] | half[1]) == 0;
}

/* Invisible, or turning what is around it. */
static bool is_unseen(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{0x80, 0x9f},       /* C1 */
		{0xad, 0xad},       /* soft hyphen */
		{0x34f, 0x34f},     /* grapheme joiner */
		{0x61c, 0x61c},     /* Arabic letter mark */
		{0x115f, 0x1160},   /* Hangul fillers */
		{0x17b4, 0x17b5},   /* Khmer inherent vowels */
		{0x180b, 0x180f},   /* Mongolian selectors */
		{0x200b, 0x200f},   /* zero-width, direction marks */
		{0x2028, 0x202e},   /* separators, embeddings, overrides */
		{0x2060, 0x206f},   /* joiner, invisible operators, isolates */
		{0x3164, 0x3164},   /* Hangul filler */
		{0xfe00, 0xfe0f},   /* variation selectors */
		{0xfeff, 0xfeff},   /* byte order mark */
		{0xffa0, 0xffa0},   /* Hangul filler */
		{0xfff9, 0xfffb},   /* annotations */
		{0x1bca0, 0x1bca3}, /* shorthand controls */
		{0xe0000, 0xe0fff}, /* tags, more selectors */
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

/* How long a character that begins with c is; 0: none does. */
static size_t utf8_len(unsigned char c)
{
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef)
		return 3;
	return c >= 0xf0 && c <= 0xf4 ? 4 : 0;
}

static uint32_t utf8_value(const unsigned char *b, size_t len)
{
	uint32_t c = b[0] & (0xffu >> (len + 1));

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (b[i] & 0x3f);
	return c;
}

/* C1 controls begin sequences, too. */
static void enter_c1(struct neutral *n, uint32_t c)
{
	if (c == 0x9b)
		n->state = NEUTRAL_CSI;
	else if (c == 0x90 || c == 0x98 || c == 0x9d || c == 0x9e || c == 0x9f)
		n->state = NEUTRAL_STRING;
}

static size_t put(char *ret, const unsigned char *bytes, size_t len)
{
	memcpy(ret, bytes, len);
	return len;
}

/* Halves of characters could become a whole one when what is between them goes. */
static size_t put_replacement(char *ret)
{
	static const unsigned char replacement[] = {0xef, 0xbf, 0xbd};

	return put(ret, replacement, sizeof(replacement));
}

/* The waiting bytes are no character after all. */
static size_t give_up_wait(struct neutral *n, char *ret)
{
	size_t len = n->n_wait ? put_replacement(ret) : 0;

	n->n_wait = 0;
	return len;
}

static size_t end_character(struct neutral *n, char *ret)
{
	size_t len = n->n_wait;
	uint32_t c = utf8_value(n->wait, len);

	n->n_wait = 0;
	if (is_unseen(c)) {
		enter_c1(n, c);
		return 0;
	}
	if (text_utf8_char((const char *)n->wait, len) != len) /* overlong, or half of a pair */
		return put_replacement(ret);
	return put(ret, n->wait, len);
}

static size_t high_byte(struct neutral *n, unsigned char c, char *ret)
{
	size_t len;

	if (n->n_wait > 0 && (c & 0xc0) == 0x80) {
		n->wait[n->n_wait++] = c;
		return n->n_wait == utf8_len(n->wait[0]) ? end_character(n, ret) : 0;
	}
	len = give_up_wait(n, ret);
	if (utf8_len(c)) {
		n->wait[n->n_wait++] = c;
		return len;
	}
	if (c <= 0x9f) { /* in 8-bit terminals a control */
		enter_c1(n, c);
		return len;
	}
	return len + put_replacement(ret + len);
}

/* At most 7 bytes come out: a newline for "\r", three for what waited, three for this one. */
static size_t text_byte(struct neutral *n, unsigned char c, char *ret)
{
	size_t len = 0;

	if (n->cr) {
		n->cr = false;
		if (c != '\n')
			ret[len++] = '\n';
	}
	if (c >= 0x80)
		return len + high_byte(n, c, ret + len);
	len += give_up_wait(n, ret + len);
	if (c == ESC)
		n->state = NEUTRAL_ESCAPE;
	else if (c == '\r')
		n->cr = true;
	else if (c == '\n' || c == '\t' || (c >= 0x20 && c != DEL))
		ret[len++] = (char)c;
	return len;
}

static size_t back_to_text(struct neutral *n, unsigned char c, char *ret)
{
	n->state = NEUTRAL_TEXT;
	return text_byte(n, c, ret);
}

static size_t escape_byte(struct neutral *n, unsigned char c, char *ret)
{
	if (c == '[') {
		n->state = NEUTRAL_CSI;
		return 0;
	}
	if (c && strchr("]P^_X", c)) {
		n->state = NEUTRAL_STRING;
		return 0;
	}
	if (c >= 0x20 && c <= 0x2f) /* "ESC ( B": more to come */
		return 0;
	if (c < 0x20 || c > 0x7e)
		return back_to_text(n, c, ret);
	n->state = NEUTRAL_TEXT; /* the final byte */
	return 0;
}

static size_t one_byte(struct neutral *n, unsigned char c, char *ret)
{
	switch (n->state) {
	case NEUTRAL_TEXT:
		return text_byte(n, c, ret);
	case NEUTRAL_ESCAPE:
		return escape_byte(n, c, ret);
	case NEUTRAL_CSI:
		if (c < 0x20 || c > 0x7e)
			return back_to_text(n, c, ret);
		if (c >= 0x40)
			n->state = NEUTRAL_TEXT;
		return 0;
	case NEUTRAL_STRING:
	case NEUTRAL_STRING_ESCAPE:
		/* Terminals wait for the end for ever; we for the end of the line. */
		if (c == '\n' || c == '\r')
			return back_to_text(n, c, ret);
		if (c == BEL || (n->state == NEUTRAL_STRING_ESCAPE && c == '\\'))
			n->state = NEUTRAL_TEXT;
		else
			n->state = c == ESC ? NEUTRAL_STRING_ESCAPE : NEUTRAL_STRING;
		return 0;
	}
	return 0;
}

/* How many bytes from data on are plain, sixteen at a time. */
static size_t plain_run(const char *data, size_t len)
{
	size_t i = 0;

	while (i + LANES <= len && is_plain(data + i))
		i += LANES;
	return i;
}

size_t neutral_feed(struct neutral *n, const char **data, size_t *len, char *ret, size_t room)
{
	size_t out = 0;

	while (*len > 0 && room - out >= ROOM) {
		size_t run = 0;

		if (n->state == NEUTRAL_TEXT && !n->cr && n->n_wait == 0)
			run = plain_run(*data, *len < room - out ? *len : room - out);
		if (run > 0) {
			memcpy(ret + out, *data, run);
			out += run;
			*data += run;
			*len -= run;
			continue;
		}
		/* Some bytes one by one: up to where sixteen may be plain again. */
		for (size_t i = 0; i<LANES && * len> 0 && room - out >= ROOM; i++) {
			out += one_byte(n, (unsigned char)**data, ret + out);
			(*data)++;
			(*len)--;
		}
	}
	return out;
}

size_t neutral_finish(struct neutral *n, char *ret)
{
	size_t len = 0;

	if (n->cr)
		ret[len++] = '\n';
	len += give_up_wait(n, ret + len);
	*n = (struct neutral){0};
	return len;
}
