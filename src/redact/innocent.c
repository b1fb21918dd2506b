/* SPDX-License-Identifier: Apache-2.0 */
/* innocent.c - text in which no built-in rule can find anything, told without a pattern.
 *
 * A line is innocent if it is plain ASCII, has no word that a rule needs, no number that could be
 * an address, and no sign behind a name that could mean a secret.  Each test is a weaker form of
 * the one that the redactor makes: starts.c, signs.c, and the patterns' words.
 */
#include "redact/innocent.h"

#include <string.h>
#include <strings.h>

enum {
	LONG_RUN = 40,  /* of a word: "*" in a rule's needs */
	VALUE_RUN = 16, /* the shortest value behind a name that says whose it is */
	NAME_MOST = 32, /* these three as in signs.c */
	BLANKS = 3,
	SLASHES = 3, /* these two as in signescape.c */
	CODE = 5,
	PASSWORD_LEAST = 6,
	SECRET_LEAST = 10,
	START_VALUE = 8, /* as in starts.c */
	MISSED = 8,      /* words that are looked for once in a line */
};

enum { WORD = 2, VALUE = 4, NUMBER = 8, ADDRESS = 16, NAME = 32, NO_VALUE = 64 };

static const unsigned char kinds[256] = {
	['\t'] = NO_VALUE,
	[' '] = NO_VALUE,
	['"'] = NO_VALUE,
	['\''] = NO_VALUE,
	['`'] = NO_VALUE,
	['<'] = NO_VALUE,
	['>'] = NO_VALUE,
	[','] = NO_VALUE,
	[';'] = NO_VALUE,
	['('] = NO_VALUE,
	[')'] = NO_VALUE,
	['{'] = NO_VALUE,
	['}'] = NO_VALUE,
	['['] = NO_VALUE,
	[']'] = NO_VALUE,
	['&'] = NO_VALUE,
	['|'] = NO_VALUE,
	['0' ... '9'] = WORD | VALUE | NUMBER | ADDRESS | NAME,
	['a' ... 'f'] = WORD | VALUE | ADDRESS | NAME,
	['A' ... 'F'] = WORD | VALUE | ADDRESS | NAME,
	['g' ... 'z'] = WORD | VALUE | NAME,
	['G' ... 'Z'] = WORD | VALUE | NAME,
	['_'] = WORD | VALUE | NAME,
	['-'] = WORD | VALUE | NAME,
	['.'] = WORD | NUMBER | ADDRESS,
	[':'] = ADDRESS,
	['+'] = VALUE,
	['/'] = VALUE,
	['='] = VALUE,
};

struct line {
	const char *text;
	size_t len;
	bool value; /* it has a long one */
	/* What is not in it: it is not searched again behind every word that asks for it. */
	const struct innocent_word *missed[MISSED];
	size_t n_missed;
};

static unsigned char kind(const struct line *l, size_t i)
{
	return kinds[(unsigned char)l->text[i]];
}

/* Everything else is taken out of text, or replaced. */
static bool is_plain(char c)
{
	return (c >= ' ' && c <= '~') || c == '\t';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The name before a sign, in small letters without "_" and "-".  Returns its length. */
static size_t read_name(const struct line *l, size_t end, char ret[static NAME_MOST])
{
	size_t len = 0, begin;

	for (size_t n = 0; end > 0 && n < BLANKS && is_blank(l->text[end - 1]); n++)
		end--;
	if (end > CODE && l->text[end - CODE - 1] == '\\' &&
	    strncasecmp(l->text + end - CODE, "u0022", CODE) == 0)
		end -= CODE;
	for (size_t n = 0; end > 0 && n < 2 && strchr("\"']", l->text[end - 1]); n++)
		end--;
	for (size_t n = 0; end > 0 && n < SLASHES && l->text[end - 1] == '\\'; n++)
		end--;
	begin = end;
	while (begin > 0 && end - begin < NAME_MOST && (kind(l, begin - 1) & NAME))
		begin--;
	for (size_t i = begin; i < end; i++) {
		char c = l->text[i];

		if (c != '_' && c != '-')
			ret[len++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	return len;
}

static bool holds(const char *text, size_t len, const char *word)
{
	return memmem(text, len, word, strlen(word)) != NULL;
}

/* More than SECRET_LEAST is not asked for: in "a=a=a=..." a value begins behind each sign. */
static size_t value_len(const struct line *l, size_t at)
{
	size_t n = 0;

	while (n < SECRET_LEAST && at + n < l->len && !(kind(l, at + n) & NO_VALUE))
		n++;
	return n;
}

/* "=" or ":" at text[sign]: could what is around it be a name and a secret? */
static bool may_assign(const struct line *l, size_t sign)
{
	size_t at = sign + 1, end = sign, len, value;
	char name[NAME_MOST];
	bool quoted;

	if (at < l->len && l->text[at] == (l->text[sign] == '=' ? '>' : '='))
		at++;
	if (l->text[sign] == '=' && sign > 0 && l->text[sign - 1] == ':')
		end--;
	for (size_t n = 0; at < l->len && n < BLANKS && is_blank(l->text[at]); n++)
		at++;
	if (at >= l->len)
		return false;
	quoted = strchr("\"'`\\", l->text[at]) != NULL;
	/* Behind a backslash there may be a quote, and any value behind that. */
	value = l->text[at] == '\\' ? SECRET_LEAST : value_len(l, quoted ? at + 1 : at);
	if (!quoted && value < PASSWORD_LEAST)
		return false;
	len = read_name(l, end, name);
	if (len == 0)
		return false;
	if (holds(name, len, "pass") || holds(name, len, "pwd"))
		return true;
	return value >= SECRET_LEAST &&
	       (holds(name, len, "key") || holds(name, len, "secret") ||
		holds(name, len, "token") || holds(name, len, "credential"));
}

/* Runs of what makes addresses and values; one pass. */
struct runs {
	size_t word, value, dots, colons;
	bool gap;
};

/* false: it could be something. */
static bool take_byte(struct runs *r, unsigned char k, char c, char last)
{
	r->word = k & WORD ? r->word + 1 : 0;
	r->value = k & VALUE ? r->value + 1 : 0;
	r->dots = k & NUMBER ? r->dots + (c == '.') : 0;
	if (!(k & ADDRESS)) {
		r->colons = 0;
	} else if (c == ':') {
		r->colons++;
		r->gap = r->gap || last == ':';
	}
	return !r->gap && r->word < LONG_RUN && r->dots < 3 && r->colons < 7;
}

static bool looks_harmless(struct line *l)
{
	struct runs r = {0};
	char last = 0;

	for (size_t i = 0; i < l->len; i++) {
		unsigned char k = kind(l, i);
		char c = l->text[i];

		if (!is_plain(c) || !take_byte(&r, k, c, last))
			return false;
		l->value = l->value || r.value >= VALUE_RUN;
		if ((c == '=' || c == ':') && may_assign(l, i))
			return false;
		last = c;
	}
	return true;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_there(const struct innocent_word *w, const char *at)
{
	if (!(w->flags & INNOCENT_FOLD))
		return memcmp(at, w->text, w->len) == 0;
	for (size_t i = 0; i < w->len; i++)
		if (small(at[i]) != w->text[i])
			return false;
	return true;
}

/* Does a word begin at text[at], as starts.c sees it?  Behind what may be an escape, always. */
static bool begins_word(const struct line *l, size_t at)
{
	size_t before = at < 3 ? at : 3;

	if (at == 0 || !(kind(l, at - 1) & WORD) || strchr("-.", l->text[at - 1]))
		return true;
	return memchr(l->text + at - before, '\\', before) ||
	       memchr(l->text + at - before, '%', before);
}

static bool has_value_behind(const struct line *l, size_t at)
{
	if (l->len - at < START_VALUE)
		return false;
	for (size_t i = at; i < at + START_VALUE; i++)
		if (!(kind(l, i) & (WORD | VALUE)) && !strchr("~%$", l->text[i]))
			return false;
	return true;
}

/* Is what must be in the same line, too? */
static bool has_also(struct line *l, const struct innocent_word *w)
{
	if (!w->also[0])
		return true;
	for (size_t i = 0; i < l->n_missed; i++)
		if (l->missed[i] == w)
			return false;
	if (holds(l->text, l->len, w->also))
		return true;
	if (l->n_missed < MISSED)
		l->missed[l->n_missed++] = w;
	return false;
}

static bool counts(struct line *l, const struct innocent_word *w, size_t at)
{
	if (at + w->len > l->len || !is_there(w, l->text + at))
		return false;
	if ((w->flags & INNOCENT_STARTS) &&
	    (!begins_word(l, at) || !has_value_behind(l, at + w->len)))
		return false;
	if ((w->flags & INNOCENT_VALUE) && !l->value)
		return false;
	return has_also(l, w);
}

/* By the first three bytes: nearly every row is empty. */
static bool has_word(struct line *l)
{
	for (size_t at = 0; at + 3 <= l->len; at++) {
		uint32_t row = innocent_row(l->text + at);
		size_t low = 0, high = innocent_word_count;

		if (!(innocent_rows[row / 8] >> row % 8 & 1))
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (innocent_words[middle].row < row)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < innocent_word_count && innocent_words[low].row == row; low++)
			if (counts(l, &innocent_words[low], at))
				return true;
	}
	return false;
}

bool redact_innocent(const char *text, size_t len)
{
	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		struct line l = {.text = text, .len = newline ? (size_t)(newline - text) : len};
		size_t taken = l.len + (newline != NULL);

		if (!looks_harmless(&l) || has_word(&l))
			return false;
		text += taken;
		len -= taken;
	}
	return true;
}
