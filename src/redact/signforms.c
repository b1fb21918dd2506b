/* SPDX-License-Identifier: Apache-2.0 */
/* signforms.c - formats that have a "." or a "://" in their middle, found there.
 *
 * They have no word that a search could begin with, and their signs are in every line: a database
 * of patterns would stop at each of them.  Nothing is read twice: what is read around a sign ends
 * at the next one of its kind.
 */
#include "redact/signforms.h"

#include <string.h>

#include "redact/lanes.h"

enum {
	BOT_FIRST = 23, /* characters behind the first, up to the dot */
	BOT_FIRST_MOST = 27,
	BOT_SECOND = 6,
	BOT_THIRD = 27,
	SCHEME_MOST = 25,
	USER_MOST = 64,
	PASSWORD_MOST = 256,
	TOKEN_LEAST = 20,
	TOKEN_MOST = 256,
};

enum { TOKEN = 1, WORD = 2, SCHEME = 4, NO_USER = 8, NO_PASSWORD = 16, HOST = 32 };

static const unsigned char kinds[256] = {
	['0' ... '9'] = TOKEN | WORD | SCHEME | HOST,
	['a' ... 'z'] = TOKEN | WORD | SCHEME | HOST,
	['A' ... 'Z'] = TOKEN | WORD | HOST,
	['_'] = TOKEN | WORD,
	['-'] = TOKEN | SCHEME | HOST,
	['+'] = SCHEME,
	['.'] = SCHEME | HOST,
	[':'] = NO_USER,
	[' '] = NO_USER | NO_PASSWORD,
	['\t'] = NO_USER | NO_PASSWORD,
	['\n'] = NO_USER | NO_PASSWORD,
	['@'] = NO_USER | NO_PASSWORD,
	['/'] = NO_USER | NO_PASSWORD,
	['"'] = NO_USER | NO_PASSWORD,
	['\''] = NO_USER | NO_PASSWORD,
	['<'] = NO_USER | NO_PASSWORD,
	['>'] = NO_USER | NO_PASSWORD,
	['`'] = NO_USER | NO_PASSWORD,
};

static bool is(const char *text, size_t i, unsigned kind)
{
	return kinds[(unsigned char)text[i]] & kind;
}

/* Behind the characters of a kind from text[at] on, at most so many. */
static size_t run_of(const char *text, size_t high, size_t at, size_t most, unsigned kind)
{
	size_t end = high - at < most ? high : at + most;

	while (at < end && is(text, at, kind))
		at++;
	return at;
}

/* Those of sixteen that are NO_PASSWORD, and ":" if that counts. */
static inline uint32_t ends_in(lanes v, unsigned char colon)
{
	return lanes_bits((lanes)(v == ' ') | (lanes)(v == '\t') | (lanes)(v == '\n') |
			  (lanes)(v == '@') | (lanes)(v == '/') | (lanes)(v == '"') |
			  (lanes)(v == '\'') | (lanes)((v | 2) == '>') | (lanes)(v == '`') |
			  (lanes)(v == colon));
}

/* kind: NO_USER or NO_PASSWORD. */
static size_t run_without(const char *text, size_t high, size_t at, size_t most, unsigned kind)
{
	size_t end = high - at < most ? high : at + most;

	for (; end - at >= LANES; at += LANES) {
		uint32_t ends = ends_in(lanes_load(text + at), kind == NO_USER ? ':' : '@');

		if (ends)
			return at + (size_t)__builtin_ctz(ends);
	}
	while (at < end && !is(text, at, kind))
		at++;
	return at;
}

/* Where the characters of a kind before text[at] begin, at most so many. */
static size_t run_before(const char *text, size_t at, size_t most, unsigned kind)
{
	size_t least = at < most ? 0 : at - most;

	while (at > least && is(text, at - 1, kind))
		at--;
	return at;
}

static bool begins_bot(const char *text, size_t i)
{
	return (text[i] == 'M' || text[i] == 'N' || text[i] == 'O') &&
	       (i == 0 || !is(text, i - 1, WORD));
}

bool signforms_bot(const char *text, size_t high, size_t dot, struct found *ret)
{
	size_t third = dot + 1 + BOT_SECOND + 1, from, end;

	if (third + BOT_THIRD > high || text[third - 1] != '.' ||
	    run_of(text, high, dot + 1, BOT_SECOND, TOKEN) != third - 1 ||
	    run_of(text, high, third, BOT_THIRD, TOKEN) != third + BOT_THIRD)
		return false;
	from = run_before(text, dot, BOT_FIRST_MOST + 1, TOKEN);
	while (from + BOT_FIRST < dot && !begins_bot(text, from))
		from++;
	if (from + BOT_FIRST >= dot)
		return false;
	end = run_of(text, high, third, high, TOKEN);
	*ret = (struct found){text, from, end, from, end, high};
	return true;
}

/* The first letter of a scheme before text[at]; at: there is none. */
static size_t scheme_before(const char *text, size_t at)
{
	size_t from = run_before(text, at, SCHEME_MOST, SCHEME);

	while (from + 1 < at && !(text[from] >= 'a' && text[from] <= 'z'))
		from++;
	return from + 1 < at ? from : at;
}

bool signforms_url_password(const char *text, size_t high, size_t at, struct found *ret)
{
	size_t from = scheme_before(text, at), user, end;

	if (from == at)
		return false;
	user = run_without(text, high, at + 3, USER_MOST, NO_USER);
	if (user >= high || text[user] != ':')
		return false;
	end = run_without(text, high, user + 1, PASSWORD_MOST, NO_PASSWORD);
	if (end == user + 1 || end >= high || text[end] != '@')
		return false;
	*ret = (struct found){text, from, end + 1, user + 1, end, high};
	return true;
}

bool signforms_url_token(const char *text, size_t high, size_t at, struct found *ret)
{
	size_t from, end;

	if (at >= 5 && memcmp(text + at - 5, "https", 5) == 0)
		from = at - 5;
	else if (at >= 4 && memcmp(text + at - 4, "http", 4) == 0)
		from = at - 4;
	else
		return false;
	end = run_of(text, high, at + 3, TOKEN_MOST, TOKEN);
	if (end < at + 3 + TOKEN_LEAST || end + 1 >= high || text[end] != '@' ||
	    !is(text, end + 1, HOST))
		return false;
	*ret = (struct found){text, from, end + 2, at + 3, end, high};
	return true;
}
