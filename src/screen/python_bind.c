/* SPDX-License-Identifier: Apache-2.0 */
/* python_bind.c - which names the code binds, and to what.
 *
 * The first round finds every statement that binds something; further rounds go over these again
 * until nothing new is learned, so that "b = a" counts even where "a = os" comes later.
 */
#include "screen/python.h"

#include <string.h>

enum { ROUNDS_MAX = 8 };

static struct py_binding **bucket_of(struct py *p, const char *name)
{
	unsigned hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	return &p->buckets[hash % PY_BUCKETS];
}

struct py_binding *py_binding(struct py *p, const char *name)
{
	struct py_binding *b = *bucket_of(p, name);

	while (b && strcmp(b->name, name) != 0)
		b = b->next;
	return b;
}

static struct py_binding *bind(struct py *p, const char *name)
{
	struct py_binding *b = name ? py_binding(p, name) : NULL, **bucket;
	struct error err;

	if (!b && name) {
		b = arena_alloc(p->scratch, sizeof(*b), &err);
		if (!b) {
			p->failed = true;
			return NULL;
		}
		bucket = bucket_of(p, name);
		b->name = name;
		b->next = *bucket;
		*bucket = b;
	}
	if (b && p->first_round)
		b->n_bound++;
	return b;
}

static void bind_value(struct py *p, const char *name, const char *value)
{
	struct py_binding *b = bind(p, name);

	if (b && py_values_add(p, &b->values, value))
		p->changed = true;
}

/* Something that may be a module or one of its functions; other values say nothing. */
static void bind_node(struct py *p, TSNode target, TSNode value)
{
	const char *name = py_identifier(p, target);
	struct py_binding *b = bind(p, name);
	struct py_values values;
	unsigned n_bound;

	if (!b)
		return;
	n_bound = b->n_bound;
	py_resolve(p, value, &values);
	for (size_t i = 0; i < values.n; i++)
		bind_value(p, name, values.name[i]);
	b->n_bound = n_bound;
	if (p->first_round || n_bound != 1 || b->has_constant)
		return; /* what is bound twice is no constant; the first round counts */
	if (py_fold(p, value, &b->constant))
		b->has_constant = p->changed = true;
}

static void bind_unknown(struct py *p, TSNode target)
{
	(void)bind(p, py_identifier(p, target));
}

static bool is_sequence(enum py_kind kind)
{
	return kind == PY_pattern_list || kind == PY_tuple_pattern || kind == PY_tuple ||
	       kind == PY_list || kind == PY_expression_list || kind == PY_set;
}

static void bind_target(struct py *p, TSNode target, TSNode value, unsigned depth);

/* Pairwise if both sides are written out in the same number; else each name may be anything. */
static void bind_targets(struct py *p, TSNode targets, TSNode value, unsigned depth)
{
	uint32_t n, n_values = 0;
	const TSNode *names = py_children(p, targets, &n);
	const TSNode *values =
		is_sequence(py_kind(value)) ? py_children(p, value, &n_values) : NULL;
	bool same = n == n_values;

	if (!same && (uint64_t)n * n_values > 10000) {
		py_is_obscure(p);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		TSNode target = names[i];

		if (same) {
			bind_target(p, target, values[i], depth + 1);
			continue;
		}
		bind_target(p, target, (TSNode){0}, depth + 1);
		for (uint32_t j = 0; j < n_values; j++)
			bind_target(p, target, values[j], depth + 1);
	}
}

static void bind_target(struct py *p, TSNode target, TSNode value, unsigned depth)
{
	target = py_bare(target);
	value = ts_node_is_null(value) ? value : py_bare(value);
	if (depth > 20)
		py_is_obscure(p);
	else if (py_kind(target) == PY_identifier && ts_node_is_null(value))
		bind_unknown(p, target);
	else if (py_kind(target) == PY_identifier)
		bind_node(p, target, value);
	else if (py_kind(target) != PY_attribute && py_kind(target) != PY_subscript)
		bind_targets(p, target, value, depth);
}

static void bind_assignment(struct py *p, TSNode node)
{
	TSNode value = py_field(node, PY_F_right);

	for (unsigned i = 0; py_kind(value) == PY_assignment && i < 100; i++)
		value = py_field(value, PY_F_right);
	bind_target(p, py_field(node, PY_F_left), value, 0);
}

/* for x in [os, sys]: x is each of them. */
static void bind_loop(struct py *p, TSNode node)
{
	TSNode target = py_field(node, PY_F_left), list = py_bare(py_field(node, PY_F_right));
	struct py_binding *b;
	const TSNode *kids;
	uint32_t n;

	bind_target(p, target, (TSNode){0}, 0);
	if (!is_sequence(py_kind(list)))
		return;
	kids = py_children(p, list, &n);
	for (uint32_t i = 0; i < n; i++)
		bind_target(p, target, kids[i], 0);
	b = py_kind(target) == PY_identifier ? py_binding(p, py_identifier(p, target)) : NULL;
	if (b && p->first_round) {
		b->list = list;
		b->n_listed = 1 + n;
	}
}

/* with x as y, except x as y */
static void bind_as(struct py *p, TSNode node)
{
	TSNode alias = py_field(node, PY_F_alias);

	if (!ts_node_is_null(alias) && ts_node_named_child_count(alias) > 0)
		alias = ts_node_named_child(alias, 0);
	if (!ts_node_is_null(alias))
		bind_target(p, alias, ts_node_named_child(node, 0), 0);
}

/* (lambda o: o.system("id"))(os) */
static void bind_called_lambda(struct py *p, TSNode call)
{
	TSNode function = py_bare(py_field(call, PY_F_function));
	TSNode names = py_field(function, PY_F_parameters);

	for (uint32_t i = 0; !ts_node_is_null(names) && i < ts_node_named_child_count(names); i++) {
		TSNode name = ts_node_named_child(names, i), value = py_argument(call, i);

		if (py_kind(name) == PY_identifier && !ts_node_is_null(value))
			bind_node(p, name, value);
	}
}

static void bind_import(struct py *p, TSNode node)
{
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		bool aliased = py_kind(child) == PY_aliased_import;
		TSNode module = aliased ? py_field(child, PY_F_name) : child;
		TSNode first = ts_node_named_child(module, 0);

		if (py_kind(module) != PY_dotted_name)
			continue;
		if (aliased)
			bind_value(p, py_identifier(p, py_field(child, PY_F_alias)),
				   py_dotted(p, module));
		else
			bind_value(p, py_identifier(p, first), py_identifier(p, first));
	}
}

static void add_star(struct py *p, const char *module)
{
	for (size_t i = 0; i < p->n_stars; i++)
		if (strcmp(p->stars[i], module) == 0)
			return;
	if (!py_is_spoken_of(module))
		return;
	if (p->n_stars == PY_VALUES_MAX)
		py_is_obscure(p);
	else
		p->stars[p->n_stars++] = module;
}

static void bind_from(struct py *p, TSNode node)
{
	TSNode from = py_field(node, PY_F_module_name);
	const char *module = py_kind(from) == PY_dotted_name ? py_dotted(p, from) : NULL;
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		enum py_kind kind = py_kind(child);
		TSNode alias = kind == PY_aliased_import ? py_field(child, PY_F_alias) : child;
		const char *name;

		if (ts_node_eq(child, from) || kind == PY_relative_import)
			continue;
		if (kind == PY_wildcard_import && module)
			add_star(p, module);
		if (kind != PY_aliased_import && kind != PY_dotted_name)
			continue;
		name = py_dotted(p, kind == PY_aliased_import ? py_field(child, PY_F_name) : child);
		if (!name)
			continue;
		if (py_module_behind(name))
			bind_value(p, py_identifier(p, alias), py_module_behind(name));
		else if (module)
			bind_value(p, py_identifier(p, alias), py_join(p, module, name));
		else
			(void)bind(p, py_identifier(p, alias));
	}
}

static void bind_definition(struct py *p, TSNode node)
{
	struct py_binding *b = bind(p, py_identifier(p, py_field(node, PY_F_name)));

	if (!b)
		return;
	b->is_class |= py_kind(node) == PY_class_definition;
	b->is_function |= py_kind(node) == PY_function_definition;
}

static void bind_parameters(struct py *p, TSNode node)
{
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		TSNode value = py_field(child, PY_F_value), name = py_field(child, PY_F_name);

		if (py_kind(child) == PY_identifier) {
			bind_unknown(p, child);
		} else if (!ts_node_is_null(name) && !ts_node_is_null(value)) {
			bind_node(p, name, value);
			bind_unknown(p, name); /* a call may give another */
		} else if (ts_node_named_child_count(child) > 0 &&
			   py_kind(ts_node_named_child(child, 0)) == PY_identifier) {
			bind_unknown(p, ts_node_named_child(child, 0));
		}
	}
}

static void mark_names(struct py *p, TSNode node)
{
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		struct py_binding *b =
			py_kind(child) == PY_identifier ? bind(p, py_identifier(p, child)) : NULL;

		if (b)
			b->is_deleted = true;
	}
}

static void bind_one(struct py *p, TSNode node)
{
	switch ((int)py_kind(node)) {
	case PY_assignment:
		bind_assignment(p, node);
		break;
	case PY_augmented_assignment:
		bind_target(p, py_field(node, PY_F_left), (TSNode){0}, 0);
		break;
	case PY_named_expression:
		bind_target(p, py_field(node, PY_F_name), py_field(node, PY_F_value), 0);
		break;
	case PY_for_statement:
	case PY_for_in_clause:
		bind_loop(p, node);
		break;
	case PY_as_pattern:
		bind_as(p, node);
		break;
	case PY_call:
		bind_called_lambda(p, node);
		break;
	case PY_import_statement:
		bind_import(p, node);
		break;
	case PY_import_from_statement:
		bind_from(p, node);
		break;
	case PY_class_definition:
	case PY_function_definition:
		bind_definition(p, node);
		break;
	case PY_parameters:
	case PY_lambda_parameters:
		bind_parameters(p, node);
		break;
	case PY_delete_statement:
	case PY_global_statement:
	case PY_nonlocal_statement:
		mark_names(p, node);
		break;
	}
}

static bool binds(TSNode node)
{
	switch ((int)py_kind(node)) {
	case PY_assignment:
	case PY_augmented_assignment:
	case PY_named_expression:
	case PY_for_statement:
	case PY_for_in_clause:
	case PY_as_pattern:
	case PY_import_statement:
	case PY_import_from_statement:
	case PY_class_definition:
	case PY_function_definition:
	case PY_parameters:
	case PY_lambda_parameters:
	case PY_delete_statement:
	case PY_global_statement:
	case PY_nonlocal_statement:
		return true;
	case PY_call:
		return py_kind(py_bare(py_field(node, PY_F_function))) == PY_lambda;
	}
	return false;
}

static bool keep_binder(void *context, const struct visit *v)
{
	struct py *p = context;
	struct error err;

	if (!binds(v->node))
		return true;
	if (p->n_binders == p->room_binders) {
		size_t room = p->room_binders ? 2 * p->room_binders : 64;
		TSNode *more = arena_array(p->scratch, room, sizeof(*more), &err);

		if (!more) {
			p->failed = true;
			return false;
		}
		if (p->n_binders > 0)
			memcpy(more, p->binders, p->n_binders * sizeof(*more));
		p->binders = more;
		p->room_binders = room;
	}
	p->binders[p->n_binders++] = v->node;
	return true;
}

static void mark_defined(struct py *p, TSNode name, uint32_t at)
{
	const char *word = py_kind(name) == PY_identifier ? py_identifier(p, name) : NULL;
	struct py_binding *b = word ? py_binding(p, word) : NULL;

	if (b && b->defined_at == 0)
		b->defined_at = at;
}

/* from re import compile */
static void mark_imported(struct py *p, TSNode node)
{
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);
	TSNode from = py_field(node, PY_F_module_name);

	for (uint32_t i = 0; i < n; i++) {
		if (ts_node_eq(kids[i], from))
			continue;
		if (py_kind(kids[i]) == PY_aliased_import)
			mark_defined(p, py_field(kids[i], PY_F_alias), ts_node_end_byte(node));
		else if (py_kind(kids[i]) == PY_dotted_name)
			mark_defined(p, ts_node_named_child(kids[i], 0), ts_node_end_byte(node));
	}
}

/* A name that the top level binds for certain is no built-in behind that place. */
static void mark_top_level(struct py *p)
{
	uint32_t n;
	const TSNode *kids = py_children(p, ts_tree_root_node(p->syntax->tree), &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode node = kids[i];

		if (py_kind(node) == PY_decorated_definition)
			node = py_field(node, PY_F_definition);
		if (py_kind(node) == PY_expression_statement &&
		    py_kind(ts_node_named_child(node, 0)) == PY_assignment)
			mark_defined(p, py_field(ts_node_named_child(node, 0), PY_F_left),
				     ts_node_end_byte(node));
		else if (py_kind(node) == PY_function_definition ||
			 py_kind(node) == PY_class_definition)
			mark_defined(p, py_field(node, PY_F_name),
				     ts_node_end_byte(py_field(node, PY_F_name)));
		else if (py_kind(node) == PY_import_statement ||
			 py_kind(node) == PY_import_from_statement)
			mark_imported(p, node);
	}
}

void py_collect(struct py *p)
{
	enum syntax_end end =
		syntax_walk(p->syntax, ts_tree_root_node(p->syntax->tree), keep_binder, p);

	if (end != SYNTAX_READ) {
		p->ended = end;
		return;
	}
	p->first_round = true;
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		p->changed = false;
		for (size_t i = 0; i < p->n_binders && !p->failed; i++) {
			p->current = p->binders[i];
			bind_one(p, p->binders[i]);
			if (i % 64 == 63 && syntax_is_late(p->syntax)) {
				p->ended = SYNTAX_LATE;
				return;
			}
		}
		if (!p->changed && !p->first_round)
			break;
		p->first_round = false;
	}
	if (p->changed)
		py_is_obscure(p);
	mark_top_level(p);
}
