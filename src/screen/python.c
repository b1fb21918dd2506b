/* SPDX-License-Identifier: Apache-2.0 */
/* python.c - reads Python code and says what it would use.
 *
 * Two passes over the tree: first which names stand for what (python_bind.c), then every
 * expression is asked what it stands for, and the tables of rules_python.c say what that means.
 * Names that only lead somewhere together (a module handed around, a tell-tale attribute of we
 * know not what) are settled at the end.
 */
#include "screen/python.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "screen/grammars.h"
#include "screen/python_checks.h"
#include "screen/python_plain.h"

enum { SCRATCH_BYTES = 32 << 20 };

static bool see(void *context, const struct visit *v)
{
	struct py *p = context;

	if (p->failed || p->ended != SYNTAX_READ || sieve_is_full(p->sieve))
		return false;
	p->current = v->node;
	switch ((int)py_kind(v->node)) {
	case PY_comment:
		return false;
	case PY_import_statement:
	case PY_import_from_statement:
		py_check_import(p, v->node);
		return false;
	case PY_identifier:
		py_check_identifier(p, v);
		break;
	case PY_attribute:
		py_check_attribute(p, v);
		break;
	case PY_subscript:
		py_check_subscript(p, v);
		break;
	case PY_call:
		py_check_call(p, v);
		break;
	case PY_function_definition:
		py_check_definition(p, v->node);
		break;
	case PY_exec_statement:
		py_found(p, PY_EVAL, v->node);
		break;
	case PY_string:
	case PY_concatenated_string:
	case PY_binary_operator:
		py_check_string(p, v);
		break;
	}
	return true;
}

/* What only counts because of something else. */
static void settle(struct py *p)
{
	if (p->obscure)
		py_found(p, PY_OBSCURE, p->obscure_at);
	if (!p->escapes)
		return;
	for (size_t i = 0; i < p->n_pending; i++)
		py_found(p, PY_PROCESS, p->pending[i]);
}

/* "# coding: x" in one of the first two lines changes what the bytes mean. */
static bool is_plain_codec(const char *name, size_t len, bool ascii)
{
	static const char *const always[] = {"utf-8", "utf8", "utf_8", "u8", "ascii", "us-ascii"};
	static const char *const for_ascii[] = {"latin-1",   "latin1",      "iso-8859-1",
						"iso8859-1", "iso-8859-15", "cp1252"};

	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		if (strlen(always[i]) == len && strncasecmp(always[i], name, len) == 0)
			return true;
	for (size_t i = 0; ascii && i < ARRAY_LEN(for_ascii); i++)
		if (strlen(for_ascii[i]) == len && strncasecmp(for_ascii[i], name, len) == 0)
			return true;
	return false;
}

static bool is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/* Python's own pattern: ^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+) */
static void check_line_codec(struct sieve *s, const char *line, size_t len)
{
	size_t blank = 0, begin;

	while (blank < len && strchr(" \t\f", line[blank]) && line[blank])
		blank++;
	if (blank == len || line[blank] != '#')
		return;
	for (size_t i = blank; i + 7 < len; i++) {
		size_t n = 0;

		if (memcmp(line + i, "coding", 6) != 0 ||
		    (line[i + 6] != ':' && line[i + 6] != '='))
			continue;
		begin = i + 7;
		while (begin < len && (line[begin] == ' ' || line[begin] == '\t'))
			begin++;
		while (begin + n < len && line[begin + n] &&
		       strchr("-_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
			      line[begin + n]))
			n++;
		if (n == 0)
			continue;
		if (!is_plain_codec(line + begin, n, is_ascii(s->text, s->len)))
			sieve_add(s, &python_rows[PY_ENCODING], (size_t)(line - s->text) + begin, n,
				  NULL, NULL);
		return;
	}
}

static void check_codec(struct sieve *s)
{
	const char *line = s->text, *end = s->text + s->len;

	for (unsigned n = 0; n < 2 && line < end; n++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		check_line_codec(s, line, (size_t)((newline ? newline : end) - line));
		if (!newline)
			return;
		line = newline + 1;
	}
}

static void check_errors(struct py *p)
{
	TSNode error = syntax_first_error(p->syntax);

	if (!ts_node_is_null(error))
		py_found(p, PY_SYNTAX, error);
}

/* All zeros but for the list of what is pending, which is large and has a count. */
static void begin(struct py *p, struct sieve *s, struct syntax *x, struct py *outer)
{
	memset(p, 0, offsetof(struct py, pending));
	p->sieve = s;
	p->outer = outer;
	p->syntax = x;
	p->ended = SYNTAX_READ;
}

void py_screen_text(struct sieve *s, struct syntax_budget *budget, struct py *outer,
		    enum syntax_end *ret_end)
{
	own(syntax) x = {.text = s->text, .len = (uint32_t)s->len, .budget = budget};
	own(arena) scratch;
	struct py p;

	arena_init(&scratch, SCRATCH_BYTES);
	begin(&p, s, &x, outer);
	p.scratch = &scratch;
	p.nesting = outer ? outer->nesting + 1 : 0;
	*ret_end = syntax_parse(&x, tree_sitter_python());
	if (*ret_end != SYNTAX_READ)
		return;
	check_errors(&p);
	py_collect(&p);
	if (p.ended == SYNTAX_READ)
		*ret_end = syntax_walk(&x, ts_tree_root_node(x.tree), see, &p);
	settle(&p);
	if (p.ended != SYNTAX_READ)
		*ret_end = p.ended;
	if (p.failed)
		s->failed = true;
}

void screen_python(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end)
{
	if (s->rules->n_own == 0 && py_is_plain(s->text, s->len)) {
		*ret_end = SYNTAX_READ;
		return;
	}
	check_codec(s);
	py_screen_text(s, budget, NULL, ret_end);
}
