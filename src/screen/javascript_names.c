/* SPDX-License-Identifier: Apache-2.0 */
/* javascript_names.c - what an expression of JavaScript stands for.
 *
 * "@global" is the global object, "@require" the function that loads modules, "@function" the
 * constructor of functions; other names are modules, with members behind a dot.
 */
#include "screen/javascript.h"

#include <string.h>

#include "base/own.h"
#include "screen/python_decode.h"

enum { DEPTH_MAX = 300 };

bool js_is(TSNode node, const char *type)
{
	return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

TSNode js_field(TSNode node, const char *field)
{
	return ts_node_child_by_field_name(node, field, (uint32_t)strlen(field));
}

TSNode js_argument(TSNode call, uint32_t n)
{
	TSNode list = js_field(call, "arguments");

	return js_is(list, "arguments") && n < ts_node_named_child_count(list)
		       ? ts_node_named_child(list, n)
		       : (TSNode){0};
}

static const char *keep(struct js *j, const char *text, size_t len)
{
	struct error err;
	const char *ret = arena_copy(j->scratch, text, len, &err);

	if (!ret)
		j->failed = true;
	return ret;
}

/* \x41, \u0041 and \u{41}, ASCII only; what is above stands as it is.  How much it takes; 0: none.
 */
static size_t read_escape(const char *text, size_t left, char *ret)
{
	size_t from = 2, most = text[1] == 'x' ? 2 : 4, n;
	unsigned long value = 0;
	bool braces;

	if (left < 4 || text[0] != '\\' || (text[1] != 'u' && text[1] != 'x'))
		return 0;
	braces = text[1] == 'u' && text[2] == '{';
	from += braces;
	most = braces ? 8 : most;
	n = py_read_digits(text + from, left - from, most, 16, &value);
	if (n == 0 || value >= 0x80 || (braces && (from + n >= left || text[from + n] != '}')))
		return 0;
	*ret = (char)value;
	return from + n + braces;
}

static const char *unescaped(struct js *j, const char *text, size_t len)
{
	struct error err;
	char *copy = arena_alloc(j->scratch, len + 1, &err);
	size_t n = 0;

	if (!copy) {
		j->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < len;) {
		size_t step = read_escape(text + i, len - i, &copy[n]);

		if (step == 0) {
			copy[n] = text[i];
			step = 1;
		}
		n++;
		i += step;
	}
	copy[n] = '\0';
	return copy;
}

const char *js_word(struct js *j, TSNode node)
{
	size_t len;
	const char *text;

	if (ts_node_is_null(node))
		return NULL;
	text = syntax_text(j->syntax, node, &len);
	return memchr(text, '\\', len) ? unescaped(j, text, len) : keep(j, text, len);
}

const char *js_join(struct js *j, const char *left, const char *right)
{
	struct error err;
	const char *ret;

	if (strlen(left) + strlen(right) > JS_NAME_MAX)
		return NULL;
	ret = arena_printf(j->scratch, &err, "%s.%s", left, right);
	if (!ret)
		j->failed = true;
	return ret;
}

const char *js_module(struct js *j, const char *name)
{
	if (strncmp(name, "node:", 5) == 0)
		name += 5;
	if (strcmp(name, "fs/promises") == 0)
		return "fs";
	return keep(j, name, strlen(name));
}

/* Pieces of a string or template; a part that is computed makes it no constant. */
static const char *fold_string(struct js *j, TSNode node)
{
	struct error err;
	const char *sum = "";

	for (uint32_t i = 0; i < ts_node_named_child_count(node) && i < 2000; i++) {
		TSNode child = ts_node_named_child(node, i);
		const char *part = js_is(child, "template_substitution")
					   ? js_fold(j, ts_node_named_child(child, 0))
					   : js_word(j, child);

		if (!part || strlen(sum) + strlen(part) > JS_CONSTANT_MAX)
			return NULL;
		sum = *sum ? arena_printf(j->scratch, &err, "%s%s", sum, part) : part;
		if (!sum) {
			j->failed = true;
			return NULL;
		}
	}
	return sum;
}

static const char *fold_sum(struct js *j, TSNode node)
{
	const char *left, *right, *sum;
	struct error err;

	if (!syntax_text_is(j->syntax, js_field(node, "operator"), "+"))
		return NULL;
	left = js_fold(j, js_field(node, "left"));
	right = left ? js_fold(j, js_field(node, "right")) : NULL;
	if (!right || strlen(left) + strlen(right) > JS_CONSTANT_MAX)
		return NULL;
	sum = arena_printf(j->scratch, &err, "%s%s", left, right);
	if (!sum)
		j->failed = true;
	return sum;
}

/* ["a", "b"].join("") */
static const char *fold_join(struct js *j, TSNode call)
{
	TSNode function = js_field(call, "function"), list = js_field(function, "object");
	struct error err;
	const char *sum = "", *between;

	if (!js_is(function, "member_expression") || !js_is(list, "array") ||
	    !syntax_text_is(j->syntax, js_field(function, "property"), "join"))
		return NULL;
	between = js_fold(j, js_argument(call, 0));
	for (uint32_t i = 0; between && i < ts_node_named_child_count(list) && i < 200; i++) {
		const char *part = js_fold(j, ts_node_named_child(list, i));

		if (!part || strlen(sum) + strlen(part) + strlen(between) > JS_CONSTANT_MAX)
			return NULL;
		sum = arena_printf(j->scratch, &err, "%s%s%s", sum, i ? between : "", part);
		if (!sum) {
			j->failed = true;
			return NULL;
		}
	}
	return between ? sum : NULL;
}

static struct js_binding **bucket_of(struct js *j, const char *name)
{
	unsigned hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	return &j->buckets[hash % JS_BUCKETS];
}

static const char *bound_value(struct js *j, const char *name, char kind)
{
	for (struct js_binding *b = *bucket_of(j, name); b; b = b->next)
		if (strcmp(b->name, name) == 0 && (b->value[0] == '"') == (kind == '"'))
			return b->value;
	return NULL;
}

const char *js_fold(struct js *j, TSNode node)
{
	const char *ret = NULL, *name;

	if (ts_node_is_null(node) || j->depth > DEPTH_MAX)
		return NULL;
	j->depth++;
	if (js_is(node, "string") || js_is(node, "template_string")) {
		ret = fold_string(j, node);
	} else if (js_is(node, "binary_expression")) {
		ret = fold_sum(j, node);
	} else if (js_is(node, "parenthesized_expression")) {
		ret = js_fold(j, ts_node_named_child(node, 0));
	} else if (js_is(node, "call_expression")) {
		ret = fold_join(j, node);
	} else if (js_is(node, "identifier")) {
		name = js_word(j, node);
		ret = name ? bound_value(j, name, '"') : NULL;
		ret = ret ? ret + 1 : NULL;
	}
	j->depth--;
	return ret;
}

/* Does a rule speak of it, or does it lead to everything? */
static bool matters(const char *value)
{
	enum js_rule rule;

	return value[0] == '@' || js_rule_for_import(value, &rule) ||
	       js_rule_for_name(value, &rule);
}

/* Of several things a name is bound to, the one that matters counts; of two that lead to
 * everything none can be told. */
void js_bind(struct js *j, const char *name, const char *value)
{
	struct js_binding **bucket, *b;
	struct error err;

	if (!name || !value || strlen(value) > JS_NAME_MAX)
		return;
	bucket = bucket_of(j, name);
	for (b = *bucket; b; b = b->next) {
		if (strcmp(b->name, name) != 0 || (b->value[0] == '"') != (value[0] == '"'))
			continue;
		if (strcmp(b->value, value) == 0)
			return;
		if (value[0] == '@' && b->value[0] == '@')
			j->obscure = true;
		if (matters(value) && !matters(b->value)) {
			b->value = value;
			j->changed = true;
		} else if (value[0] == '"') {
			b->value = "\"?"; /* bound twice: no constant, and no module's name */
		}
		return;
	}
	b = arena_alloc(j->scratch, sizeof(*b), &err);
	if (!b) {
		j->failed = true;
		return;
	}
	*b = (struct js_binding){.next = *bucket, .name = name, .value = value};
	*bucket = b;
	j->changed = true;
}

static const struct global {
	const char *name;
	const char *value;
} globals[] = {
	{"globalThis", "@global"},
	{"global", "@global"},
	{"window", "@global"},
	{"self", "@global"},
	{"require", "@require"},
	{"module", "@module"},
	{"process", "process"},
	{"Function", "@function"},
	{"eval", "@global.eval"},
	{"fetch", "@global.fetch"},
	{"XMLHttpRequest", "@global.XMLHttpRequest"},
	{"WebSocket", "@global.WebSocket"},
	{"EventSource", "@global.EventSource"},
};

static const char *global_value(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(globals); i++)
		if (strcmp(globals[i].name, name) == 0)
			return globals[i].value;
	return NULL;
}

/* Ways from one known thing to another. */
static const struct step {
	const char *from;
	const char *to;
} steps[] = {
	{"process.mainModule", "@module"},
	{"@module.require", "@require"},
	{"@require.main", "@module"},
	{"@module.parent", "@module"},
	{"@require.cache", "@cache"},
	{"@module.children", "@cache"},
	{"module.default", "module"},
	{"fs.promises", "fs"},
	{"fs.default", "fs"},
	{"process.default", "process"},
};

static const char *member_of(struct js *j, const char *object, const char *property)
{
	const char *full, *known;

	if (strcmp(object, "@global") == 0) {
		known = global_value(property);
		return known ? known : js_join(j, object, property);
	}
	full = js_join(j, object, property);
	for (size_t i = 0; full && i < ARRAY_LEN(steps); i++)
		if (strcmp(steps[i].from, full) == 0)
			return steps[i].to;
	return full;
}

static const char *resolve_member(struct js *j, TSNode node)
{
	bool dotted = js_is(node, "member_expression");
	TSNode property = js_field(node, dotted ? "property" : "index");
	const char *name = dotted ? js_word(j, property) : js_fold(j, property);
	const char *object;

	if (!name)
		return NULL;
	object = js_resolve(j, js_field(node, "object"));
	return object ? member_of(j, object, name) : NULL;
}

static const char *resolve_call(struct js *j, TSNode node)
{
	TSNode function = js_field(node, "function");
	const char *name = js_is(function, "import") ? "@require" : js_resolve(j, function);
	const char *module;

	if (!name)
		return NULL;
	if (strcmp(name, "@require") == 0 || strcmp(name, "process.getBuiltinModule") == 0 ||
	    strcmp(name, "@module._load") == 0) {
		module = js_fold(j, js_argument(node, 0));
		return module ? js_module(j, module) : NULL;
	}
	if (strcmp(name, "module.createRequire") == 0)
		return "@require";
	if (strncmp(name, "Reflect.get", 11) == 0 || strcmp(name, "@global.Reflect.get") == 0) {
		const char *object = js_resolve(j, js_argument(node, 0));
		const char *key = js_fold(j, js_argument(node, 1));

		return object && key ? member_of(j, object, key) : NULL;
	}
	return NULL;
}

static const char *resolve_kind(struct js *j, TSNode node)
{
	const char *name, *bound;

	if (js_is(node, "identifier")) {
		name = js_word(j, node);
		bound = name ? bound_value(j, name, 0) : NULL;
		if (bound)
			return bound;
		return name ? strcmp(name, "Reflect") == 0 ? "Reflect" : global_value(name) : NULL;
	}
	if (js_is(node, "member_expression") || js_is(node, "subscript_expression"))
		return resolve_member(j, node);
	if (js_is(node, "call_expression"))
		return resolve_call(j, node);
	if (js_is(node, "parenthesized_expression") || js_is(node, "await_expression"))
		return js_resolve(j, ts_node_named_child(node, 0));
	if (js_is(node, "sequence_expression"))
		return js_resolve(j,
				  ts_node_named_child(node, ts_node_named_child_count(node) - 1));
	if (js_is(node, "assignment_expression"))
		return js_resolve(j, js_field(node, "right"));
	return NULL;
}

const char *js_resolve(struct js *j, TSNode node)
{
	const char *ret;

	if (ts_node_is_null(node))
		return NULL;
	if (j->depth > DEPTH_MAX) {
		j->obscure = true;
		return NULL;
	}
	j->depth++;
	ret = resolve_kind(j, node);
	j->depth--;
	return ret;
}

/* const { exec: e, spawn } = require("child_process") */
static void bind_pattern(struct js *j, TSNode pattern, const char *value)
{
	for (uint32_t i = 0; i < ts_node_named_child_count(pattern); i++) {
		TSNode child = ts_node_named_child(pattern, i);
		TSNode target = js_field(child, "value");
		const char *key;

		if (js_is(child, "shorthand_property_identifier_pattern")) {
			key = js_word(j, child);
			if (key)
				js_bind(j, key, member_of(j, value, key));
		} else if (js_is(child, "pair_pattern")) {
			key = js_word(j, js_field(child, "key"));
			if (key && js_is(target, "identifier"))
				js_bind(j, js_word(j, target), member_of(j, value, key));
			else if (key && js_is(target, "object_pattern") && j->depth < 50) {
				const char *inner = member_of(j, value, key);

				j->depth++;
				if (inner)
					bind_pattern(j, target, inner);
				j->depth--;
			}
		}
	}
}

static void bind_target(struct js *j, TSNode target, TSNode value)
{
	const char *resolved = js_resolve(j, value), *constant;
	struct error err;

	if (resolved && js_is(target, "identifier"))
		js_bind(j, js_word(j, target), resolved);
	else if (resolved && js_is(target, "object_pattern"))
		bind_pattern(j, target, resolved);
	constant = resolved ? NULL : js_fold(j, value);
	if (constant && js_is(target, "identifier") && strlen(constant) < JS_NAME_MAX)
		js_bind(j, js_word(j, target), arena_printf(j->scratch, &err, "\"%s", constant));
}

static void bind_import(struct js *j, TSNode node)
{
	const char *source = js_fold(j, js_field(node, "source")), *module;
	TSNode clause = ts_node_named_child(node, 0);

	module = source ? js_module(j, source) : NULL;
	if (!module || !js_is(clause, "import_clause"))
		return;
	for (uint32_t i = 0; i < ts_node_named_child_count(clause); i++) {
		TSNode child = ts_node_named_child(clause, i);

		if (js_is(child, "identifier"))
			js_bind(j, js_word(j, child), module);
		else if (js_is(child, "namespace_import"))
			js_bind(j, js_word(j, ts_node_named_child(child, 0)), module);
		for (uint32_t k = 0;
		     js_is(child, "named_imports") && k < ts_node_named_child_count(child); k++) {
			TSNode one = ts_node_named_child(child, k);
			TSNode name = js_field(one, "name"), alias = js_field(one, "alias");
			const char *word = js_word(j, name);

			if (word)
				js_bind(j, js_word(j, ts_node_is_null(alias) ? name : alias),
					member_of(j, module, word));
		}
	}
}

void js_collect(struct js *j, TSNode node)
{
	if (js_is(node, "variable_declarator"))
		bind_target(j, js_field(node, "name"), js_field(node, "value"));
	else if (js_is(node, "assignment_expression"))
		bind_target(j, js_field(node, "left"), js_field(node, "right"));
	else if (js_is(node, "import_statement"))
		bind_import(j, node);
}
