/* SPDX-License-Identifier: Apache-2.0 */
/* python_call.c - calls whose arguments decide what they mean. */
#include "screen/python_checks.h"

#include <string.h>

#include "base/own.h"

enum { NESTING_MAX = 3 };

/* A string that will run is code: read it as such.  Findings point at the outermost place. */
static void screen_inner(struct py *p, TSNode node, const struct py_constant *code)
{
	struct sieve inner = *p->sieve;
	enum syntax_end end = SYNTAX_READ;
	size_t blank = 0;

	if (p->nesting >= NESTING_MAX) {
		py_found(p, PY_EVAL, node);
		return;
	}
	while (blank < code->len && strchr(" \t\n", code->data[blank]) && code->data[blank])
		blank++;
	inner.text = code->data + blank;
	inner.len = code->len - blank;
	inner.inside = 1 + (size_t)ts_node_start_byte(node);
	inner.outer = p->sieve;
	py_screen_text(&inner, p->syntax->budget, p, &end);
	if (end != SYNTAX_READ)
		p->ended = end;
	if (inner.failed)
		p->failed = true;
}

/* timeit(f), timeit(lambda: ...) run no string. */
static bool is_function(struct py *p, TSNode node)
{
	const struct py_binding *b;

	node = ts_node_is_null(node) ? node : py_bare(node);
	if (ts_node_is_null(node) || py_kind(node) == PY_lambda)
		return true;
	b = py_kind(node) == PY_identifier ? py_binding(p, py_identifier(p, node)) : NULL;
	return b && b->is_function && b->n_bound == 1;
}

static void check_computed(struct py *p, TSNode node, TSNode argument, bool builtin)
{
	enum py_kind kind = ts_node_is_null(argument) ? PY_other : py_kind(py_bare(argument));

	if (builtin || kind == PY_call || kind == PY_binary_operator)
		py_found(p, PY_EVAL, node);
	else if (!is_function(p, argument))
		py_found(p, PY_CODE_STRING, node);
}

static void check_code(struct py *p, TSNode node, TSNode argument, bool builtin)
{
	struct py_constant code;

	if (!py_fold(p, argument, &code)) {
		check_computed(p, node, argument, builtin);
		return;
	}
	screen_inner(p, argument, &code);
	if (code.composed)
		py_found(p, PY_EVAL, node);
	else if (builtin)
		py_found(p, PY_EVAL_CONSTANT, node);
}

void py_check_runner(struct py *p, const struct visit *v, const char *name)
{
	static const char *const keywords[] = {"source", "stmt", "setup", "statement"};
	TSNode call = v->depth > 0 ? v->above[v->depth - 1] : (TSNode){0};
	bool builtin = strncmp(name, "builtins.", 9) == 0;
	TSNode argument;

	if (py_kind(call) != PY_call || !ts_node_eq(py_field(call, PY_F_function), v->node)) {
		if (builtin)
			py_found(p, PY_EVAL, v->node);
		return;
	}
	argument = py_argument(call, (unsigned)py_code_argument(name));
	if (!ts_node_is_null(argument) || builtin)
		check_code(p, v->node, argument, builtin);
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		argument = py_keyword(p, call, keywords[i]);
		if (!ts_node_is_null(argument))
			check_code(p, v->node, argument, builtin);
	}
	if (!builtin && !ts_node_is_null(argument = py_argument(call, 1)) &&
	    py_kind(argument) == PY_string)
		check_code(p, v->node, argument, false);
}

/* for m in ["numpy", "scipy"]: import_module(m) */
static bool check_listed(struct py *p, TSNode argument, TSNode call)
{
	const char *name = py_kind(argument) == PY_identifier ? py_identifier(p, argument) : NULL;
	const struct py_binding *b = name ? py_binding(p, name) : NULL;
	const TSNode *kids;
	uint32_t n;

	if (!b || b->n_listed == 0 || b->n_listed != b->n_bound)
		return false;
	kids = py_children(p, b->list, &n);
	for (uint32_t i = 0; i < n; i++) {
		struct py_constant module;

		if (!py_fold(p, kids[i], &module) || module.composed)
			return false;
		name = py_intern(p, module.data, module.len);
		if (name)
			py_check_module(p, name, call);
	}
	return true;
}

static void check_dynamic_import(struct py *p, const struct visit *v)
{
	TSNode argument = py_argument(v->node, 0);
	struct py_constant name;
	const char *module;

	if (ts_node_is_null(argument))
		argument = py_keyword(p, v->node, "name");
	if (!ts_node_is_null(argument) && check_listed(p, py_bare(argument), v->node))
		return;
	if (!py_fold(p, argument, &name)) {
		py_found(p, PY_DYNAMIC_IMPORT, v->node);
		return;
	}
	if (name.composed)
		py_found(p, PY_DYNAMIC_IMPORT, v->node);
	module = py_intern(p, name.data, name.len);
	if (module)
		py_check_module(p, module, v->node);
}

static bool is_literal(TSNode node)
{
	switch ((int)py_kind(py_bare(node))) {
	case PY_string:
	case PY_tuple:
	case PY_list:
	case PY_dictionary:
	case PY_set:
	case PY_integer:
		return true;
	}
	return false;
}

/* getattr(getattr(x, a), b) */
static bool is_getattr(struct py *p, TSNode node)
{
	struct py_values values;

	if (py_kind(node = py_bare(node)) != PY_call)
		return false;
	py_resolve(p, py_field(node, PY_F_function), &values);
	return py_values_have(&values, "builtins.getattr");
}

static void check_getattr(struct py *p, const struct visit *v)
{
	TSNode object = py_argument(v->node, 0), attribute = py_argument(v->node, 1);
	struct py_values values;
	struct py_constant name;
	enum py_rule rule;
	const char *word;

	py_resolve(p, object, &values);
	if (!py_fold(p, attribute, &name)) {
		for (size_t i = 0; i < values.n; i++)
			if (py_is_powerful(values.name[i]))
				py_found(p, PY_BUILTINS, v->node);
		if (!ts_node_is_null(object) && values.n == 0 &&
		    (is_literal(object) || is_getattr(p, object)) && !ts_node_is_null(attribute))
			py_found(p, PY_INTROSPECTION, v->node);
		if (values.n == 0 && p->n_pending < PY_PENDING_MAX)
			p->pending[p->n_pending++] = v->node;
		return;
	}
	word = py_intern(p, name.data, name.len);
	if (name.composed)
		py_found(p, PY_BUILTINS, v->node);
	else if (word && py_rule_for_attribute(word, &rule))
		py_found(p, rule, v->node);
	else if (word && values.n == 0 && py_is_telltale(word) && p->n_pending < PY_PENDING_MAX)
		p->pending[p->n_pending++] = v->node;
}

/* setattr(os, ...), delattr(builtins, ...) */
static void check_setattr(struct py *p, const struct visit *v)
{
	struct py_values values;

	py_resolve(p, py_argument(v->node, 0), &values);
	for (size_t i = 0; i < values.n; i++)
		if (py_is_powerful(values.name[i]))
			py_found(p, PY_BUILTINS, v->node);
}

/* 0 it reads, 1 it writes, -1 nobody knows */
static int writes(struct py *p, TSNode mode)
{
	struct py_constant c;

	if (ts_node_is_null(mode))
		return 0;
	if (!py_fold(p, mode, &c))
		return -1;
	return strpbrk(c.data, "wax+") != NULL;
}

static void check_open(struct py *p, const struct visit *v)
{
	TSNode mode = py_argument(v->node, 1), path = py_argument(v->node, 0);
	struct py_constant c;
	int changes;

	if (ts_node_is_null(mode))
		mode = py_keyword(p, v->node, "mode");
	changes = writes(p, mode);
	if (ts_node_is_null(path))
		path = py_keyword(p, v->node, "file");
	if (changes == 1 && py_fold(p, path, &c) && py_path_is_outside(c.data, c.len))
		py_found(p, PY_DESTROY, v->node);
	else if (changes != 0)
		py_found(p, PY_WRITE, v->node);
	py_check_file(p, path);
}

static void check_change(struct py *p, const struct visit *v)
{
	bool outside = false;

	for (unsigned i = 0; i < 2; i++) {
		TSNode path = py_argument(v->node, i);
		struct py_constant c;

		if (ts_node_is_null(path))
			continue;
		py_check_file(p, path);
		outside |= py_fold(p, path, &c) && py_path_is_outside(c.data, c.len);
	}
	py_found(p, outside ? PY_DESTROY : PY_WRITE, v->node);
}

static void check_yaml(struct py *p, const struct visit *v)
{
	TSNode loader = py_keyword(p, v->node, "Loader");
	size_t len;
	const char *text;

	if (ts_node_is_null(loader))
		loader = py_argument(v->node, 1);
	if (!ts_node_is_null(loader)) {
		text = syntax_text(p->syntax, loader, &len);
		if (memmem(text, len, "Safe", 4))
			return;
	}
	py_found(p, PY_DESERIALISE, v->node);
}

static void check_numpy_load(struct py *p, const struct visit *v)
{
	TSNode allowed = py_keyword(p, v->node, "allow_pickle");

	if (!ts_node_is_null(allowed) && !syntax_text_is(p->syntax, allowed, "False"))
		py_found(p, PY_DESERIALISE, v->node);
}

static void check_function_type(struct py *p, const struct visit *v)
{
	py_found(p, PY_CODE_OBJECT, v->node);
}

/* Calls whose arguments matter. */
static const struct called {
	const char *name;
	void (*check)(struct py *p, const struct visit *v);
} called[] = {
	{"builtins.getattr", check_getattr},
	{"builtins.object.__getattribute__", check_getattr},
	{"builtins.type.__getattribute__", check_getattr},
	{"inspect.getattr_static", check_getattr},
	{"builtins.setattr", check_setattr},
	{"builtins.delattr", check_setattr},
	{"builtins.__import__", check_dynamic_import},
	{"importlib.__import__", check_dynamic_import},
	{"importlib.import_module", check_dynamic_import},
	{"builtins.open", check_open},
	{"io.open", check_open},
	{"codecs.open", check_open},
	{"gzip.open", check_open},
	{"bz2.open", check_open},
	{"lzma.open", check_open},
	{"zipfile.ZipFile", check_open},
	{"tarfile.open", check_open},
	{"yaml.load", check_yaml},
	{"numpy.load", check_numpy_load},
	{"types.FunctionType", check_function_type},
	{"types.LambdaType", check_function_type},
};

/* p.write_text(...), p.open("w"): of a path, most likely. */
static void check_method(struct py *p, const struct visit *v, TSNode function)
{
	static const char *const writers[] = {"write_text", "write_bytes", "unlink",
					      "rmdir",      "symlink_to",  "hardlink_to"};
	const char *name = py_identifier(p, py_field(function, PY_F_attribute));
	TSNode first = py_argument(v->node, 0);
	struct py_constant path;

	if (!name)
		return;
	if (strcmp(name, "open") == 0 && writes(p, first) == 1 && py_kind(first) == PY_string &&
	    ts_node_end_byte(first) - ts_node_start_byte(first) <= 5)
		py_found(p, PY_WRITE, v->node);
	for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
		if (strcmp(writers[i], name) != 0)
			continue;
		if (py_fold(p, py_field(function, PY_F_object), &path) &&
		    py_path_is_outside(path.data, path.len))
			py_found(p, PY_DESTROY, v->node);
		else
			py_found(p, PY_WRITE, v->node);
	}
}

/* type(lambda: 0)(code, {}) makes a function of a code object. */
static void check_made_type(struct py *p, const struct visit *v, TSNode function)
{
	struct py_values values;
	TSNode of;

	if (py_kind(function) != PY_call)
		return;
	py_resolve(p, py_field(function, PY_F_function), &values);
	of = py_argument(function, 0);
	if (!py_values_have(&values, "builtins.type") || ts_node_is_null(of))
		return;
	of = py_bare(of);
	if (py_kind(of) == PY_lambda ||
	    (py_kind(of) == PY_attribute &&
	     syntax_text_is(p->syntax, py_field(of, PY_F_attribute), "__code__")))
		py_found(p, PY_CODE_OBJECT, v->node);
}

static void check_function(struct py *p, const struct visit *v, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(called); i++)
		if (strcmp(called[i].name, name) == 0)
			called[i].check(p, v);
	if (py_changes_files(name))
		check_change(p, v);
}

static bool names_builtin(const struct py_values *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (strncmp(values->name[i], "builtins.", 9) == 0)
			return true;
	return false;
}

void py_check_call(struct py *p, const struct visit *v)
{
	TSNode function = py_bare(py_field(v->node, PY_F_function));
	struct visit inner = {function, v->above, v->depth + 1};
	struct py_values values;
	struct py_constant constant;
	bool shadowed;

	py_resolve(p, function, &values);
	shadowed = py_kind(function) == PY_identifier && names_builtin(&values) &&
		   py_is_shadowed(p, py_identifier(p, function), &inner);
	for (size_t i = 0; !shadowed && i < values.n; i++)
		check_function(p, v, values.name[i]);
	check_made_type(p, v, function);
	if (values.n == 0 && py_kind(function) == PY_attribute)
		check_method(p, v, function);
	if (shadowed)
		return;
	py_resolve(p, v->node, &values);
	for (size_t i = 0; i < values.n; i++) {
		if (values.name[i][0] == '@')
			continue;
		py_check_module_use(p, values.name[i], v->node);
		py_check_name(p, v, values.name[i]);
	}
	py_check_escape(p, v, &values);
	if (py_kind(function) == PY_attribute && py_fold(p, v->node, &constant))
		py_check_constant(p, v, &constant);
}
