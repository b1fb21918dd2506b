/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c - patterns for file names, matched without ever going back.
 *
 * The pattern becomes a row of tokens.  A mark on a token means: what was read so far can bring us
 * here.  Each byte of the path moves all marks at once, so names chosen to make a matcher try and
 * try again (a star costs a backtracking one a loop) gain nothing.
 */
#include "base/glob.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum token_kind {
	TOKEN_BYTE,
	TOKEN_ANY,    /* ? */
	TOKEN_SET,    /* [a-z] */
	TOKEN_STAR,   /* * */
	TOKEN_SPAN,   /* ** */
	TOKEN_DIRS,   /* ** and a slash, between two directory names */
	TOKEN_INSIDE, /* always behind TOKEN_DIRS: the same, in the middle of a name */
};

struct token {
	enum token_kind kind;
	unsigned char byte;
	bool negated;
	const char *set; /* its first item */
};

struct program {
	struct token tokens[GLOB_MAX];
	size_t n;
};

struct marks {
	bool on[GLOB_MAX + 1]; /* the last one: the pattern is used up */
};

/* One byte of a set, or its escape.  False at the end of the pattern. */
static bool set_byte(const char **at, unsigned char *ret)
{
	if (**at == '\\')
		(*at)++;
	*ret = (unsigned char)**at;
	if (!*ret)
		return false;
	(*at)++;
	return true;
}

/* One item: a byte, or a range of them. */
static bool set_item(const char **at, unsigned char *ret_low, unsigned char *ret_high)
{
	if (!set_byte(at, ret_low))
		return false;
	*ret_high = *ret_low;
	if ((*at)[0] != '-' || (*at)[1] == ']' || (*at)[1] == '\0')
		return true;
	(*at)++;
	return set_byte(at, ret_high);
}

static bool set_has(const struct token *token, unsigned char byte)
{
	const char *at = token->set;
	bool found = false;
	unsigned char low, high;

	do {
		if (!set_item(&at, &low, &high))
			return false;
		found = found || (byte >= low && byte <= high);
	} while (*at != ']');
	return found != token->negated;
}

/* *at stands behind the '['. */
static const char *read_set(const char **at, struct token *token)
{
	unsigned char low, high;

	token->kind = TOKEN_SET;
	token->negated = **at == '!' || **at == '^';
	if (token->negated)
		(*at)++;
	token->set = *at;
	do { /* a ']' in the first place is a member */
		if (!set_item(at, &low, &high))
			return "a '[' is not closed by a ']'";
		if (low > high)
			return "a range in '[...]' runs backwards";
	} while (**at != ']');
	(*at)++;
	return NULL;
}

/* *at stands behind the first '*'. */
static void read_stars(const char **at, bool name_begins, struct program *p)
{
	struct token *token = &p->tokens[p->n++];

	token->kind = TOKEN_STAR;
	if (**at != '*')
		return;
	while (**at == '*')
		(*at)++;
	token->kind = TOKEN_SPAN;
	if (!name_begins || **at != '/')
		return;
	(*at)++;
	token->kind = TOKEN_DIRS;
	p->tokens[p->n++].kind = TOKEN_INSIDE;
}

/* Returns what is wrong with the pattern, or NULL.  No token is shorter than its text, so those of
 * GLOB_MAX bytes fit. */
static const char *compile(const char *pattern, struct program *p)
{
	const char *at = pattern, *wrong = NULL;

	p->n = 0;
	if (strnlen(pattern, GLOB_MAX + 1) > GLOB_MAX)
		return "it is longer than 1024 bytes";
	while (*at && !wrong) {
		bool name_begins = at == pattern || at[-1] == '/';
		struct token *token = &p->tokens[p->n];
		char c = *at++;

		if (c == '*') {
			read_stars(&at, name_begins, p);
			continue;
		}
		p->n++;
		if (c == '[') {
			wrong = read_set(&at, token);
			continue;
		}
		if (c == '\\' && *at == '\0')
			return "it ends in a backslash";
		token->kind = c == '?' ? TOKEN_ANY : TOKEN_BYTE;
		token->byte = (unsigned char)(c == '\\' ? *at++ : c);
	}
	return wrong;
}
static_assert(GLOB_MAX == 1024, "compile() says so in words");

/* Stars may stand for nothing: a mark on one is a mark behind it. */
static void spread(const struct program *p, struct marks *m)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!m->on[i])
			continue;
		if (p->tokens[i].kind == TOKEN_STAR || p->tokens[i].kind == TOKEN_SPAN)
			m->on[i + 1] = true;
		else if (p->tokens[i].kind == TOKEN_DIRS)
			m->on[i + 2] = true;
	}
}

/* Where a mark on token i goes when byte is read; i + 2 is never an answer: it stands for none. */
static size_t move(const struct token *token, size_t i, unsigned char byte)
{
	const size_t none = i + 2;
	bool slash = byte == '/';

	switch (token->kind) {
	case TOKEN_BYTE:
		return byte == token->byte ? i + 1 : none;
	case TOKEN_ANY:
		return slash ? none : i + 1;
	case TOKEN_SET:
		return !slash && set_has(token, byte) ? i + 1 : none;
	case TOKEN_STAR:
		return slash ? none : i;
	case TOKEN_SPAN:
		return i;
	case TOKEN_DIRS:
		return slash ? none : i + 1;
	case TOKEN_INSIDE:
		return slash ? i - 1 : i;
	}
	return none;
}

/* Moves the marks over text; false once there is none left. */
static bool feed(const struct program *p, struct marks *now, const char *text)
{
	for (; *text; text++) {
		struct marks next;
		bool any = false;

		memset(next.on, 0, p->n + 1);
		for (size_t i = 0; i < p->n; i++) {
			size_t to =
				now->on[i] ? move(&p->tokens[i], i, (unsigned char)*text) : i + 2;

			if (to == i + 2)
				continue;
			next.on[to] = true;
			any = true;
		}
		if (!any)
			return false;
		spread(p, &next);
		memcpy(now->on, next.on, p->n + 1);
	}
	return true;
}

static void start(const struct program *p, struct marks *m)
{
	memset(m->on, 0, p->n + 1);
	m->on[0] = true;
	spread(p, m);
}

bool glob_match(const char *pattern, const char *path)
{
	struct program program;
	struct marks marks;

	if (compile(pattern, &program))
		return false;
	start(&program, &marks);
	return feed(&program, &marks, path) && marks.on[program.n];
}

bool glob_may_enter(const char *pattern, const char *directory)
{
	struct program program;
	struct marks marks;

	if (compile(pattern, &program))
		return false;
	start(&program, &marks);
	if (*directory && !(feed(&program, &marks, directory) && feed(&program, &marks, "/")))
		return false;
	/* Any mark but the last one wants at least one byte more. */
	return memchr(marks.on, 1, program.n) != NULL;
}

/* Is one part of the name between slashes one that no file can have? */
static const char *judge_parts(const char *pattern)
{
	const char *end;

	for (const char *part = pattern;; part = end + 1) {
		size_t len;

		end = strchrnul(part, '/');
		len = (size_t)(end - part);
		if (len == 0)
			return "it has an empty part: names are relative, with single slashes";
		if ((len == 1 && part[0] == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
			return "'.' and '..' are no names";
		if (!*end)
			return NULL;
	}
}

int glob_check(const char *pattern, struct error *err)
{
	struct program program;
	const char *wrong = compile(pattern, &program);

	if (!wrong)
		wrong = judge_parts(pattern);
	if (wrong)
		return fail(err, ERR_CALLER, "the pattern '%.100s' cannot be used: %s", pattern,
			    wrong);
	return 0;
}
