/* SPDX-License-Identifier: Apache-2.0 */
/* javascript.c - reads JavaScript for node: modules, code made of text, the global object. */
#include "screen/javascript.h"

#include <stdio.h>
#include <string.h>

#include "base/match.h"
#include "base/own.h"
#include "screen/grammars.h"
#include "screen/python.h"

enum { SCRATCH_BYTES = 32 << 20, ROUNDS_MAX = 4 };

static void found(struct js *j, enum js_rule rule, TSNode node)
{
	uint32_t at = ts_node_start_byte(node);

	sieve_add(j->sieve, &javascript_rows[rule], at, ts_node_end_byte(node) - at, NULL, NULL);
}

static void found_own(struct js *j, const struct screen_own_rule *own, TSNode node)
{
	uint32_t at = ts_node_start_byte(node);

	sieve_add_own(j->sieve, own, at, ts_node_end_byte(node) - at);
}

static void found_not_allowed(struct js *j, const char *module, TSNode node)
{
	char reason[256], hint[256];
	uint32_t at = ts_node_start_byte(node);

	screen_list_allowed(&j->sieve->rules->imports, hint, sizeof(hint));
	(void)snprintf(reason, sizeof(reason), "'%.100s' is not importable here", module);
	sieve_add(j->sieve, &javascript_rows[JS_IMPORT], at, ts_node_end_byte(node) - at, reason,
		  hint);
}

static void check_module(struct js *j, const char *module, TSNode node)
{
	const struct screen_policy *rules = j->sieve->rules;
	enum js_rule rule;

	for (size_t i = 0; i < rules->n_own; i++)
		if (strcmp(rules->own[i].language, "node") == 0 &&
		    words_cover(&rules->own[i].imports, module))
			found_own(j, &rules->own[i], node);
	if (rules->has_imports) {
		if (!words_cover(&rules->imports, module))
			found_not_allowed(j, module, node);
		return;
	}
	if (js_rule_for_import(module, &rule))
		found(j, rule, node);
}

static void check_name(struct js *j, const char *name, TSNode node)
{
	const struct screen_policy *rules = j->sieve->rules;
	enum js_rule rule;

	for (size_t i = 0; i < rules->n_own; i++)
		if (strcmp(rules->own[i].language, "node") == 0 &&
		    words_cover(&rules->own[i].calls, name))
			found_own(j, &rules->own[i], node);
	if (js_rule_for_name(name, &rule))
		found(j, rule, node);
}

/* "x instanceof Function" and "Function.prototype" make no code. */
static bool only_compares(struct js *j, const struct visit *v)
{
	TSNode parent = v->depth > 0 ? v->above[v->depth - 1] : (TSNode){0};

	if (js_is(parent, "binary_expression"))
		return true;
	return js_is(parent, "member_expression") &&
	       syntax_text_is(j->syntax, js_field(parent, "property"), "prototype");
}

static void check_identifier(struct js *j, const struct visit *v)
{
	const char *name = js_resolve(j, v->node), *word = js_word(j, v->node);
	TSNode parent = v->depth > 0 ? v->above[v->depth - 1] : (TSNode){0};

	if (!name || !word)
		return;
	if (js_is(parent, "variable_declarator") && ts_node_eq(js_field(parent, "name"), v->node))
		return;
	if (strcmp(name, "@function") == 0 && strcmp(word, "Function") == 0 && !only_compares(j, v))
		found(j, JS_EVAL, v->node);
	else if (strcmp(name, "@global.eval") == 0 || strncmp(name, "@global.", 8) == 0)
		check_name(j, name, v->node);
	/* require as a value: what it loads is not seen. */
	if (strcmp(name, "@require") == 0 && strcmp(word, "require") == 0 &&
	    (js_is(parent, "arguments") || js_is(parent, "array") || js_is(parent, "pair") ||
	     js_is(parent, "return_statement")))
		found(j, JS_DYNAMIC_IMPORT, v->node);
}

/* x.constructor.constructor("code"), (() => {}).constructor("code") */
static void check_constructor(struct js *j, TSNode call, TSNode function)
{
	TSNode property = js_field(function, "property");
	TSNode object = js_field(function, "object"), index = js_field(function, "index");
	const char *name = ts_node_is_null(property) ? js_fold(j, index) : js_word(j, property);

	if (name && strcmp(name, "constructor") == 0 && !js_is(object, "this") &&
	    !js_is(object, "super") && !ts_node_is_null(js_argument(call, 0)))
		found(j, JS_EVAL, call);
}

static void check_load(struct js *j, TSNode call)
{
	const char *module = js_fold(j, js_argument(call, 0));
	TSNode argument = js_argument(call, 0);

	if (!module) {
		found(j, JS_DYNAMIC_IMPORT, call);
		return;
	}
	if (!js_is(argument, "string") && !js_is(argument, "template_string") &&
	    !js_is(argument, "identifier"))
		found(j, JS_DYNAMIC_IMPORT, call);
	module = js_module(j, module);
	if (module)
		check_module(j, module, call);
}

/* setTimeout("code", 1) */
static void check_timer(struct js *j, TSNode call, TSNode function)
{
	static const char *const timers[] = {"setTimeout", "setInterval", "setImmediate"};

	if (js_is(function, "member_expression"))
		function = js_field(function, "property");
	for (size_t i = 0; i < ARRAY_LEN(timers); i++)
		if (syntax_text_is(j->syntax, function, timers[i]) &&
		    js_fold(j, js_argument(call, 0)))
			found(j, JS_EVAL, call);
}

static void check_call(struct js *j, const struct visit *v)
{
	bool made = js_is(v->node, "new_expression");
	TSNode function = js_field(v->node, made ? "constructor" : "function");
	const char *name = js_is(function, "import") ? "@require" : js_resolve(j, function);

	if (js_is(function, "member_expression") || js_is(function, "subscript_expression")) {
		TSNode object = js_field(function, "object");

		if (!made || js_is(object, "parenthesized_expression"))
			check_constructor(j, v->node, function);
	}
	check_timer(j, v->node, function);
	if (!name)
		return;
	if (strcmp(name, "@require") == 0 || strcmp(name, "process.getBuiltinModule") == 0 ||
	    strcmp(name, "@module._load") == 0)
		check_load(j, v->node);
	else if (strcmp(name, "@function") == 0)
		found(j, JS_EVAL, v->node);
}

static void check_member(struct js *j, const struct visit *v)
{
	TSNode index = js_field(v->node, "index");
	const char *name = js_resolve(j, v->node), *object;

	if (name) {
		check_name(j, name, v->node);
		if (strcmp(name, "@function") == 0)
			found(j, JS_EVAL, v->node);
		return;
	}
	if (ts_node_is_null(index) || js_is(index, "number") || js_fold(j, index))
		return;
	object = js_resolve(j, js_field(v->node, "object"));
	if (object && (strncmp(object, "@", 1) == 0 || strcmp(object, "process") == 0) &&
	    strcmp(object, "@cache") != 0)
		found(j, JS_GLOBALS, v->node);
}

static void check_string(struct js *j, const struct visit *v)
{
	const struct screen_policy *rules = j->sieve->rules;
	TSNode parent = v->depth > 0 ? v->above[v->depth - 1] : (TSNode){0};
	const char *text = js_fold(j, v->node);
	enum py_path kind;

	if (!text)
		return;
	for (size_t i = 0; i < rules->n_own; i++)
		if (rules->own[i].match && strcmp(rules->own[i].language, "node") == 0 &&
		    match_part(rules->own[i].match, text, strlen(text)) != MATCH_NO)
			found_own(j, &rules->own[i], v->node);
	kind = py_path_kind(text, strlen(text));
	if (kind == PY_PATH_SECRET && js_is(parent, "arguments") &&
	    !js_is(js_field(v->above[v->depth - 2], "function"), "import") &&
	    !syntax_text_is(j->syntax, js_field(v->above[v->depth - 2], "function"), "console.log"))
		found(j, JS_SECRETS, v->node);
	else if (kind != PY_PATH_NONE)
		found(j, JS_PATHS, v->node);
	if (py_is_blob(text, strlen(text)))
		found(j, JS_BLOB, v->node);
}

static bool see(void *context, const struct visit *v)
{
	struct js *j = context;
	const char *type = ts_node_type(v->node), *source;

	if (j->failed || sieve_is_full(j->sieve))
		return false;
	if (strcmp(type, "identifier") == 0) {
		check_identifier(j, v);
	} else if (strcmp(type, "call_expression") == 0 || strcmp(type, "new_expression") == 0) {
		check_call(j, v);
	} else if (strcmp(type, "member_expression") == 0 ||
		   strcmp(type, "subscript_expression") == 0) {
		check_member(j, v);
	} else if (strcmp(type, "import_statement") == 0 || strcmp(type, "export_statement") == 0) {
		source = js_fold(j, js_field(v->node, "source"));
		source = source ? js_module(j, source) : NULL;
		if (source)
			check_module(j, source, js_field(v->node, "source"));
	} else if (strcmp(type, "string") == 0 || strcmp(type, "template_string") == 0) {
		check_string(j, v);
	}
	return true;
}

static bool collect(void *context, const struct visit *v)
{
	struct js *j = context;

	js_collect(j, v->node);
	return !j->failed;
}

static enum syntax_end read_names(struct js *j, TSNode root)
{
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		enum syntax_end end;

		j->changed = false;
		end = syntax_walk(j->syntax, root, collect, j);
		if (end != SYNTAX_READ)
			return end;
		if (!j->changed)
			return end;
	}
	j->obscure = true;
	return SYNTAX_READ;
}

void screen_javascript(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end)
{
	own(syntax) x = {.text = s->text, .len = (uint32_t)s->len, .budget = budget};
	own(arena) scratch;
	struct js j = {.sieve = s, .syntax = &x, .scratch = &scratch};
	TSNode root, error;

	arena_init(&scratch, SCRATCH_BYTES);
	*ret_end = syntax_parse(&x, tree_sitter_javascript());
	if (*ret_end != SYNTAX_READ)
		return;
	root = ts_tree_root_node(x.tree);
	error = syntax_first_error(&x);
	if (!ts_node_is_null(error))
		found(&j, JS_SYNTAX, error);
	*ret_end = read_names(&j, root);
	if (*ret_end == SYNTAX_READ)
		*ret_end = syntax_walk(&x, root, see, &j);
	if (j.obscure)
		found(&j, JS_OBSCURE, root);
	if (j.failed)
		s->failed = true;
}
