/* SPDX-License-Identifier: Apache-2.0 */
/* jsonout.c - writes JSON straight into a buffer. */
#include "base/jsonout.h"

#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/text.h"

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

void jsonout_start(struct jsonout *j, struct buf *out, struct error *err)
{
	*j = (struct jsonout){.out = out, .err = err};
}

int jsonout_end(struct jsonout *j)
{
	if (!j->failed && j->out->cut)
		return fail(j->err, ERR_INTERNAL, "the JSON is larger than its buffer may grow");
	return j->failed ? -1 : 0;
}

/* Where so many bytes and a NUL fit, without anything being cut; NULL: they may not. */
static char *room_for(const struct jsonout *j, size_t len)
{
	const struct buf *b = j->out;

	if (j->failed || len >= b->room - b->len || b->len > b->limit || len > b->limit - b->len)
		return NULL;
	return b->data + b->len;
}

/* They are written there, up to this. */
static void took(struct jsonout *j, char *end)
{
	*end = '\0';
	j->out->len = (size_t)(end - j->out->data);
}

/* Most of it fits, and is short. */
static void put(struct jsonout *j, const char *data, size_t len)
{
	char *to = room_for(j, len);

	if (to) {
		memcpy(to, data, len);
		took(j, to + len);
	} else if (!j->failed && buf_add(j->out, data, len, j->err) < 0) {
		j->failed = true;
	}
}

static void put_char(struct jsonout *j, char c)
{
	char *to = room_for(j, 1);

	if (to) {
		*to = c;
		took(j, to + 1);
	} else {
		put(j, &c, 1);
	}
}

static void put_str(struct jsonout *j, const char *str)
{
	put(j, str, strlen(str));
}

/* How a character is written that may not stand for itself; false if it may. */
static bool write_code(const char *data, size_t len, char *ret, size_t room)
{
	unsigned char c = (unsigned char)data[len - 1];
	bool control = len == 1 ? c < 0x20 || c == 0x7f
				: len == 2 && (unsigned char)data[0] == 0xc2 && c < 0xa0;

	ret[0] = '\\';
	ret[1] = c == '\n' ? 'n' : (char)c;
	ret[2] = '\0';
	if (len == 1 && (c == '"' || c == '\\' || c == '\n'))
		return true;
	if (control)
		(void)snprintf(ret, room, "\\u%04x", c);
	else
		return false;
	return true;
}

/* Eight bytes at once: is one of them zero? */
static uint64_t has_zero(uint64_t eight)
{
	return (eight - EACH(0x01)) & ~eight & EACH(0x80);
}

static bool is_plain(uint64_t eight)
{
	uint64_t below = (eight - EACH(' ')) & ~eight & EACH(0x80);

	return !(below | (eight & EACH(0x80)) | has_zero(eight ^ EACH(0x7f)) |
		 has_zero(eight ^ EACH('"')) | has_zero(eight ^ EACH('\\')));
}

/* How many bytes stand for themselves beyond doubt: nearly all of what is written. */
static size_t plain_run(const char *data, size_t len)
{
	uint64_t eight;
	size_t n = 0;

	for (; len - n >= sizeof(eight); n += sizeof(eight)) {
		memcpy(&eight, data + n, sizeof(eight));
		if (!is_plain(eight))
			break;
	}
	if (len - n < sizeof(eight)) { /* the rest, and spaces behind it */
		eight = EACH(' ');
		memcpy(&eight, data + n, len - n);
		if (is_plain(eight))
			return len;
	}
	while (n < len && data[n] >= ' ' && data[n] <= '~' && data[n] != '"' && data[n] != '\\')
		n++;
	return n;
}

/* Fewer than eight bytes, and spaces behind them. */
static uint64_t few(const char *data, size_t len)
{
	uint64_t eight = EACH(' ');
	char *to = (char *)&eight;

	if (len & 4) {
		memcpy(to, data, 4);
		to += 4;
		data += 4;
	}
	if (len & 2) {
		memcpy(to, data, 2);
		to += 2;
		data += 2;
	}
	if (len & 1)
		*to = *data;
	return eight;
}

/* Short and plain, as nearly everything is: in one go.  False: nothing was written. */
static bool put_plain(struct jsonout *j, const char *data, size_t len)
{
	char *to = room_for(j, len + sizeof(uint64_t) + 2), *at;
	uint64_t eight;

	if (!to)
		return false;
	at = to + 1;
	for (; len >= sizeof(eight); len -= sizeof(eight)) {
		memcpy(&eight, data, sizeof(eight));
		if (!is_plain(eight))
			return false;
		memcpy(at, &eight, sizeof(eight));
		at += sizeof(eight);
		data += sizeof(eight);
	}
	eight = few(data, len);
	if (!is_plain(eight))
		return false;
	memcpy(at, &eight, sizeof(eight));
	at += len;
	*to = '"';
	*at = '"';
	took(j, at + 1);
	return true;
}

static void put_escaped(struct jsonout *j, const char *data, size_t len)
{
	size_t plain = 0, step;
	char code[8];

	if (put_plain(j, data, len))
		return;
	put(j, "\"", 1);
	for (size_t i = 0; i < len; i += step) {
		step = plain_run(data + i, len - i);
		if (step)
			continue;
		step = text_utf8_char(data + i, len - i);
		if (step && !write_code(data + i, step, code, sizeof(code)))
			continue;
		if (!step) { /* a byte of no character: JSON has no place for it */
			(void)snprintf(code, sizeof(code), "\\\\x%02x", (unsigned char)data[i]);
			step = 1;
		}
		put(j, data + plain, i - plain);
		plain = i + step;
		put_str(j, code);
	}
	put(j, data + plain, len - plain);
	put(j, "\"", 1);
}

static void lead(struct jsonout *j, const char *key)
{
	if (j->comma)
		put_char(j, ',');
	if (key) {
		put_escaped(j, key, strlen(key));
		put_char(j, ':');
	}
	j->comma = true;
}

void jsonout_object(struct jsonout *j, const char *key)
{
	lead(j, key);
	put_char(j, '{');
	j->comma = false;
}

void jsonout_object_end(struct jsonout *j)
{
	put_char(j, '}');
	j->comma = true;
}

void jsonout_array(struct jsonout *j, const char *key)
{
	lead(j, key);
	put_char(j, '[');
	j->comma = false;
}

void jsonout_array_end(struct jsonout *j)
{
	put_char(j, ']');
	j->comma = true;
}

void jsonout_bytes(struct jsonout *j, const char *key, const char *data, size_t len)
{
	lead(j, key);
	put_escaped(j, data, len);
}

void jsonout_raw(struct jsonout *j, const char *key, const char *json, size_t len)
{
	lead(j, key);
	put(j, json, len);
	j->comma = true;
}

void jsonout_str(struct jsonout *j, const char *key, const char *value)
{
	if (!value)
		jsonout_null(j, key);
	else
		jsonout_bytes(j, key, value, strlen(value));
}

void jsonout_base64(struct jsonout *j, const char *key, const void *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = data;
	char group[4];

	lead(j, key);
	put(j, "\"", 1);
	for (size_t i = 0; i < len; i += 3) {
		unsigned left = (unsigned)(len - i);
		unsigned bits = (unsigned)in[i] << 16;

		bits |= left > 1 ? (unsigned)in[i + 1] << 8 : 0;
		bits |= left > 2 ? in[i + 2] : 0;
		group[0] = digits[bits >> 18];
		group[1] = digits[bits >> 12 & 63];
		group[2] = left > 1 ? digits[bits >> 6 & 63] : '=';
		group[3] = left > 2 ? digits[bits & 63] : '=';
		put(j, group, sizeof(group));
	}
	put(j, "\"", 1);
}

static void put_number(struct jsonout *j, const char *key, const char *digits, size_t len)
{
	lead(j, key);
	put(j, digits, len);
}

void jsonout_int(struct jsonout *j, const char *key, int64_t value)
{
	char text[DIGITS_ROOM];

	put_number(j, key, text, digits_int(value, text));
}

void jsonout_uint(struct jsonout *j, const char *key, uint64_t value)
{
	char text[DIGITS_ROOM];

	put_number(j, key, text, digits_uint(value, text));
}

void jsonout_ms(struct jsonout *j, const char *key, uint64_t microseconds)
{
	char text[2 * DIGITS_ROOM];
	size_t n = digits_uint(microseconds / 1000, text);

	text[n++] = '.';
	n += digits_padded(microseconds % 1000, 3, text + n);
	put_number(j, key, text, n);
}

void jsonout_ratio(struct jsonout *j, const char *key, double value)
{
	char text[64];

	size_t n = digits_ratio(value, text);

	if (!n)
		n = (size_t)snprintf(text, sizeof(text), "%.4f", value);
	put_number(j, key, text, n);
}

void jsonout_bool(struct jsonout *j, const char *key, bool value)
{
	put_number(j, key, value ? "true" : "false", value ? 4 : 5);
}

void jsonout_null(struct jsonout *j, const char *key)
{
	put_number(j, key, "null", 4);
}
