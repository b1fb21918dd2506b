/* SPDX-License-Identifier: Apache-2.0 */
/* phrases.c - words with a blank behind them that say that a secret follows: "Bearer ...". */
#include "redact/phrases.h"

#include <string.h>
#include <strings.h>

enum {
	BLANKS = 3,
	TOKEN = 16, /* characters of a value */
	BASIC = 8,
};
_Static_assert((int)PHRASES_VALUE <= (int)BASIC && (int)BASIC <= (int)TOKEN, "see signs.c");

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Where at most so many blanks before text[end] begin. */
static size_t blanks_before(const char *text, size_t end, size_t most)
{
	size_t at = end;

	while (at > 0 && end - at < most && is_blank(text[at - 1]))
		at--;
	return at;
}

static bool ends_in(const char *text, size_t end, const char *word)
{
	size_t len = strlen(word);

	return end >= len && memcmp(text + end - len, word, len) == 0;
}

/* The same in small letters or capitals. */
static bool ends_in_either(const char *text, size_t end, const char *word)
{
	size_t len = strlen(word);

	return end >= len && strncasecmp(text + end - len, word, len) == 0;
}

/* Behind what values of any of them are made of, at most so many bytes. */
static size_t value_end(const char *text, size_t high, size_t at, size_t most)
{
	static const bool value[256] = {
		['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['.'] = true,
		['_'] = true,         ['~'] = true,         ['+'] = true,         ['/'] = true,
		['='] = true,         ['-'] = true,
	};
	size_t end = high - at < most ? high : at + most;

	while (at < end && value[(unsigned char)text[at]])
		at++;
	return at;
}

static bool has_value(const char *text, size_t high, size_t at, size_t least)
{
	return value_end(text, high, at, least) == at + least;
}

/* The rules of tokens ask for what is random: of the first bytes of a value, which tell. */
static bool is_random(const char *text, size_t high, size_t at)
{
	size_t end = value_end(text, high, at, CHECK_ENOUGH);
	struct found f = {text, at, end, at, end, high};

	return check_random(&f);
}

/* "authorization: " before text[end], with quotes or without. */
static bool is_authorization(const char *text, size_t end)
{
	if (end > 0 && is_quote(text[end - 1]))
		end--;
	end = blanks_before(text, end, BLANKS);
	if (end == 0 || (text[end - 1] != ':' && text[end - 1] != '='))
		return false;
	end = blanks_before(text, end - 1, BLANKS);
	if (end > 0 && is_quote(text[end - 1]))
		end--;
	return ends_in_either(text, end, "authorization");
}

enum redact_hand phrases_value(const char *text, size_t high, size_t at)
{
	size_t end = blanks_before(text, at, BLANKS);

	if (end == at || end == 0)
		return HAND_NONE;
	switch (text[end - 1] | 0x20) {
	case 'r':
		return has_value(text, high, at, TOKEN) && ends_in_either(text, end, "bearer") &&
				       is_random(text, high, at)
			       ? HAND_BEARER
			       : HAND_NONE;
	case 'n':
		return has_value(text, high, at, TOKEN) && ends_in_either(text, end, "token") &&
				       is_authorization(text, end - strlen("token")) &&
				       is_random(text, high, at)
			       ? HAND_AUTH_TOKEN
			       : HAND_NONE;
	case 'c':
		return has_value(text, high, at, BASIC) && ends_in_either(text, end, "basic") &&
				       is_authorization(text, end - strlen("basic"))
			       ? HAND_BASIC
			       : HAND_NONE;
	default:
		return HAND_NONE;
	}
}

bool phrases_private_key(const char *text, size_t at)
{
	size_t end = at > 0 && text[at - 1] == ' ' ? at - 1 : at;

	if (ends_in(text, end, " BLOCK"))
		end -= strlen(" BLOCK");
	return ends_in(text, end, "PRIVATE KEY");
}

bool phrases_putty(const char *text, size_t high, size_t at)
{
	return high - at > 2 && text[at + 1] == ' ' && (unsigned char)(text[at + 2] - '0') < 10 &&
	       ends_in(text, at, "Private-Lines");
}

bool phrases_sshpass(const char *text, size_t high, size_t at)
{
	size_t end = at;

	while (end > 0 && at - end < 2 && text[end - 1] == ' ')
		end--;
	return end < at && high - at > 2 && text[at + 1] == 'p' && ends_in(text, end, "sshpass");
}
