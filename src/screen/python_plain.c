/* SPDX-License-Identifier: Apache-2.0 */
/* python_plain.c - code in which nothing can be found, told without a grammar.
 *
 * Most of what a session is asked for is a line such as "x + 2" or "total = price(3) * n".  Who
 * rests between two of them finds the grammar's tables out of the processor's caches each time, and
 * reading them takes longer than all else that is done before the snippet runs.  So what consists
 * of names, whole and broken numbers, + - * / %, calls of names and assignments to one is read
 * here. There is no string in it, no import, no attribute and no name that a rule speaks of:
 * whatever is bound to its names was screened where it was bound.  What is anything else, or may
 * be, is read as a whole.
 */
#include "screen/python_plain.h"

#include <string.h>

#include "base/own.h"
#include "screen/python.h"

enum { SHORT = 1000, WORD_ROOM = 48, DEPTH_MAX = 16 };

struct scan {
	const char *at, *end;
	unsigned depth;
};

/* In one piece: pointers to them would lie elsewhere. */
static const char keywords[][9] = {
	"and",   "as",       "assert",   "async", "await", "break", "case",   "class",
	"def",   "continue", "del",      "elif",  "else",  "exec",  "except", "finally",
	"False", "for",      "from",     "if",    "in",    "is",    "global", "import",
	"None",  "lambda",   "nonlocal", "not",   "or",    "pass",  "match",  "raise",
	"try",   "return",   "True",     "type",  "while", "with",  "yield",
};

static bool is_keyword(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		if (strcmp(keywords[i], word) == 0)
			return true;
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char next(const struct scan *s)
{
	return s->at < s->end ? *s->at : '\n';
}

static void skip_blanks(struct scan *s)
{
	while (next(s) == ' ')
		s->at++;
}

static bool take(struct scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool take_digits(struct scan *s)
{
	const char *start = s->at;

	while (is_digit(next(s)))
		s->at++;
	return s->at > start;
}

/* 12 or 1.5, and nothing that goes on. */
static bool take_number(struct scan *s)
{
	if (!take_digits(s) || (take(s, '.') && !take_digits(s)))
		return false;
	return !is_letter(next(s)) && next(s) != '_' && next(s) != '.';
}

/* Neither a keyword nor one of the built-ins that rules speak of, and with no underscore where such
 * names have theirs. */
static bool take_name(struct scan *s)
{
	char word[WORD_ROOM];
	size_t n = 0;

	if (!is_letter(next(s)))
		return false;
	while (is_letter(next(s)) || is_digit(next(s)) || next(s) == '_') {
		if (n + 1 == sizeof(word) || (n > 0 && *s->at == '_' && word[n - 1] == '_'))
			return false;
		word[n++] = *s->at++;
	}
	word[n] = '\0';
	return !is_keyword(word) && !py_is_followed(word);
}

static bool take_sum(struct scan *s);

/* Behind the parenthesis that opened. */
static bool take_arguments(struct scan *s)
{
	skip_blanks(s);
	if (take(s, ')'))
		return true;
	while (take_sum(s)) {
		if (take(s, ')'))
			return true;
		if (!take(s, ','))
			return false;
		skip_blanks(s);
	}
	return false;
}

static bool take_operand(struct scan *s)
{
	if (take(s, '-'))
		skip_blanks(s);
	if (take(s, '('))
		return take_sum(s) && take(s, ')');
	if (is_digit(next(s)))
		return take_number(s);
	return take_name(s) && (!take(s, '(') || take_arguments(s));
}

static bool take_operator(struct scan *s)
{
	static const char operators[] = {'+', '-', '*', '/', '%'};

	for (size_t i = 0; i < sizeof(operators); i++)
		if (take(s, operators[i]))
			return true;
	return false;
}

/* And the blanks behind it.  The depth counts parentheses. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static bool take_sum(struct scan *s)
{
	bool more;

	if (++s->depth > DEPTH_MAX)
		return false;
	do {
		skip_blanks(s);
		if (!take_operand(s))
			return false;
		skip_blanks(s);
		more = take_operator(s);
	} while (more);
	s->depth--;
	return true;
}

/* NAME = */
static void take_target(struct scan *s)
{
	struct scan ahead = *s;

	if (!take_name(&ahead))
		return;
	skip_blanks(&ahead);
	if (take(&ahead, '='))
		*s = ahead;
}

bool py_is_plain(const char *text, size_t len)
{
	struct scan s = {.at = text, .end = text + len};

	if (len > SHORT)
		return false;
	while (s.at < s.end) {
		if (take(&s, '\n'))
			continue;
		if (*s.at == ' ')
			return false;
		take_target(&s);
		if (!take_sum(&s) || (s.at < s.end && *s.at != '\n'))
			return false;
	}
	return true;
}
