/* SPDX-License-Identifier: Apache-2.0 */
/* neutral.c - text without what a terminal would obey or an eye would not see.
 *
 * Most output is plain ASCII, looked at sixteen bytes at a time, or whole characters that stay as
 * they are.  All else goes byte by byte through a machine: the state between two bytes is all that
 * is kept, so it does not matter how the text is cut.  Where it finds that much of a text is no
 * UTF-8, or a string that goes, it steps aside for sixteen bytes at a time again.
 */
#include "redact/neutral.h"

#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "redact/lanes.h"
#include "redact/neutrallook.h"

enum { ESC = 0x1b, BEL = 0x07, ROOM = 8 };
enum {
	SLOWLY = 16,   /* bytes, one by one */
	SQUEEZES = 32, /* sixteens of bytes, before a run of what stays is looked for again */
	MANY = 24,     /* bytes that SLOWLY become where much of them is no UTF-8 */
	SPREAD = 64,   /* sixteen bytes may become so many, and a little more is written */
};

static const char replacement[] = "\xef\xbf\xbd";

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

/* 1: invisible, or turning what is around it; c is what four bytes can be.  No branch, not even one
 * that a compiler would think of: in text that is full of them nothing can be foretold. */
static inline uint32_t is_unseen(uint32_t c)
{
	/* By 256 of them: most have none. */
	static const unsigned char pages[0x1400] = {
		[0x00] = 1, [0x03] = 2,  [0x06] = 3,   [0x11] = 4,
		[0x17] = 5, [0x18] = 6,  [0x20] = 7,   [0x31] = 8,
		[0xfe] = 9, [0xff] = 10, [0x1bc] = 11, [0xe00 ... 0xe0f] = 12,
	};
	/* Where they begin, and how many they are. */
	static const struct {
		unsigned char from, n;
	} ranges[][3] = {
		{{0}},
		{{0x80, 32}, {0xad, 1}},            /* C1, soft hyphen */
		{{0x4f, 1}},                        /* grapheme joiner */
		{{0x1c, 1}},                        /* Arabic letter mark */
		{{0x5f, 2}},                        /* Hangul fillers */
		{{0xb4, 2}},                        /* Khmer inherent vowels */
		{{0x0b, 5}},                        /* Mongolian selectors */
		{{0x0b, 5}, {0x28, 7}, {0x60, 16}}, /* zero-width, marks, overrides, isolates */
		{{0x64, 1}},                        /* Hangul filler */
		{{0x00, 16}, {0xff, 1}},            /* variation selectors, byte order mark */
		{{0xa0, 1}, {0xf9, 3}},             /* Hangul filler, annotations */
		{{0xa0, 4}},                        /* shorthand controls */
		{{0x00, 128}, {0x80, 128}},         /* tags, more selectors */
	};
	size_t page = pages[c >> 8];
	uint32_t less = 0;

#pragma GCC unroll 3
	for (size_t i = 0; i < 3; i++)
		less |= ((c - ranges[page][i].from) & 0xff) - ranges[page][i].n;
	return less >> 31;
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
	memcpy(ret, replacement, sizeof(replacement) - 1);
	return sizeof(replacement) - 1;
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

static inline size_t high_byte(struct neutral *n, unsigned char c, char *ret)
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
static inline size_t text_byte(struct neutral *n, unsigned char c, char *ret)
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

static inline size_t one_byte(struct neutral *n, unsigned char c, char *ret)
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

/* How many of sixteen bytes, with BEHIND more behind them, are whole characters that stay as they
 * are.  At once: where a text has an "e" with an accent cannot be foretold. */
static inline size_t seen_at_once(const char *data)
{
	lanes v = lanes_load(data);
	struct sixteen s = look_at(v);

	if (lanes_bits(needs_second(v))) {
		struct begins b = begins_in(v, data);

		s.odd |= lanes_bits(b.broken | b.two | b.three | b.four | b.maybe);
	}
	return whole_before(&s, s.odd | s.gone);
}

/* Takes out of sixteen bytes what does not stay, up to the first that is the machine's; returns
 * what is left.  No branch for any of them: in text that is full of such nothing can be foretold.
 */
static size_t squeeze(const char **from, char *ret)
{
	const char *data = *from;
	lanes v = lanes_load(data), cr = (lanes)(v == '\r'),
	      lf = (lanes)(lanes_load(data + 1) == '\n');
	struct sixteen s = look_at(v);
	size_t len, out = 0;
	char bytes[LANES];

	if (!look_for_frequent(&s, v, data))
		look_for_unseen(&s, v, data);
	/* A "\r" becomes a newline, but before one. */
	s.gone = (s.gone & ~lanes_bits(cr)) | lanes_bits(cr & lf);
	v ^= cr & ('\r' ^ '\n');
	memcpy(bytes, &v, sizeof(bytes));
	len = whole_before(&s, s.odd | lanes_bits((lanes)(v == ESC)));
	s.gone |= ~0u << len;
#pragma GCC unroll 16
	for (unsigned i = 0; i < LANES; i++) {
		ret[out] = bytes[i];
		out += ~s.gone >> i & 1;
	}
	*from += len;
	return out;
}

/* The same as squeeze(), and what is no UTF-8 is replaced.  *ret_some: there was such.  Pays only
 * where there is much of it: the machine is faster for a letter with an accent here and there. */
static size_t spread(const char **from, char *ret, bool *ret_some)
{
	const char *data = *from;
	lanes v = lanes_load(data), cr = (lanes)(v == '\r'),
	      lf = (lanes)(lanes_load(data + 1) == '\n');
	struct sixteen s = look_at(v);
	uint32_t alone = look_for_broken(&s, v, data);
	size_t len, out = 0;
	unsigned char bytes[LANES];

	s.gone = (s.gone & ~lanes_bits(cr)) | lanes_bits(cr & lf);
	v ^= cr & ('\r' ^ '\n');
	memcpy(bytes, &v, sizeof(bytes));
	len = whole_before(&s, s.odd | lanes_bits((lanes)(v == ESC)));
	s.gone |= ~0u << len;
	alone &= ~(~0u << len);
#pragma GCC unroll 16
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t three = alone >> i & 1;

		memcpy(ret + out, replacement, sizeof(replacement));
		ret[out] = (char)(bytes[i] ^ (-three & (bytes[i] ^ 0xef)));
		out += (~s.gone >> i & 1) + 2 * three;
	}
	*from += len;
	*ret_some = alone != 0;
	return out;
}

/* The length of the character at data[0], if it is whole and stays as it is; 0: the machine will
 * tell. */
static size_t seen_char(const char *data, size_t len)
{
	const unsigned char *b = (const unsigned char *)data;
	size_t n = utf8_len(b[0]);

	if (b[0] < 0x80)
		return (b[0] >= 0x20 && b[0] != DEL) || b[0] == '\n' || b[0] == '\t';
	if (n == 0 || text_utf8_char(data, len) != n)
		return 0;
	return is_unseen(utf8_value(b, n)) ? 0 : n;
}

/* How many bytes from data on stay as they are. */
static size_t seen_run(const char *data, size_t len)
{
	size_t i = 0, n = 1;

	while (i < len && n > 0) {
		n = 0;
		if (len - i >= LANES + BEHIND)
			n = is_plain(data + i) ? LANES : seen_at_once(data + i);
		if (n == 0)
			n = seen_char(data + i, len - i);
		i += n;
	}
	return i;
}

/* Does the machine wait for nothing? */
static inline bool is_idle(const struct neutral *n)
{
	return n->state == NEUTRAL_TEXT && !n->cr && n->n_wait == 0;
}

/* What a run of text that stays ended with, and a little more: where little stays as it is, it is
 * asked for less often.  Returns what is left of it; *ret_odd: the machine must look at the next
 * byte. */
static inline size_t take_out(const char **from, const char *end, char *ret, size_t room,
			      bool *ret_odd)
{
	size_t out = 0;

	*ret_odd = true;
	for (size_t i = 0; i < SQUEEZES && end - *from >= LANES + BEHIND && room - out >= LANES;
	     i++) {
		const char *at = *from;

		out += squeeze(from, ret + out);
		*ret_odd = *from - at < LANES - BEHIND;
		if (*ret_odd)
			break;
	}
	return out;
}

/* The same where much is no UTF-8, as long as there is such. */
static size_t spread_out(const char **from, const char *end, char *ret, size_t room, bool *ret_odd)
{
	size_t out = 0;
	bool some = true;

	*ret_odd = end - *from < LANES + BEHIND || room < SPREAD;
	while (some && !*ret_odd && end - *from >= LANES + BEHIND && room - out >= SPREAD) {
		const char *at = *from;

		out += spread(from, ret + out, &some);
		*ret_odd = *from - at < LANES - BEHIND;
	}
	return out;
}

/* How many bytes of a string that never comes out say nothing of its end. */
static size_t string_run(const char *data, size_t len)
{
	size_t i = 0;

	for (; len - i >= LANES; i += LANES) {
		lanes v = lanes_load(data + i);
		uint32_t ends = lanes_bits((lanes)(v == '\n') | (lanes)(v == '\r') |
					   (lanes)(v == BEL) | (lanes)(v == ESC));

		if (ends)
			return i + (size_t)__builtin_ctz(ends);
	}
	return i;
}

/* Bytes that wait did not come out yet: they are read again, if they are still there. */
static inline void unread(struct neutral *n, const char *begin, const char **from)
{
	if (n->state != NEUTRAL_TEXT || n->cr || (size_t)(*from - begin) < n->n_wait)
		return;
	*from -= n->n_wait;
	n->n_wait = 0;
}

size_t neutral_feed(struct neutral *n, const char **data, size_t *len, char *ret, size_t room)
{
	struct neutral now = *n; /* which no byte that is written can be part of */
	const char *from = *data, *end = from + *len;
	size_t out = 0, before = 0;
	bool many = false;

	while (from < end && room - out >= ROOM) {
		size_t left = (size_t)(end - from), run = 0;
		bool odd = true;

		if (many)
			unread(&now, *data, &from);
		if (now.state == NEUTRAL_STRING) {
			from += string_run(from, left);
		} else if (is_idle(&now) && many) {
			out += spread_out(&from, end, ret + out, room - out, &odd);
		} else if (is_idle(&now)) {
			run = seen_run(from, left < room - out ? left : room - out);
			memcpy(ret + out, from, run);
			out += run;
			from += run;
			if (from < end && *from != ESC)
				out += take_out(&from, end, ret + out, room - out, &odd);
		}
		before = out;
		for (size_t i = run < LANES ? SLOWLY : 1;
		     odd && i > 0 && from < end && room - out >= ROOM; i--)
			out += one_byte(&now, (unsigned char)*from++, ret + out);
		many = out - before >= MANY;
	}
	*n = now;
	*data = from;
	*len = (size_t)(end - from);
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
