/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_formats.c - the formats that are really checked; any other name is a load error.
 *
 * Whoever writes "format": "date" means that nothing else may come in, so here
 * a format refuses.  (The standard's default is a remark that nobody checks.)
 */
#include "policy/jsonschema_parts.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/own.h"

/* What is left of the text.  Taking something that is not there makes it bad, for good. */
struct rest {
	const char *at, *end;
	bool bad;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static char peek(const struct rest *t)
{
	return t->at < t->end ? *t->at : '\0';
}

static bool done(const struct rest *t)
{
	return !t->bad && t->at == t->end;
}

static bool take_if(struct rest *t, char c)
{
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

static void take(struct rest *t, char c)
{
	if (!take_if(t, c))
		t->bad = true;
}

/* Exactly n digits, at least min and at most max. */
static unsigned take_number(struct rest *t, unsigned n, unsigned min, unsigned max)
{
	unsigned value = 0;

	for (; n > 0; n--) {
		if (!is_digit(peek(t))) {
			t->bad = true;
			return 0;
		}
		value = value * 10 + (unsigned)(*t->at++ - '0');
	}
	t->bad |= value < min || value > max;
	return value;
}

/* At least one. */
static void take_digits(struct rest *t)
{
	t->bad |= !is_digit(peek(t));
	while (is_digit(peek(t)))
		t->at++;
}

static void take_date(struct rest *t)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	unsigned year, month, last;

	year = take_number(t, 4, 0, 9999);
	take(t, '-');
	month = take_number(t, 2, 1, 12);
	take(t, '-');
	if (t->bad)
		return;
	last = days[month - 1];
	if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
		last++;
	(void)take_number(t, 2, 1, last);
}

/* Minutes to add; a leap second is the last of a day in UTC. */
static int take_zone(struct rest *t)
{
	int sign = peek(t) == '-' ? 1 : -1, minutes;

	if (take_if(t, 'Z') || take_if(t, 'z'))
		return 0;
	if (!take_if(t, '-'))
		take(t, '+');
	minutes = (int)take_number(t, 2, 0, 23) * 60;
	take(t, ':');
	return sign * (minutes + (int)take_number(t, 2, 0, 59));
}

static void take_time(struct rest *t)
{
	unsigned second;
	int minutes;

	minutes = (int)take_number(t, 2, 0, 23) * 60;
	take(t, ':');
	minutes += (int)take_number(t, 2, 0, 59);
	take(t, ':');
	second = take_number(t, 2, 0, 60);
	if (take_if(t, '.'))
		take_digits(t);
	minutes += take_zone(t);
	t->bad |= second == 60 && (minutes + 1440) % 1440 != 23 * 60 + 59;
}

static bool is_date(const char *text, size_t len)
{
	struct rest t = {text, text + len, false};

	take_date(&t);
	return done(&t);
}

static bool is_time(const char *text, size_t len)
{
	struct rest t = {text, text + len, false};

	take_time(&t);
	return done(&t);
}

static bool is_date_time(const char *text, size_t len)
{
	struct rest t = {text, text + len, false};

	take_date(&t);
	if (!take_if(&t, 't'))
		take(&t, 'T');
	take_time(&t);
	return done(&t);
}

/* Numbers with units of this list, none left out between the first and the last. */
static void take_units(struct rest *t, const char *units)
{
	bool any = false;

	while (is_digit(peek(t)) && !t->bad) {
		const char *unit;

		take_digits(t);
		unit = peek(t) ? strchr(units, peek(t)) : NULL;
		t->bad |= !unit || (any && unit != units);
		if (t->bad)
			return;
		units = unit + 1;
		any = true;
		t->at++;
	}
	t->bad |= !any;
}

static bool is_duration(const char *text, size_t len)
{
	struct rest t = {text, text + len, false};

	take(&t, 'P');
	if (len > 2 && text[len - 1] == 'W') {
		take_units(&t, "W");
		return done(&t);
	}
	if (peek(&t) != 'T')
		take_units(&t, "YMD");
	if (take_if(&t, 'T'))
		take_units(&t, "HMS");
	return done(&t);
}

static bool is_address(int family, const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN + 1];
	unsigned char address[16];

	if (len >= sizeof(copy) || memchr(text, '\0', len))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return inet_pton(family, copy, address) == 1;
}

static bool is_ipv4(const char *text, size_t len)
{
	return is_address(AF_INET, text, len);
}

static bool is_ipv6(const char *text, size_t len)
{
	return is_address(AF_INET6, text, len);
}

static bool is_uuid(const char *text, size_t len)
{
	if (len != 36)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !is_hex(text[i]))
			return false;
	}
	return true;
}

static bool is_json_pointer(const char *text, size_t len)
{
	if (len > 0 && text[0] != '/')
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] == '~' && (i + 1 == len || (text[i + 1] != '0' && text[i + 1] != '1')))
			return false;
	return true;
}

static bool is_relative_json_pointer(const char *text, size_t len)
{
	struct rest t = {text, text + len, false};

	if (!take_if(&t, '0'))
		take_digits(&t);
	if (t.bad)
		return false;
	if (take_if(&t, '#'))
		return done(&t);
	return is_json_pointer(t.at, (size_t)(t.end - t.at));
}

/* RFC 3986: characters that stand for themselves, and percent signs with two digits. */
static void take_chars(struct rest *t, const char *extra)
{
	static const char always[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789-._~!$&'()*+,;=";

	while (t->at < t->end && !t->bad) {
		char c = *t->at;

		if (c == '%') {
			t->bad = t->end - t->at < 3 || !is_hex(t->at[1]) || !is_hex(t->at[2]);
			t->at += t->bad ? 0 : 3;
		} else if (c && (strchr(always, c) || strchr(extra, c))) {
			t->at++;
		} else {
			return;
		}
	}
}

static void take_literal(struct rest *t)
{
	const char *close = memchr(t->at, ']', (size_t)(t->end - t->at));
	struct rest inside = {t->at + 1, close, false};

	if (!close) {
		t->bad = true;
		return;
	}
	if ((peek(&inside) | 32) == 'v') { /* "v1.anything" */
		inside.at++;
		inside.bad = !is_hex(peek(&inside));
		while (is_hex(peek(&inside)))
			inside.at++;
		take(&inside, '.');
		inside.bad |= inside.at == inside.end ||
			      memchr(inside.at, '%', (size_t)(close - inside.at));
		take_chars(&inside, ":");
		t->bad |= !done(&inside);
	} else {
		t->bad |= !is_ipv6(inside.at, (size_t)(close - inside.at));
	}
	t->at = close + 1;
}

static void take_authority(struct rest *t)
{
	struct rest user = *t;

	take_chars(&user, ":");
	if (take_if(&user, '@'))
		*t = user;
	if (peek(t) == '[')
		take_literal(t);
	else
		take_chars(t, "");
	if (take_if(t, ':'))
		while (is_digit(peek(t)))
			t->at++;
	t->bad |= t->at < t->end && !strchr("/?#", *t->at);
}

static bool take_scheme(struct rest *t)
{
	const char *c = t->at;

	if (c == t->end || (*c | 32) < 'a' || (*c | 32) > 'z')
		return false;
	while (c < t->end && (is_digit(*c) || ((*c | 32) >= 'a' && (*c | 32) <= 'z') || *c == '+' ||
			      *c == '-' || *c == '.'))
		c++;
	if (c == t->end || *c != ':')
		return false;
	t->at = c + 1;
	return true;
}

static bool is_reference(const char *text, size_t len, bool absolute)
{
	struct rest t = {text, text + len, false};
	bool scheme = take_scheme(&t);
	const char *path;

	if (absolute && !scheme)
		return false;
	if (t.end - t.at >= 2 && t.at[0] == '/' && t.at[1] == '/') {
		t.at += 2;
		take_authority(&t);
	}
	path = t.at;
	take_chars(&t, ":@/");
	/* Without a scheme the first segment has no colon: it would be one. */
	for (const char *c = path; !scheme && c < t.at && *c != '/'; c++)
		t.bad |= *c == ':';
	if (take_if(&t, '?'))
		take_chars(&t, ":@/?");
	if (take_if(&t, '#'))
		take_chars(&t, ":@/?");
	return done(&t);
}

static bool is_uri(const char *text, size_t len)
{
	return is_reference(text, len, true);
}

static bool is_uri_reference(const char *text, size_t len)
{
	return is_reference(text, len, false);
}

const struct format formats[] = {
	{"date", is_date, "2026-01-31"},
	{"time", is_time, "23:59:59Z"},
	{"date-time", is_date_time, "2026-01-31T23:59:59Z"},
	{"duration", is_duration, "P1DT12H"},
	{"ipv4", is_ipv4, "192.0.2.1"},
	{"ipv6", is_ipv6, "2001:db8::1"},
	{"uuid", is_uuid, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
	{"uri", is_uri, "https://example.com/a?b#c"},
	{"uri-reference", is_uri_reference, "../a?b#c"},
	{"json-pointer", is_json_pointer, "/a/0"},
	{"relative-json-pointer", is_relative_json_pointer, "1/a"},
	{NULL, NULL, NULL},
};

const struct format *format_find(const char *name)
{
	for (const struct format *f = formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
