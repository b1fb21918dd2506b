/* SPDX-License-Identifier: Apache-2.0 */
/* signescape.c - JSON within a string: \"password\": \"...\", and \u0022 for its quotes.
 *
 * A value ends at the first quote that closes it, so no byte is read for more than two of them.
 */
#include <string.h>
#include <strings.h>

#include "redact/signlook.h"
#include "redact/signname.h"

enum {
	SLASHES = 3, /* before a quote, of text that was escaped twice */
	BLANKS = 3,
	CLOSINGS = 2,
	PASSWORD_LEAST = 6,
	CLOSED_MOST = 512,
	OPEN_MOST = 64,
	SECRET_LEAST = 10,
	CODE = 5,      /* bytes of "u0022" */
	CLOSING = 8,   /* that are looked at to tell where a value ends */
	REFUSED = 256, /* of a name and a value that are worth remembering */
};

/* A quote with backslashes before it. */
struct escape {
	size_t slashes, end;
	char quote;
};

static bool is_code(const char *text, size_t at)
{
	return strncasecmp(text + at, "u0022", CODE) == 0;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool read_escape(const struct signlook *l, size_t at, struct escape *ret)
{
	size_t i = at;

	while (i < l->high && i - at < SLASHES && l->text[i] == '\\')
		i++;
	ret->slashes = i - at;
	if (i == at || i >= l->high)
		return false;
	if (is_quote(l->text[i])) {
		ret->quote = l->text[i];
		ret->end = i + 1;
		return true;
	}
	ret->quote = '"';
	ret->end = i + CODE;
	return l->high - i > CODE && is_code(l->text, i);
}

/* Behind the name before a sign. */
static size_t name_end(const char *text, size_t sign)
{
	size_t end = sign - (text[sign - 1] == ':' && text[sign] == '=');

	for (size_t n = 0; end > 0 && n < BLANKS && (text[end - 1] == ' ' || text[end - 1] == '\t');
	     n++)
		end--;
	if (end > CODE && text[end - CODE - 1] == '\\' && is_code(text, end - CODE))
		end -= CODE;
	for (size_t n = 0;
	     end > 0 && n < CLOSINGS && (is_quote(text[end - 1]) || text[end - 1] == ']'); n++)
		end--;
	for (size_t n = 0; end > 0 && n < SLASHES && text[end - 1] == '\\'; n++)
		end--;
	return end;
}

/* So many backslashes in a row at text[at], at most. */
static size_t slashes_at(const struct signlook *l, size_t at, size_t most)
{
	size_t n = 0;

	while (n < most && at + n < l->high && l->text[at + n] == '\\')
		n++;
	return n;
}

/* Bytes of what a password has at text[at], where a backslash is; 0: it ends there.  A quote of
 * its own has twice as many before it, and one more. */
static size_t escaped_len(const struct signlook *l, size_t at, const struct escape *e)
{
	size_t one = e->slashes == 1 ? 2 : 4, own = 2 * one - 1;
	size_t n = slashes_at(l, at, own);

	if (n == own && at + n < l->high && l->text[at + n] == e->quote)
		return own + 1;
	if (n >= one)
		return one;
	if (n != 1 || one != 2 || at + 1 >= l->high)
		return 0;
	return l->text[at + 1] == e->quote || (l->text[at + 1] | 0x20) == 'u' ||
			       l->text[at + 1] == '\n'
		       ? 0
		       : 2;
}

/* So many units of a password from text[at] on, at most; *ret_n are there. */
static size_t units_end(const struct signlook *l, const struct escape *e, size_t most,
			size_t *ret_n)
{
	size_t at = e->end, n = 0, len;

	for (; n < most && at < l->high && l->text[at] != e->quote && l->text[at] != '\n'; n++) {
		len = l->text[at] == '\\' ? escaped_len(l, at, e) : 1;
		if (len == 0)
			break;
		at += len;
	}
	*ret_n = n;
	return at;
}

/* To the quote that closes it.  One that nothing closes does not take the line with it, but all of
 * its last word.  *ret_seen: so far was read to tell. */
static size_t password_end(const struct signlook *l, const struct escape *e, size_t *ret_seen)
{
	size_t n, at = units_end(l, e, CLOSED_MOST, &n);

	*ret_seen = at;
	if (n >= PASSWORD_LEAST && n < CLOSED_MOST && at < l->high && l->text[at] != '\n')
		return at;
	at = units_end(l, e, OPEN_MOST, &n);
	if (n < PASSWORD_LEAST)
		return e->end;
	while (at < l->high && l->text[at] != '\\' && signlook_in_value(l->text[at]))
		at++;
	*ret_seen = at > *ret_seen ? at : *ret_seen;
	return at;
}

static size_t secret_end(const struct signlook *l, const struct escape *e)
{
	size_t at = e->end;

	while (at < l->high && signlook_in_value(l->text[at])) {
		if (l->text[at] != '\\') {
			at++;
			continue;
		}
		if (at + 1 >= l->high || !signlook_in_value(l->text[at + 1]) ||
		    (l->text[at + 1] | 0x20) == 'u')
			break;
		at += 2;
	}
	return at;
}

/* Too short for either: most are, in text that is full of them.  What is escaped once is as long
 * for a secret as for a password, at most. */
static bool is_short(const struct signlook *l, const struct escape *e)
{
	size_t n, end;

	if (e->slashes > 1)
		return false;
	end = units_end(l, e, PASSWORD_LEAST, &n);
	return n < PASSWORD_LEAST && end < e->end + SECRET_LEAST;
}

/* In text that says the same again and again one answer is enough. */
static bool is_refused(const struct signlook *l, size_t sign)
{
	const struct signescape_refused *r = &l->no_escape;

	return r->behind > 0 && sign >= r->before && l->high - sign >= r->behind &&
	       memcmp(l->text + sign - r->before, l->text + r->sign - r->before,
		      r->before + r->behind) == 0;
}

/* None of either kind, because of what is from the byte before its name on to text[seen], and the
 * few behind that. */
static void refuse(struct signlook *l, size_t sign, const struct signname *n, size_t seen)
{
	if (n->from > 0 && l->high - seen > CLOSING && seen - n->from < REFUSED)
		l->no_escape = (struct signescape_refused){sign, sign - n->from + 1,
							   seen + CLOSING + 1 - sign};
}

static bool take(struct signlook *l, enum redact_hand hand, size_t from, size_t begin, size_t end)
{
	struct found f = {l->text, from, end, begin, end, l->high};

	return signlook_take(l, hand, &f);
}

void signescape_try(struct signlook *l, size_t sign, size_t at)
{
	size_t end, seen;
	bool taken = false;
	struct escape e;
	struct signname n;

	if (is_refused(l, sign) || !read_escape(l, at, &e) || is_short(l, &e) ||
	    !signname_read(l->text, name_end(l->text, sign), &n))
		return;
	seen = e.end + PASSWORD_LEAST;
	if (signlook_wanted(l, HAND_ESCAPED_PASSWORD) && signname_password(l->text, &n)) {
		end = password_end(l, &e, &seen);
		taken = end > e.end && take(l, HAND_ESCAPED_PASSWORD, n.from, e.end, end);
	}
	if (signlook_wanted(l, HAND_ESCAPED_SECRET) && signname_secret(&n)) {
		end = secret_end(l, &e);
		seen = end > seen ? end : seen;
		taken |= end >= e.end + SECRET_LEAST &&
			 take(l, HAND_ESCAPED_SECRET, n.from, e.end, end);
	}
	if (!taken)
		refuse(l, sign, &n, seen);
}
