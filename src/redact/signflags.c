/* SPDX-License-Identifier: Apache-2.0 */
/* signflags.c - "--password X" and ["--token", "X"]: an option with its value behind it.
 *
 * What ends a word of the command ends the value, too, so no byte is read for two of them.
 */
#include <string.h>
#include <strings.h>

#include "redact/signlook.h"

enum {
	NAME_LEAST = 4, /* "-pwd" */
	NAME_MOST = 40,
	BLANKS = 3,
	SLASHES = 3, /* before a quote, of text within a string */
	PASSWORD_LEAST = 6,
	SECRET_LEAST = 10,
};

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool is_joint(char c)
{
	return c == '_' || c == '-';
}

static bool in_name(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || is_joint(c);
}

/* Where a word before text[end] begins; 0: another one is there. */
static size_t begin_of(const char *text, size_t end, const char *word)
{
	size_t len = strlen(word);

	return end > len && strncasecmp(text + end - len, word, len) == 0 ? end - len : 0;
}

static bool is_key(const char *text, size_t end)
{
	static const char *const kinds[] = {"api", "access", "auth", "private", "secret"};
	size_t key = begin_of(text, end, "key");

	if (key == 0)
		return false;
	key -= is_joint(text[key - 1]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begin_of(text, key, kinds[i]))
			return true;
	return false;
}

static bool is_short_password(const char *text, size_t end, const char *word)
{
	size_t begin = begin_of(text, end, word);

	return begin > 0 && is_joint(text[begin - 1]);
}

/* What a name says that ends before text[end]. */
static enum redact_hand hand_of(const char *text, size_t end)
{
	bool password = false, secret = false;

	switch (text[end - 1] | 0x20) {
	case 'd':
		password = begin_of(text, end, "password") || begin_of(text, end, "passwd") ||
			   is_short_password(text, end, "pwd");
		break;
	case 'e':
		password = begin_of(text, end, "passphrase") > 0;
		break;
	case 's':
		password = is_short_password(text, end, "pass");
		break;
	case 'n':
		secret = begin_of(text, end, "token") > 0;
		break;
	case 't':
		secret = begin_of(text, end, "secret") > 0;
		break;
	case 'y':
		secret = is_key(text, end);
		break;
	default:
		break;
	}
	if (password)
		return HAND_OPTION_PASSWORD;
	return secret ? HAND_OPTION_SECRET : HAND_NONE;
}

/* Behind a quote at text[at], with backslashes or without; at: there is none. */
static size_t quote_end(const struct signlook *l, size_t at)
{
	size_t i = at;

	while (i < l->high && i - at < SLASHES && l->text[i] == '\\')
		i++;
	return i < l->high && is_quote(l->text[i]) ? i + 1 : at;
}

/* The value behind the name that ends at text[end]; 0: there is none. */
static size_t value_begin(const struct signlook *l, size_t end)
{
	size_t at = end;

	if (l->text[at] == ' ') {
		while (at < l->high && at - end < BLANKS && l->text[at] == ' ')
			at++;
		return quote_end(l, at);
	}
	at = quote_end(l, at);
	if (at == end || at >= l->high)
		return 0;
	at += l->text[at] == ' ';
	if (at >= l->high || l->text[at] != ',')
		return 0;
	at++;
	return quote_end(l, at + (at < l->high && l->text[at] == ' '));
}

void signflags_try(struct signlook *l, size_t at)
{
	size_t end = at, begin, least;
	enum redact_hand hand;
	struct found f;

	while (end < l->high && end - at < NAME_MOST && in_name(l->text[end]))
		end++;
	if (end >= l->high || end - at < NAME_LEAST ||
	    (l->text[end] != ' ' && l->text[end] != '\\' && !is_quote(l->text[end])))
		return;
	hand = hand_of(l->text, end);
	if (hand == HAND_NONE || !signlook_wanted(l, hand))
		return;
	begin = value_begin(l, end);
	least = hand == HAND_OPTION_PASSWORD ? PASSWORD_LEAST : SECRET_LEAST;
	if (begin == 0 || begin >= l->high || l->text[begin] == '-')
		return;
	f = (struct found){l->text, at, begin, begin, begin, l->high};
	while (f.end < l->high && signlook_in_value(l->text[f.end]))
		f.end++;
	f.to = f.end;
	if (f.end - begin >= least)
		(void)signlook_take(l, hand, &f);
}
