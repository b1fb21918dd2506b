/* SPDX-License-Identifier: Apache-2.0 */
/* python_text.c - constant strings where they stand: an argument means more than a mention. */
#include "screen/python_checks.h"

#include <string.h>

#include "base/match.h"
#include "base/own.h"

/* Functions that only talk about a path. */
static const char *const talkers[] = {
	"print",
	"len",
	"repr",
	"str",
	"format",
	"startswith",
	"endswith",
	"basename",
	"dirname",
	"join",
	"split",
	"splitext",
	"normpath",
	"isabs",
	"relpath",
	"append",
	"add",
	"replace",
	"find",
	"count",
	"index",
	"info",
	"debug",
	"warning",
	"error",
	"match",
	"search",
	"fullmatch",
	"sub",
	"findall",
	"compile",
	"dumps",
	"PurePath",
	"PurePosixPath",
	"add_argument",
	"get",
	"ValueError",
	"PermissionError",
	"FileNotFoundError",
	"isinstance",
	"sorted",
	"set",
	"list",
	"tuple",
	"lower",
	"upper",
	"strip",
};

/* Variables that make another program of this one. */
static const char *const loaded_variables[] = {"LD_PRELOAD", "LD_AUDIT", "PYTHONBREAKPOINT",
					       "PYTHONSTARTUP", "PYTHONINSPECT"};

/* The call whose argument this is; null node: none. */
static TSNode call_around(const struct visit *v)
{
	size_t up = v->depth;

	if (up > 0 && py_kind(v->above[up - 1]) == PY_keyword_argument)
		up--;
	if (up < 2 || py_kind(v->above[up - 1]) != PY_argument_list)
		return (TSNode){0};
	return v->above[up - 2];
}

static bool only_talks(struct py *p, TSNode call)
{
	TSNode function = py_field(call, PY_F_function);

	if (ts_node_is_null(function))
		return true; /* bases of a class */
	if (py_kind(function) == PY_attribute)
		function = py_field(function, PY_F_attribute);
	for (size_t i = 0; i < ARRAY_LEN(talkers); i++)
		if (syntax_text_is(p->syntax, function, talkers[i]))
			return true;
	return false;
}

/* (Path("/root") / ".ssh").read_text() */
static bool is_read(struct py *p, const struct visit *v)
{
	static const char *const readers[] = {"read_text", "read_bytes", "open",  "iterdir",
					      "glob",      "rglob",      "chmod", "unlink"};
	size_t up = v->depth;

	while (up > 0 && py_kind(v->above[up - 1]) == PY_parenthesized_expression)
		up--;
	if (up == 0 || py_kind(v->above[up - 1]) != PY_attribute)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (syntax_text_is(p->syntax, py_field(v->above[up - 1], PY_F_attribute),
				   readers[i]))
			return true;
	return false;
}

static void check_path(struct py *p, const struct visit *v, const struct py_constant *c)
{
	enum py_path kind = py_path_kind(c->data, c->len);
	TSNode call = call_around(v);

	if (kind == PY_PATH_SECRET &&
	    ((!ts_node_is_null(call) && !only_talks(p, call)) || is_read(p, v)))
		py_found(p, PY_SECRETS, v->node);
	else if (kind != PY_PATH_NONE)
		py_found(p, PY_PATHS, v->node);
}

void py_check_file(struct py *p, TSNode node)
{
	struct py_constant c;

	if (py_fold(p, node, &c) && py_path_kind(c.data, c.len) == PY_PATH_SECRET)
		py_found(p, PY_SECRETS, node);
}

static void check_own_patterns(struct py *p, TSNode node, const char *text, size_t len)
{
	const struct screen_policy *rules = p->sieve->rules;
	uint32_t at = ts_node_start_byte(node);

	for (size_t i = 0; i < rules->n_own; i++)
		if (rules->own[i].match && strcmp(rules->own[i].language, "python") == 0 &&
		    match_part(rules->own[i].match, text, len) != MATCH_NO)
			sieve_add_own(p->sieve, &rules->own[i], at, ts_node_end_byte(node) - at);
}

void py_check_constant(struct py *p, const struct visit *v, const struct py_constant *c)
{
	const char *word = c->len <= PY_NAME_MAX ? py_intern(p, c->data, c->len) : NULL;
	enum py_rule rule;

	check_own_patterns(p, v->node, c->data, c->len);
	if (word && py_rule_for_attribute(word, &rule) && rule == PY_INTROSPECTION &&
	    word[0] == '_' && word[1] == '_')
		py_found(p, PY_INTROSPECTION, v->node);
	if (word && py_is_telltale(word) && p->n_pending < PY_PENDING_MAX)
		p->pending[p->n_pending++] = v->node;
	for (size_t i = 0; word && i < ARRAY_LEN(loaded_variables); i++)
		if (strcmp(loaded_variables[i], word) == 0)
			py_found(p, PY_PROCESS, v->node);
	if (py_is_format_escape(c->data, c->len))
		py_found(p, PY_INTROSPECTION, v->node);
	if (memmem(c->data, c->len, "!!python/", 9)) /* YAML that makes objects */
		py_found(p, PY_CODE_OBJECT, v->node);
	if (py_is_blob(c->data, c->len))
		py_found(p, PY_BLOB, v->node);
	check_path(p, v, c);
}

void py_check_string(struct py *p, const struct visit *v)
{
	enum py_kind above = v->depth > 0 ? py_kind(v->above[v->depth - 1]) : PY_other;
	bool sum = py_kind(v->node) == PY_binary_operator;
	struct py_constant c;

	if (above == PY_expression_statement || (sum && above == PY_binary_operator))
		return; /* a docstring; a part of a sum */
	if (py_fold(p, v->node, &c))
		py_check_constant(p, v, &c);
}
