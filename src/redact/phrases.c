/* SPDX-License-Identifier: Apache-2.0 */
/* phrases.c - words with a blank behind them that say that a secret follows: "Bearer ...". */
#include "redact/phrases.h"

#include <string.h>
#include <strings.h>

enum {
	BLANKS = 3,
	SCHEME_BLANKS = 8, /* behind "Bearer" */
	SLASHES = 3,       /* before a quote, of text within a string */
	TOKEN = 16,        /* characters of a value */
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

/* Where a quote before text[end] begins, with backslashes or without; end: there is none. */
static size_t quote_before(const char *text, size_t end)
{
	if (end == 0 || !is_quote(text[end - 1]))
		return end;
	end--;
	for (size_t n = 0; end > 0 && n < SLASHES && text[end - 1] == '\\'; n++)
		end--;
	return end;
}

/* Behind the same at text[at]. */
static size_t quote_end(const char *text, size_t high, size_t at)
{
	size_t i = at;

	while (i < high && i - at < SLASHES && text[i] == '\\')
		i++;
	return i < high && is_quote(text[i]) ? i + 1 : at;
}

/* "authorization: " before text[end], with quotes or without. */
static bool is_authorization(const char *text, size_t end)
{
	end = blanks_before(text, quote_before(text, end), BLANKS);
	if (end == 0 || (text[end - 1] != ':' && text[end - 1] != '='))
		return false;
	end = quote_before(text, blanks_before(text, end - 1, BLANKS));
	return ends_in_either(text, end, "authorization");
}

/* "authorization: token", "authorization: apikey" before text[end]. */
static bool is_token_scheme(const char *text, size_t end)
{
	if (ends_in_either(text, end, "token"))
		return is_authorization(text, end - strlen("token"));
	if (!ends_in_either(text, end, "key"))
		return false;
	end -= strlen("key");
	if (is_authorization(text, end))
		return true;
	if (end > 0 && (text[end - 1] == '-' || text[end - 1] == '_'))
		end--;
	return ends_in_either(text, end, "api") && is_authorization(text, end - strlen("api"));
}

enum redact_hand phrases_value(const char *text, size_t high, size_t at)
{
	size_t end = blanks_before(text, at, SCHEME_BLANKS);

	if (end == at || end == 0)
		return HAND_NONE;
	at = quote_end(text, high, at);
	switch (text[end - 1] | 0x20) {
	case 'r':
		return has_value(text, high, at, TOKEN) && ends_in_either(text, end, "bearer") &&
				       is_random(text, high, at)
			       ? HAND_BEARER
			       : HAND_NONE;
	case 'n':
	case 'y':
		return has_value(text, high, at, TOKEN) && is_token_scheme(text, end) &&
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
