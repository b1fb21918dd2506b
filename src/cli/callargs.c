/* SPDX-License-Identifier: Apache-2.0 */
/* callargs.c - the arguments of a tool call, as they are typed on a command line. */
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "cli/gatecli.h"
#include "policy/jsonschema.h"

/* A schema says "type": "string", or leaves it open. */
static bool schema_wants_text(const struct jsonschema *schema, const char *name)
{
	const json_t *properties = json_object_get(jsonschema_document(schema), "properties");
	const json_t *type = json_object_get(json_object_get(properties, name), "type");

	return json_is_string(type) && strcmp(json_string_value(type), "string") == 0;
}

static bool is_text_type(enum arg_type type)
{
	return type == ARG_STRING || type == ARG_ENUM || type == ARG_PATH || type == ARG_URL;
}

/* Is a value of this argument taken as it is written?  What nobody declared is: it will be refused
 * by its name. */
static bool is_text(const struct tool *tool, const char *name)
{
	if (!tool)
		return true;
	if (tool->schema)
		return schema_wants_text(tool->schema, name);
	for (size_t i = 0; i < tool->args.n; i++)
		if (strcmp(tool->args.rule[i].name, name) == 0)
			return is_text_type(tool->args.rule[i].type);
	return tool->kind != KIND_COMMAND || strcmp(name, "argv") != 0;
}

static json_t *value_of(const struct tool *tool, const char *name, const char *text,
			struct error *err)
{
	json_t *value;

	if (is_text(tool, name)) {
		value = json_string(text);
		if (!value)
			(void)fail(err, ERR_REFUSED, "--arg %s: the value is not UTF-8", name);
		return value;
	}
	value = jsonread(text, strlen(text), CLI_TEXT_MAX, err);
	if (!value) {
		(void)fail_in(err, "--arg %s=%.60s", name, text);
		err->kind = ERR_REFUSED;
	}
	return value;
}

static int add_argument(json_t *object, const struct tool *tool, const char *word,
			struct error *err)
{
	size_t len = strcspn(word, "=");
	own_str name = strndup(word, len);
	json_t *value;

	if (!name)
		return fail_sys(err, "allocate");
	if (word[len] != '=' || len == 0)
		return fail(err, ERR_CALLER, "--arg %.60s: give NAME=VALUE", word);
	if (json_object_get(object, name))
		return fail(err, ERR_REFUSED, "--arg %s is there twice", name);
	value = value_of(tool, name, word + len + 1, err);
	if (!value)
		return -1;
	if (json_object_set_new(object, name, value) < 0)
		return fail(err, ERR_REFUSED, "--arg %.60s: the name is not UTF-8", name);
	return 0;
}

static json_t *read_object(const char *json, struct error *err)
{
	own(buf) text;
	own_json value = NULL;
	bool file = strcmp(json, "-") == 0 || json[0] == '@';

	buf_init(&text, CLI_TEXT_MAX);
	if (file && cli_read_file(json[0] == '@' ? json + 1 : json, &text, err) < 0)
		return (void)fail_in(err, "--args"), NULL;
	if (file)
		json = buf_str(&text);
	value = jsonread(json, file ? text.len : strlen(json), CLI_TEXT_MAX, err);
	if (!value) {
		(void)fail_in(err, "--args");
		err->kind = ERR_REFUSED;
		return NULL;
	}
	if (!json_is_object(value))
		return (void)fail(err, ERR_REFUSED, "--args: give an object, not %s",
				  jsonread_kind(value)),
		       NULL;
	return TAKE(value);
}

json_t *cli_arguments(const char *json, const struct word_list *each, const struct tool *tool,
		      struct error *err)
{
	own_json object = NULL;

	if (json && each->n)
		return (void)fail(err, ERR_CALLER, "give --args or --arg, not both"), NULL;
	if (json)
		return read_object(json, err);
	object = json_object();
	if (!object)
		return (void)fail_sys(err, "allocate"), NULL;
	for (size_t i = 0; i < each->n; i++)
		if (add_argument(object, tool, each->word[i], err) < 0)
			return NULL;
	return TAKE(object);
}
