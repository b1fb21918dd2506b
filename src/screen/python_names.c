/* SPDX-License-Identifier: Apache-2.0 */
/* python_names.c - what an expression stands for: "os.system", whichever way it is written.
 *
 * The order of statements does not count: a name stands for everything it is
 * bound to anywhere in the code.  That says too much rather than too little.
 */
#include "screen/python.h"

#include <string.h>

#include "base/own.h"

enum { RESOLVE_DEPTH_MAX = 400 };

/* Modules that other modules carry around under their own name or with an underscore. */
static const char *const carried[] = {
	"builtins", "ctypes", "importlib", "os",         "posix",
	"pty",      "shutil", "socket",    "subprocess", "sys",
};

/* Built-ins whose use we follow. */
static const char *const followed[] = {
	"__import__", "breakpoint", "bytearray", "bytes",   "chr",     "compile", "delattr",
	"eval",       "exec",       "execfile",  "getattr", "globals", "locals",  "object",
	"open",       "setattr",    "str",       "type",    "vars",
};

const char *py_module_behind(const char *attribute)
{
	while (*attribute == '_')
		attribute++;
	for (size_t i = 0; i < ARRAY_LEN(carried); i++)
		if (strcmp(carried[i], attribute) == 0)
			return carried[i];
	return NULL;
}

/* As an attribute of we know not what, these say nothing. */
static bool is_common_word(const char *module)
{
	return strcmp(module, "socket") == 0 || strcmp(module, "ctypes") == 0 ||
	       strcmp(module, "shutil") == 0;
}

bool py_is_followed(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(followed); i++)
		if (strcmp(followed[i], name) == 0)
			return true;
	return false;
}

bool py_values_have(const struct py_values *values, const char *name)
{
	for (size_t i = 0; i < values->n; i++)
		if (strcmp(values->name[i], name) == 0)
			return true;
	return false;
}

/* Of too many, those that no rule speaks of are left out; if that is not enough, the code counts
 * as too twisted. */
bool py_values_add(struct py *p, struct py_values *values, const char *name)
{
	if (!name || py_values_have(values, name))
		return false;
	if (values->n < PY_VALUES_MAX) {
		values->name[values->n++] = name;
		return true;
	}
	if (!py_is_spoken_of(name))
		return false;
	for (size_t i = 0; i < values->n; i++) {
		if (!py_is_spoken_of(values->name[i])) {
			values->name[i] = name;
			return true;
		}
	}
	py_is_obscure(p);
	return false;
}

static void add_value(struct py *p, struct py_values *values, const char *name)
{
	(void)py_values_add(p, values, name);
}

static void add_values(struct py *p, struct py_values *to, const struct py_values *from)
{
	for (size_t i = 0; i < from->n; i++)
		add_value(p, to, from->name[i]);
}

static void add_resolved(struct py *p, TSNode node, struct py_values *to)
{
	struct py_values values;

	py_resolve(p, node, &values);
	add_values(p, to, &values);
}

static void resolve_name(struct py *p, const char *name, struct py_values *ret)
{
	const struct py_binding *b = py_binding(p, name);

	if (strcmp(name, "__builtins__") == 0)
		add_value(p, ret, "builtins");
	if (b)
		add_values(p, ret, &b->values);
	else if (p->outer)
		resolve_name(p->outer, name, ret);
	if (py_is_followed(name))
		add_value(p, ret, py_join(p, "builtins", name));
	for (size_t i = 0; i < p->n_stars; i++)
		add_value(p, ret, py_join(p, p->stars[i], name));
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

/* What a dictionary of names holds under a key. */
static void take_key(struct py *p, const char *dictionary, const struct py_constant *key,
		     struct py_values *ret)
{
	const char *name = py_intern(p, key->data, key->len);
	size_t end = strlen(".__dict__");

	if (!name)
		return;
	if (strcmp(dictionary, "sys.modules") == 0)
		add_value(p, ret, name);
	else if (strcmp(dictionary, "@globals") == 0)
		resolve_name(p, name, ret);
	else if (strcmp(dictionary, "builtins") == 0)
		add_value(p, ret, py_join(p, "builtins", name));
	else if (ends_with(dictionary, ".__dict__") && py_module_behind(name))
		add_value(p, ret, py_module_behind(name));
	else if (ends_with(dictionary, ".__dict__"))
		add_value(p, ret,
			  py_join(p, py_intern(p, dictionary, strlen(dictionary) - end), name));
}

/* What an attribute is, of what is known to be one of object. */
static void attribute_of(struct py *p, const struct py_values *object, const char *attribute,
			 struct py_values *ret)
{
	const char *module = py_module_behind(attribute);

	if (module && !is_common_word(module)) {
		add_value(p, ret, module);
		return;
	}
	if (strcmp(attribute, "__builtins__") == 0) {
		add_value(p, ret, "builtins");
		return;
	}
	for (size_t i = 0; i < object->n; i++)
		add_value(p, ret, module ? module : py_join(p, object->name[i], attribute));
}

static void take_attribute(struct py *p, TSNode object, const char *attribute,
			   struct py_values *ret)
{
	struct py_values values;

	py_resolve(p, object, &values);
	if (attribute)
		attribute_of(p, &values, attribute, ret);
}

static void resolve_subscript(struct py *p, TSNode node, struct py_values *ret)
{
	TSNode value = py_bare(py_field(node, PY_F_value));
	enum py_kind kind = py_kind(value);
	struct py_values values;
	struct py_constant key;
	const TSNode *kids;
	uint32_t n;

	if (kind == PY_list || kind == PY_tuple || kind == PY_dictionary || kind == PY_set) {
		kids = py_children(p, value, &n);
		for (uint32_t i = 0; i < n; i++) {
			TSNode child = kids[i];

			add_resolved(
				p, py_kind(child) == PY_pair ? py_field(child, PY_F_value) : child,
				ret);
		}
		return;
	}
	py_resolve(p, value, &values);
	if (values.n == 0 || !py_fold(p, py_field(node, PY_F_subscript), &key))
		return;
	for (size_t i = 0; i < values.n; i++)
		take_key(p, values.name[i], &key, ret);
}

/* __import__("a.b") is a, but for a "fromlist": say both. */
static void import_constant(struct py *p, const struct py_constant *name, bool first_too,
			    struct py_values *ret)
{
	const char *dot = memchr(name->data, '.', name->len);

	add_value(p, ret, py_intern(p, name->data, name->len));
	if (dot && first_too)
		add_value(p, ret, py_intern(p, name->data, (size_t)(dot - name->data)));
}

/* x.get("key") of a dictionary of names, x.__getattribute__("name") of anything. */
static void resolve_method(struct py *p, TSNode call, const struct py_values *object,
			   const char *name, struct py_values *ret)
{
	static const char *const getters[] = {"get", "pop", "setdefault", "__getitem__"};
	struct py_constant key;
	const char *word;

	if (strcmp(name, "__getattribute__") == 0 && py_fold(p, py_argument(call, 0), &key)) {
		word = py_intern(p, key.data, key.len);
		if (word)
			attribute_of(p, object, word, ret);
		return;
	}
	for (size_t g = 0; g < ARRAY_LEN(getters); g++) {
		if (strcmp(getters[g], name) != 0 || object->n == 0 ||
		    !py_fold(p, py_argument(call, 0), &key))
			continue;
		for (size_t i = 0; i < object->n; i++)
			take_key(p, object->name[i], &key, ret);
	}
}

static void call_getattr(struct py *p, TSNode call, struct py_values *ret)
{
	struct py_constant name;

	if (py_fold(p, py_argument(call, 1), &name))
		take_attribute(p, py_argument(call, 0), py_intern(p, name.data, name.len), ret);
}

static void call_import(struct py *p, TSNode call, struct py_values *ret)
{
	struct py_constant name;

	if (py_fold(p, py_argument(call, 0), &name))
		import_constant(p, &name, true, ret);
}

static void call_import_module(struct py *p, TSNode call, struct py_values *ret)
{
	struct py_constant name;

	if (py_fold(p, py_argument(call, 0), &name))
		import_constant(p, &name, false, ret);
}

static void call_globals(struct py *p, TSNode call, struct py_values *ret)
{
	(void)call;
	add_value(p, ret, "@globals");
}

static void call_vars(struct py *p, TSNode call, struct py_values *ret)
{
	TSNode object = py_argument(call, 0);
	struct py_values values;

	if (ts_node_is_null(object)) {
		add_value(p, ret, "@globals");
		return;
	}
	py_resolve(p, object, &values);
	for (size_t i = 0; i < values.n; i++)
		add_value(p, ret, py_join(p, values.name[i], "__dict__"));
}

static void call_first_argument(struct py *p, TSNode call, struct py_values *ret)
{
	add_resolved(p, py_argument(call, 0), ret);
}

static void call_attrgetter(struct py *p, TSNode call, struct py_values *ret)
{
	struct py_constant name;
	struct error err;

	if (py_fold(p, py_argument(call, 0), &name))
		add_value(p, ret,
			  arena_printf(p->scratch, &err, "@attr:%.*s",
				       (int)(name.len < 100 ? name.len : 100), name.data));
}

/* What calls of these give back. */
static const struct givers {
	const char *name;
	void (*give)(struct py *p, TSNode call, struct py_values *ret);
} givers[] = {
	{"builtins.getattr", call_getattr},
	{"builtins.__import__", call_import},
	{"importlib.__import__", call_import},
	{"importlib.import_module", call_import_module},
	{"importlib.reload", call_first_argument},
	{"builtins.globals", call_globals},
	{"builtins.locals", call_globals},
	{"builtins.vars", call_vars},
	{"functools.partial", call_first_argument},
	{"copy.copy", call_first_argument},
	{"operator.attrgetter", call_attrgetter},
	{"operator.methodcaller", call_attrgetter},
	{"builtins.object.__getattribute__", call_getattr},
	{"builtins.type.__getattribute__", call_getattr},
	{"inspect.getattr_static", call_getattr},
};

/* The object is asked once: a chain of calls would else take twice the time for each link. */
static void resolve_function(struct py *p, TSNode call, TSNode function, struct py_values *ret,
			     struct py_values *ret_given)
{
	struct py_values object;
	const char *name;

	*ret = (struct py_values){0};
	if (py_kind(function) != PY_attribute) {
		py_resolve(p, function, ret);
		return;
	}
	name = py_identifier(p, py_field(function, PY_F_attribute));
	if (!name)
		return;
	py_resolve(p, py_field(function, PY_F_object), &object);
	attribute_of(p, &object, name, ret);
	resolve_method(p, call, &object, name, ret_given);
}

static void resolve_call(struct py *p, TSNode call, struct py_values *ret)
{
	TSNode function = py_bare(py_field(call, PY_F_function));
	struct py_values values;

	if (py_kind(function) == PY_lambda) {
		add_resolved(p, py_field(function, PY_F_body), ret);
		return;
	}
	resolve_function(p, call, function, &values, ret);
	for (size_t i = 0; i < values.n; i++) {
		if (strncmp(values.name[i], "@attr:", 6) == 0)
			take_attribute(p, py_argument(call, 0), values.name[i] + 6, ret);
		for (size_t g = 0; g < ARRAY_LEN(givers); g++)
			if (strcmp(givers[g].name, values.name[i]) == 0)
				givers[g].give(p, call, ret);
	}
}

/* "a if x else b", "a or b": any of the parts. */
static void resolve_parts(struct py *p, TSNode node, struct py_values *ret)
{
	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
		add_resolved(p, ts_node_named_child(node, i), ret);
}

static void resolve_kind(struct py *p, TSNode node, struct py_values *ret)
{
	const char *name;

	switch ((int)py_kind(node)) {
	case PY_identifier:
		name = py_identifier(p, node);
		if (name)
			resolve_name(p, name, ret);
		break;
	case PY_attribute:
		name = py_identifier(p, py_field(node, PY_F_attribute));
		if (name)
			take_attribute(p, py_field(node, PY_F_object), name, ret);
		break;
	case PY_subscript:
		resolve_subscript(p, node, ret);
		break;
	case PY_call:
		resolve_call(p, node, ret);
		break;
	case PY_named_expression:
		add_resolved(p, py_field(node, PY_F_value), ret);
		break;
	case PY_conditional_expression:
	case PY_boolean_operator:
	case PY_await:
	case PY_as_pattern:
		resolve_parts(p, node, ret);
		break;
	}
}

void py_resolve(struct py *p, TSNode node, struct py_values *ret)
{
	*ret = (struct py_values){0};
	if (ts_node_is_null(node))
		return;
	if (p->resolve_depth >= RESOLVE_DEPTH_MAX) {
		py_is_obscure(p);
		return;
	}
	p->resolve_depth++;
	resolve_kind(p, py_bare(node), ret);
	p->resolve_depth--;
}
