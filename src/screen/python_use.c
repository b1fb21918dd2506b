/* SPDX-License-Identifier: Apache-2.0 */
/* python_use.c - names, attributes and subscripts: what do they stand for, and may it be used? */
#include "screen/python_checks.h"

#include <string.h>

#include "base/own.h"

bool py_is_powerful(const char *module)
{
	return py_module_behind(module) == NULL ? false : module[0] != '_';
}

static TSNode parent_of(const struct visit *v)
{
	return v->depth > 0 ? v->above[v->depth - 1] : (TSNode){0};
}

static void check_own_calls(struct py *p, const char *name, TSNode node)
{
	const struct screen_policy *rules = p->sieve->rules;
	uint32_t at = ts_node_start_byte(node);

	if (strncmp(name, "builtins.", 9) == 0)
		name += 9;
	for (size_t i = 0; i < rules->n_own; i++)
		if (strcmp(rules->own[i].language, "python") == 0 &&
		    words_cover(&rules->own[i].calls, name))
			sieve_add_own(p->sieve, &rules->own[i], at, ts_node_end_byte(node) - at);
}

void py_check_name(struct py *p, const struct visit *v, const char *name)
{
	enum py_rule rule;

	check_own_calls(p, name, v->node);
	if (py_code_argument(name) >= 0)
		py_check_runner(p, v, name);
	else if (py_rule_for_name(name, &rule))
		py_found(p, rule, v->node);
}

/* What a class body binds is reached through the class. */
static bool is_in_class(const struct visit *v)
{
	for (size_t i = v->depth; i-- > 0;) {
		enum py_kind kind = py_kind(v->above[i]);

		if (kind == PY_class_definition || kind == PY_function_definition)
			return kind == PY_class_definition;
	}
	return false;
}

/* The part that is looked into, called or given another name keeps its meaning; else we lose it. */
static bool is_handed_around(struct py *p, const struct visit *v)
{
	TSNode parent = parent_of(v), target;
	size_t up = v->depth;

	while (up > 0 && py_kind(v->above[up - 1]) == PY_parenthesized_expression)
		up--;
	parent = up > 0 ? v->above[up - 1] : parent;
	switch ((int)py_kind(parent)) {
	case PY_attribute:
	case PY_subscript:
	case PY_expression_statement:
	case PY_call:
	case PY_named_expression:
	case PY_interpolation:
	case PY_delete_statement:
	case PY_global_statement:
	case PY_keyword_argument:
		return py_kind(parent) == PY_keyword_argument;
	case PY_assignment:
		target = py_field(parent, PY_F_left);
		return py_kind(target) == PY_attribute || py_kind(target) == PY_subscript ||
		       is_in_class(v);
	case PY_argument_list:
		break;
	default:
		return true;
	}
	/* An argument: of functions that only look, it is not lost. */
	if (up >= 2 && py_kind(v->above[up - 2]) == PY_call) {
		static const char *const lookers[] = {
			"print",      "dir",     "help",    "type",    "id",
			"isinstance", "hasattr", "getattr", "setattr", "delattr",
			"vars",       "repr",    "str",     "len",     "callable",
		};
		TSNode function = py_field(v->above[up - 2], PY_F_function);

		for (size_t i = 0; i < ARRAY_LEN(lookers); i++)
			if (syntax_text_is(p->syntax, function, lookers[i]))
				return false;
		if (py_kind(function) == PY_lambda || py_kind(py_bare(function)) == PY_lambda)
			return false;
	}
	return true;
}

void py_check_escape(struct py *p, const struct visit *v, const struct py_values *values)
{
	for (size_t i = 0; i < values->n; i++) {
		size_t len = strlen(values->name[i]);

		if (py_is_powerful(values->name[i])) {
			if (is_handed_around(p, v))
				p->escapes = true;
		} else if (len > 9 && strcmp(values->name[i] + len - 9, ".__dict__") == 0) {
			const char *module = py_intern(p, values->name[i], len - 9);
			enum py_kind kind = py_kind(parent_of(v));

			if (module && py_is_powerful(module) && kind != PY_subscript &&
			    kind != PY_attribute)
				py_found(p, PY_BUILTINS, v->node);
		}
	}
}

/* The name of something else: of a keyword, a parameter, what is bound here. */
static bool is_no_use(const struct visit *v)
{
	TSNode parent = parent_of(v);

	switch ((int)py_kind(parent)) {
	case PY_attribute:
		return ts_node_eq(py_field(parent, PY_F_attribute), v->node);
	case PY_keyword_argument:
	case PY_default_parameter:
	case PY_typed_default_parameter:
	case PY_function_definition:
	case PY_class_definition:
	case PY_named_expression:
		return ts_node_eq(py_field(parent, PY_F_name), v->node);
	case PY_assignment:
	case PY_for_statement:
	case PY_for_in_clause:
		return ts_node_eq(py_field(parent, PY_F_left), v->node);
	case PY_parameters:
	case PY_lambda_parameters:
	case PY_global_statement:
	case PY_nonlocal_statement:
	case PY_dotted_name:
		return true;
	}
	return false;
}

static void check_lookalike(struct py *p, TSNode node, const char *name)
{
	size_t len;
	const char *text = syntax_text(p->syntax, node, &len);

	if (len == strlen(name))
		return;
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c >= 0x80)
			return;
	(void)text;
	py_found(p, PY_LOOKALIKE, node);
}

static bool is_builtin_of_interest(const char *name)
{
	static const char *const names[] = {"eval",       "exec",       "compile", "execfile",
					    "__import__", "breakpoint", "getattr"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void check_builtin(struct py *p, const struct visit *v, const char *name)
{
	bool called = py_kind(parent_of(v)) == PY_call;

	if (py_is_shadowed(p, name, v))
		return;
	if (strcmp(name, "getattr") == 0) {
		if (!called) /* as a value: reduce(getattr, [...]) */
			py_found(p, PY_BUILTINS, v->node);
	} else if (strcmp(name, "__import__") == 0) {
		if (!called)
			py_found(p, PY_DYNAMIC_IMPORT, v->node);
	} else {
		py_check_name(p, v, py_join(p, "builtins", name));
	}
}

void py_check_identifier(struct py *p, const struct visit *v)
{
	const char *name = py_identifier(p, v->node);
	struct py_values values;

	if (!name)
		return;
	check_lookalike(p, v->node, name);
	if (is_no_use(v))
		return;
	if (strcmp(name, "__builtins__") == 0 || strcmp(name, "__loader__") == 0 ||
	    strcmp(name, "__spec__") == 0) {
		py_found(p, PY_BUILTINS, v->node);
		return;
	}
	if (is_builtin_of_interest(name))
		check_builtin(p, v, name);
	for (size_t i = 0; i < p->n_stars; i++) {
		const char *full = py_join(p, p->stars[i], name);

		if (full)
			py_check_name(p, v, full);
	}
	py_resolve(p, v->node, &values);
	py_check_escape(p, v, &values);
}

/* Reading these of a code object is what tracebacks do. */
static bool is_harmless_code(struct py *p, const struct visit *v)
{
	static const char *const harmless[] = {"co_varnames", "co_argcount", "co_name",
					       "co_filename", "co_firstlineno"};
	TSNode parent = parent_of(v);

	if (py_kind(parent) != PY_attribute)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		if (syntax_text_is(p->syntax, py_field(parent, PY_F_attribute), harmless[i]))
			return true;
	return false;
}

/* A.__subclasses__() of a class of this code: a list of plug-ins. */
static bool is_own_class(struct py *p, const struct visit *v)
{
	TSNode object = py_field(v->node, PY_F_object), call = parent_of(v);
	const char *name = py_kind(object) == PY_identifier ? py_identifier(p, object) : NULL;
	const struct py_binding *b = name ? py_binding(p, name) : NULL;

	if (py_kind(call) != PY_call ||
	    ts_node_named_child_count(py_field(call, PY_F_arguments)) > 0)
		return false;
	if (b && b->is_class && b->n_bound == 1)
		return true;
	/* cls of a class method: nobody gives it another but through __func__. */
	for (size_t i = v->depth; name && strcmp(name, "cls") == 0 && i-- > 1;)
		if (py_kind(v->above[i]) == PY_function_definition)
			return py_kind(v->above[i - 1]) == PY_decorated_definition &&
			       syntax_text_is(p->syntax, ts_node_named_child(v->above[i - 1], 0),
					      "@classmethod");
	return false;
}

/* Found whatever the object is. */
static void check_attribute_name(struct py *p, const struct visit *v, const char *name)
{
	TSNode parent = parent_of(v);
	enum py_rule rule;

	if ((strcmp(name, "__mro__") == 0 || strcmp(name, "__bases__") == 0) &&
	    py_kind(parent) == PY_subscript) {
		py_found(p, PY_INTROSPECTION, v->node);
		return;
	}
	if (strcmp(name, "__code__") == 0 && py_kind(parent) == PY_assignment) {
		py_found(p, PY_CODE_OBJECT, v->node);
		return;
	}
	if (!py_rule_for_attribute(name, &rule))
		return;
	if (rule == PY_FRAMES && is_harmless_code(p, v))
		return;
	if (strcmp(name, "__subclasses__") == 0 && is_own_class(p, v))
		return;
	py_found(p, rule, v->node);
}

static bool is_from_known(const struct py_values *values)
{
	return values->n > 0;
}

void py_check_attribute(struct py *p, const struct visit *v)
{
	const char *name = py_identifier(p, py_field(v->node, PY_F_attribute));
	struct py_values values;

	if (!name)
		return;
	py_resolve(p, v->node, &values);
	check_attribute_name(p, v, name);
	if (!is_from_known(&values) && py_is_telltale(name) && p->n_pending < PY_PENDING_MAX)
		p->pending[p->n_pending++] = v->node;
	for (size_t i = 0; i < values.n; i++) {
		if (py_module_behind(name) || strchr(values.name[i], '.'))
			py_check_module_use(p, values.name[i], v->node);
		py_check_name(p, v, values.name[i]);
	}
	py_check_escape(p, v, &values);
}

/* sys.modules[x], vars(os)[x], __builtins__[x] with an x that nobody knows */
static void check_key(struct py *p, const struct visit *v)
{
	TSNode key = py_field(v->node, PY_F_subscript);
	TSNode value = py_bare(py_field(v->node, PY_F_value));
	struct py_values values, inner;
	struct py_constant constant;

	py_resolve(p, value, &values);
	if (py_kind(value) == PY_subscript) {
		py_resolve(p, py_field(value, PY_F_value), &inner);
		if (py_values_have(&inner, "@globals") &&
		    !py_fold(p, py_field(value, PY_F_subscript), &constant))
			py_found(p, PY_BUILTINS, v->node);
	}
	if (values.n == 0 || py_fold(p, key, &constant))
		return;
	for (size_t i = 0; i < values.n; i++) {
		const char *dict = strstr(values.name[i], ".__dict__");

		if (strcmp(values.name[i], "sys.modules") == 0 &&
		    !syntax_text_is(p->syntax, key, "__name__"))
			py_found(p, PY_DYNAMIC_IMPORT, v->node);
		else if (strcmp(values.name[i], "builtins") == 0 || (dict && dict[9] == '\0'))
			py_found(p, PY_BUILTINS, v->node);
	}
}

void py_check_subscript(struct py *p, const struct visit *v)
{
	struct py_values values;
	struct py_constant constant;

	check_key(p, v);
	py_resolve(p, v->node, &values);
	for (size_t i = 0; i < values.n; i++) {
		py_check_module_use(p, values.name[i], v->node);
		py_check_name(p, v, values.name[i]);
	}
	py_check_escape(p, v, &values);
	if (py_fold(p, v->node, &constant))
		py_check_constant(p, v, &constant);
}

void py_check_definition(struct py *p, TSNode node)
{
	const char *name = py_identifier(p, py_field(node, PY_F_name));

	if (name && (strcmp(name, "__reduce__") == 0 || strcmp(name, "__reduce_ex__") == 0))
		py_found(p, PY_DESERIALISE, py_field(node, PY_F_name));
}
