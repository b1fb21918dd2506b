/* SPDX-License-Identifier: Apache-2.0 */
/* toolschema.c - what a tool may be sent, as JSON Schema. */
#include "keeper/toolschema.h"

#include <string.h>

#include "base/jsonread.h"
#include "policy/arguments.h"
#include "policy/jsonschema.h"

static json_t *words_list(const struct words *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n; i++)
		(void)json_array_append_new(list, json_string(w->word[i]));
	return list;
}

static json_t *count(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

/* What the caller writes itself. */

static json_t *code_schema(const struct tool *t)
{
	const char *standard = t->languages.n ? t->languages.word[0] : "";

	return json_pack("{s:s, s:{s:{s:s, s:s}, s:{s:s, s:o, s:s}, s:{s:s, s:s}}, s:[s], s:b}",
			 "type", "object", "properties", "code", "type", "string", "description",
			 "the program's text", "language", "type", "string", "enum",
			 words_list(&t->languages), "default", standard, "stdin", "type", "string",
			 "description", "what it reads from its standard input", "required", "code",
			 "additionalProperties", 0);
}

static json_t *line_schema(const struct tool *t)
{
	json_t *properties = json_pack(
		"{s:{s:s, s:s}, s:{s:s, s:{s:s}, s:i, s:s}, s:{s:s, s:s}}", "command", "type",
		"string", "description", "a command line", "argv", "type", "array", "items", "type",
		"string", "minItems", 1, "description", "the same as words", "stdin", "type",
		"string", "description", "what it reads from its standard input");

	return json_pack("{s:s, s:o, s:[{s:[s]}, {s:[s]}], s:b, s:o}", "type", "object",
			 "properties", properties, "oneOf", "required", "command", "required",
			 "argv", "additionalProperties", 0, "x-programs", words_list(&t->programs));
}

/* What the owner declared. */

static const char *type_name(enum arg_type type)
{
	static const char *const names[ARG_COUNT] = {
		[ARG_INTEGER] = "integer", [ARG_NUMBER] = "number", [ARG_BOOLEAN] = "boolean",
		[ARG_STRING] = "string",   [ARG_ENUM] = "string",   [ARG_PATH] = "string",
		[ARG_URL] = "string",      [ARG_LIST] = "array",    [ARG_OBJECT] = "object",
	};

	return type < ARG_COUNT && names[type] ? names[type] : "null";
}

static void add_bounds(const struct arg_rule *r, json_t *ret)
{
	bool list = r->type == ARG_LIST;

	if (r->has_min)
		(void)json_object_set(ret, "minimum", r->min);
	if (r->has_max)
		(void)json_object_set(ret, "maximum", r->max);
	if (r->min_len)
		(void)json_object_set_new(ret, list ? "minItems" : "minLength", count(r->min_len));
	if (r->max_len)
		(void)json_object_set_new(ret, list ? "maxItems" : "maxLength", count(r->max_len));
	if (r->allowed)
		(void)json_object_set(ret, "enum", r->allowed);
	if (r->standard)
		(void)json_object_set(ret, "default", r->standard);
	/* Ours are always full matches. */
	if (r->pattern)
		(void)json_object_set_new(ret, "pattern", json_sprintf("^(?:%s)$", r->pattern));
	if (r->type == ARG_URL)
		(void)json_object_set_new(ret, "format", json_string("uri"));
}

static json_t *fields_schema(const struct arg_rules *rules);

static json_t *argument_schema(const struct arg_rule *r)
{
	json_t *ret = r->type == ARG_OBJECT ? fields_schema(&r->fields)
					    : json_pack("{s:s}", "type", type_name(r->type));
	char form[400];

	argument_form(r, form, sizeof(form));
	(void)json_object_set_new(ret, "description",
				  json_string(r->description ? r->description : form));
	add_bounds(r, ret);
	if (r->items)
		(void)json_object_set_new(ret, "items", argument_schema(r->items));
	return ret;
}

static json_t *fields_schema(const struct arg_rules *rules)
{
	json_t *properties = json_object(), *required = json_array();

	for (size_t i = 0; i < rules->n; i++) {
		const struct arg_rule *r = &rules->rule[i];

		(void)json_object_set_new(properties, r->name, argument_schema(r));
		if (r->required && !r->standard)
			(void)json_array_append_new(required, json_string(r->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", 0);
}

json_t *tool_schema(const struct tool *t)
{
	if (t->schema)
		return json_deep_copy(jsonschema_document(t->schema));
	if (t->kind == KIND_CODE)
		return code_schema(t);
	if (t->kind == KIND_COMMAND && t->exec.n == 0)
		return line_schema(t);
	return fields_schema(&t->args);
}
