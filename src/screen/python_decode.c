/* SPDX-License-Identifier: Apache-2.0 */
/* python_decode.c - escapes of literals, and what the usual decoders make of a string. */
#include "screen/python_decode.h"

#include <ctype.h>
#include <string.h>

#include "base/own.h"

void py_make(struct py_maker *m, struct py *p, size_t room)
{
	struct error err;

	*m = (struct py_maker){.p = p};
	m->data = room <= PY_CONSTANT_MAX ? arena_alloc(p->scratch, room + 1, &err) : NULL;
	m->failed = !m->data;
	if (room <= PY_CONSTANT_MAX && !m->data)
		p->failed = true;
}

bool py_made(struct py_maker *m, struct py_constant *ret, bool composed)
{
	if (m->failed)
		return false;
	m->data[m->len] = '\0';
	*ret = (struct py_constant){m->data, m->len, composed};
	return true;
}

/* A code point as UTF-8; the caller has room for four bytes. */
void py_put_char(struct py_maker *m, unsigned long c)
{
	if (c > 0x10ffff) {
		m->failed = true;
	} else if (c < 0x80) {
		m->data[m->len++] = (char)c;
	} else if (c < 0x800) {
		m->data[m->len++] = (char)(0xc0 | (c >> 6));
		m->data[m->len++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		m->data[m->len++] = (char)(0xe0 | (c >> 12));
		m->data[m->len++] = (char)(0x80 | ((c >> 6) & 0x3f));
		m->data[m->len++] = (char)(0x80 | (c & 0x3f));
	} else {
		m->data[m->len++] = (char)(0xf0 | (c >> 18));
		m->data[m->len++] = (char)(0x80 | ((c >> 12) & 0x3f));
		m->data[m->len++] = (char)(0x80 | ((c >> 6) & 0x3f));
		m->data[m->len++] = (char)(0x80 | (c & 0x3f));
	}
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

size_t py_read_digits(const char *text, size_t left, size_t most, int base, unsigned long *ret)
{
	size_t n = 0;

	*ret = 0;
	while (n < most && n < left && digit_value(text[n]) < base) {
		*ret = *ret * (unsigned long)base + (unsigned long)digit_value(text[n]);
		n++;
	}
	return n;
}

static const struct plain_escape {
	char written;
	char meant;
} plain_escapes[] = {
	{'n', '\n'}, {'t', '\t'}, {'r', '\r'},  {'a', '\a'},  {'b', '\b'},
	{'f', '\f'}, {'v', '\v'}, {'\\', '\\'}, {'\'', '\''}, {'"', '"'},
};

static const struct number_escape {
	char written;
	size_t digits;
} number_escapes[] = {{'x', 2}, {'u', 4}, {'U', 8}};

/* text is behind the backslash; how much of it the escape takes. */
static size_t put_escape(struct py_maker *m, const char *text, size_t left)
{
	unsigned long value;
	size_t n;

	if (left == 0 || text[0] == 'N') { /* \N{LATIN SMALL LETTER S}: we know no names */
		m->failed = true;
		return left;
	}
	if (text[0] == '\n')
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(plain_escapes); i++) {
		if (plain_escapes[i].written == text[0]) {
			m->data[m->len++] = plain_escapes[i].meant;
			return 1;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(number_escapes); i++) {
		if (number_escapes[i].written == text[0]) {
			n = py_read_digits(text + 1, left - 1, number_escapes[i].digits, 16,
					   &value);
			py_put_char(m, value);
			return n + 1;
		}
	}
	n = py_read_digits(text, left, 3, 8, &value);
	if (n > 0)
		py_put_char(m, value);
	else
		m->data[m->len++] = '\\';
	return n;
}

/* No escape makes more bytes than it takes but for \NNN and \xNN above 0x7f: twice is enough. */
bool py_decode_escapes(struct py *p, const char *text, size_t len, bool raw,
		       struct py_constant *ret)
{
	struct py_maker m;

	py_make(&m, p, 2 * len + 4);
	for (size_t i = 0; !m.failed && i < len;) {
		if (raw || text[i] != '\\') {
			m.data[m.len++] = text[i++];
			continue;
		}
		i++;
		i += put_escape(&m, text + i, len - i);
	}
	return py_made(&m, ret, false);
}

bool py_from_hex(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	struct py_maker m;

	py_make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len;) {
		unsigned long value;

		if (isspace((unsigned char)in->data[i])) {
			i++;
		} else if (py_read_digits(in->data + i, in->len - i, 2, 16, &value) == 2) {
			m.data[m.len++] = (char)value;
			i += 2;
		} else {
			return false;
		}
	}
	return py_made(&m, ret, true);
}

bool py_from_base64(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned long bits = 0;
	unsigned n = 0;
	struct py_maker m;

	py_make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len && in->data[i] != '='; i++) {
		char c = in->data[i];
		const char *digit;

		c = c == '-' ? '+' : c == '_' ? '/' : c;
		digit = c ? strchr(alphabet, c) : NULL;
		if (!digit)
			continue; /* so does Python */
		bits = (bits << 6 | (unsigned long)(digit - alphabet)) & 0xffffff;
		n += 6;
		if (n >= 8) {
			n -= 8;
			m.data[m.len++] = (char)(bits >> n);
		}
	}
	return py_made(&m, ret, true);
}

bool py_from_rot13(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	struct py_maker m;

	py_make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len; i++) {
		char c = in->data[i];

		if (isalpha((unsigned char)c)) {
			char base = islower((unsigned char)c) ? 'a' : 'A';

			c = (char)(base + (c - base + 13) % 26);
		}
		m.data[m.len++] = c;
	}
	return py_made(&m, ret, true);
}

static bool change_case(struct py *p, const struct py_constant *in, int (*to)(int),
			struct py_constant *ret)
{
	struct py_maker m;

	py_make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len; i++)
		m.data[m.len++] = (char)to((unsigned char)in->data[i]);
	return py_made(&m, ret, true);
}

bool py_to_lower(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	return change_case(p, in, tolower, ret);
}

bool py_to_upper(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	return change_case(p, in, toupper, ret);
}

static int swapped(int c)
{
	return isupper(c) ? tolower(c) : toupper(c);
}

bool py_to_swapped(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	return change_case(p, in, swapped, ret);
}

bool py_as_it_is(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	(void)p;
	*ret = *in;
	ret->composed = true;
	return true;
}

bool py_to_stripped(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	size_t begin = 0, end = in->len;

	(void)p;
	while (begin < end && isspace((unsigned char)in->data[begin]))
		begin++;
	while (end > begin && isspace((unsigned char)in->data[end - 1]))
		end--;
	*ret = (struct py_constant){in->data + begin, end - begin, true};
	return true;
}
