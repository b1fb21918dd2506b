/* SPDX-License-Identifier: Apache-2.0 */
/* python_scope.c - is "eval" here the built-in, or a name of the code's own?
 *
 * Only what is certain counts as the code's own: a parameter or a local name of a function around
 * the place (Python never falls back to the built-in there), or something the top level binds
 * without condition before it and never deletes.
 */
#include "screen/python.h"

#include <string.h>

struct search {
	struct py *p;
	const char *name;
	TSNode body;
	bool found;
	bool spoiled; /* "global name", "del name" */
};

static bool is_name(struct search *s, TSNode node)
{
	const char *name = py_kind(node) == PY_identifier ? py_identifier(s->p, node) : NULL;

	return name && strcmp(name, s->name) == 0;
}

static bool has_name(struct search *s, TSNode node)
{
	if (is_name(s, node))
		return true;
	for (uint32_t i = 0; !ts_node_is_null(node) && i < ts_node_named_child_count(node); i++)
		if (is_name(s, ts_node_named_child(node, i)))
			return true;
	return false;
}

static bool imports_name(struct search *s, TSNode node)
{
	uint32_t n;
	const TSNode *kids = py_children(s->p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode name = py_kind(kids[i]) == PY_aliased_import ? py_field(kids[i], PY_F_alias)
								    : kids[i];

		if (!ts_node_eq(kids[i], py_field(node, PY_F_module_name)) && has_name(s, name))
			return true;
	}
	return false;
}

static bool see_local(void *context, const struct visit *v)
{
	struct search *s = context;

	switch ((int)py_kind(v->node)) {
	case PY_assignment:
	case PY_for_statement:
		s->found |= has_name(s, py_field(v->node, PY_F_left)) &&
			    py_kind(py_field(v->node, PY_F_left)) != PY_attribute &&
			    py_kind(py_field(v->node, PY_F_left)) != PY_subscript;
		return true;
	case PY_import_from_statement:
		s->found |= imports_name(s, v->node);
		return false;
	case PY_global_statement:
	case PY_nonlocal_statement:
	case PY_delete_statement:
		s->spoiled |= has_name(s, v->node);
		return false;
	case PY_function_definition:
	case PY_class_definition:
		s->found |= is_name(s, py_field(v->node, PY_F_name));
		return false; /* a scope of its own */
	case PY_lambda:
		return false;
	}
	return true;
}

/* Parameters: x, x=1, x: int, x: int = 1, *x, **x. */
static bool is_parameter(struct search *s, TSNode function)
{
	TSNode list = py_field(function, PY_F_parameters);

	for (uint32_t i = 0; !ts_node_is_null(list) && i < ts_node_named_child_count(list); i++) {
		TSNode child = ts_node_named_child(list, i), name = py_field(child, PY_F_name);

		if (is_name(s, child) || (!ts_node_is_null(name) && is_name(s, name)))
			return true;
		if (ts_node_is_null(name) && ts_node_named_child_count(child) > 0 &&
		    is_name(s, ts_node_named_child(child, 0)))
			return true;
	}
	return false;
}

static bool binds_locally(struct search *s, TSNode function)
{
	TSNode body = py_field(function, PY_F_body);

	s->found = is_parameter(s, function);
	if (py_kind(function) == PY_function_definition &&
	    syntax_walk(s->p->syntax, body, see_local, s) != SYNTAX_READ)
		return false;
	return s->found && !s->spoiled;
}

/* Somebody may take names away from the top level. */
static bool top_level_is_touched(struct py *p)
{
	static const char *const hands[] = {"globals", "vars",     "locals",
					    "delattr", "__dict__", "modules"};

	for (size_t i = 0; i < sizeof(hands) / sizeof(hands[0]); i++)
		if (memmem(p->syntax->text, p->syntax->len, hands[i], strlen(hands[i])))
			return true;
	return false;
}

bool py_is_shadowed(struct py *p, const char *name, const struct visit *v)
{
	const struct py_binding *b = py_binding(p, name);
	struct search s = {.p = p, .name = name};

	if (!b)
		return false;
	for (size_t i = v->depth; i-- > 0;) {
		enum py_kind kind = py_kind(v->above[i]);

		if (kind != PY_function_definition && kind != PY_lambda)
			continue;
		/* Defaults and decorators are seen from outside. */
		if (i + 1 <= v->depth &&
		    ts_node_eq(py_field(v->above[i], PY_F_body), v->above[i + 1]) &&
		    binds_locally(&s, v->above[i]))
			return true;
	}
	return b->defined_at && !b->is_deleted && ts_node_start_byte(v->node) >= b->defined_at &&
	       !top_level_is_touched(p);
}
