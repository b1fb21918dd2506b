/* SPDX-License-Identifier: Apache-2.0 */
/* knownforms.c - the forms in which a value turns up in output. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "redact/known.h"
#include "redact/neutral.h"

enum { LINE_LEAST = 16 }; /* a line of a longer value: "{" and "}" are no secrets */

/* Room for one form, and who takes it. */
struct forms {
	char *room; /* KNOWN_FORM + 64 bytes */
	size_t len;
	known_form *take;
	void *context;
};

static void add(struct forms *f, const char *text)
{
	size_t len = strlen(text);

	if (f->len + len <= KNOWN_FORM) {
		memcpy(f->room + f->len, text, len);
		f->len += len;
	}
}

static void add_byte(struct forms *f, char c)
{
	if (f->len < KNOWN_FORM)
		f->room[f->len++] = c;
}

static void add_hex(struct forms *f, const char *before, unsigned char c, bool upper)
{
	char digits[3];

	(void)snprintf(digits, sizeof(digits), upper ? "%02X" : "%02x", c);
	add(f, before);
	add(f, digits);
}

static void hex_lower(struct forms *f, unsigned char c)
{
	add_hex(f, "", c, false);
}

static void hex_upper(struct forms *f, unsigned char c)
{
	add_hex(f, "", c, true);
}

static void escaped_hex(struct forms *f, unsigned char c)
{
	add_hex(f, "\\x", c, false);
}

static bool is_unreserved(unsigned char c)
{
	return isalnum(c) || (c && strchr("-_.~", c));
}

static void url_upper(struct forms *f, unsigned char c)
{
	if (is_unreserved(c))
		add_byte(f, (char)c);
	else
		add_hex(f, "%", c, true);
}

static void url_lower(struct forms *f, unsigned char c)
{
	if (is_unreserved(c))
		add_byte(f, (char)c);
	else
		add_hex(f, "%", c, false);
}

/* Forms on web pages, and what JavaScript's encodeURIComponent() leaves. */
static void url_form(struct forms *f, unsigned char c)
{
	if (c == ' ')
		add_byte(f, '+');
	else if (c && strchr("!'()*", c))
		add_byte(f, (char)c);
	else
		url_upper(f, c);
}

static void url_path(struct forms *f, unsigned char c)
{
	if (c == '/')
		add_byte(f, '/');
	else
		url_upper(f, c);
}

/* What JSON, C, JavaScript and Python have in common; quote is the one that needs a backslash. */
static void backslashed(struct forms *f, unsigned char c, char quote)
{
	static const char plain[] = "\b\f\n\r\t", named[] = "bfnrt";
	const char *special = c ? strchr(plain, c) : NULL;

	if (c == '\\' || c == (unsigned char)quote) {
		add_byte(f, '\\');
		add_byte(f, (char)c);
	} else if (special) {
		add_byte(f, '\\');
		add_byte(f, named[special - plain]);
	} else if (c < 0x20) {
		add_hex(f, "\\u00", c, false);
	} else {
		add_byte(f, (char)c);
	}
}

static void json(struct forms *f, unsigned char c)
{
	backslashed(f, c, '"');
}

static void json_slash(struct forms *f, unsigned char c)
{
	if (c == '/')
		add(f, "\\/");
	else
		backslashed(f, c, '"');
}

static void python(struct forms *f, unsigned char c)
{
	backslashed(f, c, '\'');
}

static void quoted_twice(struct forms *f, unsigned char c)
{
	if (c == '\\')
		add(f, "\\\\\\\\");
	else if (c == '"')
		add(f, "\\\\\\\"");
	else if (c == '\n')
		add(f, "\\\\n");
	else
		backslashed(f, c, '"');
}

static void xml(struct forms *f, unsigned char c)
{
	static const char special[] = "<>&\"'";
	static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
	const char *found = c ? strchr(special, c) : NULL;

	if (found)
		add(f, entity[found - special]);
	else
		add_byte(f, (char)c);
}

static void xml_text(struct forms *f, unsigned char c)
{
	if (c == '"' || c == '\'')
		add_byte(f, (char)c);
	else
		xml(f, c);
}

static void xml_apos(struct forms *f, unsigned char c)
{
	if (c == '\'')
		add(f, "&apos;");
	else
		xml(f, c);
}

static void shell_single(struct forms *f, unsigned char c)
{
	if (c == '\'')
		add(f, "'\\''");
	else
		add_byte(f, (char)c);
}

static void shell_double(struct forms *f, unsigned char c)
{
	if (c && strchr("\"\\$`", c))
		add_byte(f, '\\');
	add_byte(f, (char)c);
}

/* printf %q */
static void shell_plain(struct forms *f, unsigned char c)
{
	if (c < 0x80 && !isalnum(c) && !(c && strchr("_-./:=@%+,", c)))
		add_byte(f, '\\');
	add_byte(f, (char)c);
}

static void plain(struct forms *f, unsigned char c)
{
	add_byte(f, (char)c);
}

static void (*const by_byte[])(struct forms *f, unsigned char c) = {
	plain,    hex_lower, hex_upper, escaped_hex,  url_upper,    url_lower,
	url_form, url_path,  json,      json_slash,   python,       quoted_twice,
	xml,      xml_text,  xml_apos,  shell_single, shell_double, shell_plain,
};

/* As it will look behind neutral.c, like everything that is scanned. */
static int give(struct forms *f, struct error *err)
{
	own_str clean = malloc(f->len * 3 + 16);
	const char *from = f->room;
	size_t left = f->len, len;
	struct neutral n = {0};

	if (!clean)
		return fail_sys(err, "keep known secrets");
	len = neutral_feed(&n, &from, &left, clean, f->len * 3 + 16);
	len += neutral_finish(&n, clean + len);
	f->len = 0;
	return f->take(f->context, clean, len < KNOWN_FORM ? len : KNOWN_FORM, err);
}

/* All characters that depend on nothing but the value, if shift bytes stand before it. */
static int base64(struct forms *f, const char *value, size_t len, size_t shift, const char *last,
		  struct error *err)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	size_t first = (shift * 8 + 5) / 6, end = (shift + len) * 8 / 6;

	for (size_t i = first; i < end; i++) {
		unsigned six = 0;

		for (size_t b = i * 6; b < i * 6 + 6; b++) {
			unsigned char byte = (unsigned char)value[b / 8 - shift];

			six = six << 1 | ((unsigned)byte >> (7 - b % 8) & 1u);
		}
		add_byte(f, six < 62 ? letters[six] : last[six - 62]);
	}
	return give(f, err);
}

/* Letters beyond ASCII as \uXXXX, the standard of many JSON writers. */
static int json_ascii(struct forms *f, const char *value, size_t len, struct error *err)
{
	char text[16];

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = (unsigned char)value[i];

		n = text_utf8_char(value + i, len - i);
		if (n <= 1) {
			n = 1;
			json(f, (unsigned char)c);
			continue;
		}
		c &= 0xffu >> (n + 1);
		for (size_t j = 1; j < n; j++)
			c = c << 6 | ((unsigned char)value[i + j] & 0x3fu);
		if (c >= 0x10000)
			(void)snprintf(text, sizeof(text), "\\u%04x\\u%04x",
				       0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
		else
			(void)snprintf(text, sizeof(text), "\\u%04x", c);
		add(f, text);
	}
	return give(f, err);
}

static int reversed(struct forms *f, const char *value, size_t len, struct error *err)
{
	while (len > 0)
		add_byte(f, value[--len]);
	return give(f, err);
}

static int all_forms(struct forms *f, const char *value, size_t len, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(by_byte); i++) {
		for (size_t j = 0; j < len; j++)
			by_byte[i](f, (unsigned char)value[j]);
		if (give(f, err) < 0)
			return -1;
	}
	for (size_t shift = 0; shift < 3; shift++)
		if (base64(f, value, len, shift, "+/", err) < 0 ||
		    base64(f, value, len, shift, "-_", err) < 0)
			return -1;
	return json_ascii(f, value, len, err) < 0 ? -1 : reversed(f, value, len, err);
}

/* Each line by itself: between them there may be indentation, or the name of a program. */
static int lines(struct forms *f, const char *value, size_t len, struct error *err)
{
	const char *end = value + len;

	if (!memchr(value, '\n', len))
		return 0;
	while (value < end) {
		const char *stop = memchr(value, '\n', (size_t)(end - value));
		size_t n = (size_t)((stop ? stop : end) - value);

		if (n >= LINE_LEAST && all_forms(f, value, n, err) < 0)
			return -1;
		value += n + 1;
	}
	return 0;
}

static void trim(const char **value, size_t *len, const char *what)
{
	while (*len > KNOWN_LEAST && strchr(what, (*value)[*len - 1]) && (*value)[*len - 1])
		(*len)--;
	while (*len > KNOWN_LEAST && strchr(what, **value) && **value) {
		(*value)++;
		(*len)--;
	}
}

int known_forms(const char *value, size_t len, known_form *take, void *context, struct error *err)
{
	own_str room = malloc(KNOWN_FORM + 64);
	struct forms f = {.room = room, .take = take, .context = context};
	size_t whole = len;
	int result;

	if (!room)
		return fail_sys(err, "keep known secrets");
	result = all_forms(&f, value, len, err);
	if (result == 0)
		result = lines(&f, value, len, err);
	trim(&value, &len, " \t\r\n\"'");
	if (result == 0 && len < whole)
		result = all_forms(&f, value, len, err);
	explicit_bzero(room, KNOWN_FORM + 64);
	return result;
}
