/* SPDX-License-Identifier: Apache-2.0 */
/* apischema.c - the rows as JSON Schema 2020-12, and as words for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/apirows.h"
#include "base/jsonread.h"
#include "base/own.h"

const struct api_object *api_object_at(size_t i)
{
	if (i < api_request_count)
		return &api_requests[i];
	i -= api_request_count;
	return i < api_answer_count ? &api_answers[i] : NULL;
}

static const struct api_object *find_in(const struct api_object *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

const struct api_object *api_object(const char *name)
{
	const struct api_object *o = find_in(api_requests, api_request_count, name);

	return o ? o : find_in(api_answers, api_answer_count, name);
}

/* In words. */

static void between(char *ret, size_t room, const char *what, const struct api_field *f,
		    const char *unit)
{
	if (f->min == 0)
		(void)snprintf(ret, room, "%s of at most %" PRIu64 " %s", what, f->max, unit);
	else
		(void)snprintf(ret, room, "%s of %" PRIu64 " to %" PRIu64 " %s", what, f->min,
			       f->max, unit);
}

static void one_of(char *ret, size_t room, const char *const *words)
{
	size_t used = (size_t)snprintf(ret, room, "one of");

	for (size_t i = 0; words[i] && used < room; i++)
		used += (size_t)snprintf(ret + used, room - used, "%s %s", i ? "," : "", words[i]);
}

/* A flat switch over every type. */
void api_expects(const struct api_field *f, char *ret, size_t room)
{
	switch (f->type) {
	case API_STRING:
		if (f->words)
			one_of(ret, room, f->words);
		else
			between(ret, room, "a string", f, "characters");
		return;
	case API_BASE64:
		between(ret, room, "base64", f, "bytes");
		return;
	case API_DURATION:
		(void)snprintf(ret, room,
			       "a time such as \"30s\" or \"500ms\", or %" PRIu64 " to %" PRIu64
			       " milliseconds",
			       f->min, f->max);
		return;
	case API_SIZE:
		(void)snprintf(ret, room,
			       "a size such as \"64k\" or \"256M\", or %" PRIu64 " to %" PRIu64
			       " bytes",
			       f->min, f->max);
		return;
	case API_SIGNAL:
		(void)snprintf(ret, room, "a signal such as \"TERM\", or its number");
		return;
	case API_INTEGER:
		(void)snprintf(ret, room, "an integer from %" PRIu64 " to %" PRIu64, f->min,
			       f->max);
		return;
	case API_NUMBER:
		(void)snprintf(ret, room, "a number");
		return;
	case API_BOOLEAN:
		(void)snprintf(ret, room, "true or false");
		return;
	case API_TIME:
		(void)snprintf(ret, room, "a time (RFC 3339)");
		return;
	case API_OBJECT:
	case API_FREE:
		(void)snprintf(ret, room, "an object");
		return;
	case API_MAP:
		between(ret, room, "an object", f, "strings");
		return;
	case API_LIST:
		between(ret, room, "a list", f, f->items == API_OBJECT ? "objects" : "strings");
		return;
	case API_ANY:
	case API_NONE:
	case API_TYPE_COUNT:
		break;
	}
	(void)snprintf(ret, room, "a value");
}

/* As JSON Schema. */

static json_t *number(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

static json_t *reference(const char *name)
{
	return json_pack("{s:s+}", "$ref", "#/components/schemas/", name);
}

static json_t *text_schema(const struct api_field *f)
{
	json_t *ret = json_pack("{s:s}", "type", "string");

	if (f->min)
		(void)json_object_set_new(ret, "minLength", number(f->min));
	if (f->max)
		(void)json_object_set_new(ret, "maxLength", number(f->max));
	if (f->words) {
		json_t *words = json_array();

		for (size_t i = 0; f->words[i]; i++)
			(void)json_array_append_new(words, json_string(f->words[i]));
		(void)json_object_set_new(ret, "enum", words);
	}
	return ret;
}

static json_t *integer_schema(const struct api_field *f)
{
	json_t *ret = json_pack("{s:s, s:o}", "type", "integer", "minimum", number(f->min));

	if (f->max)
		(void)json_object_set_new(ret, "maximum", number(f->max));
	return ret;
}

/* A number, or the same as a text with its unit. */
static json_t *measure_schema(const struct api_field *f, const char *pattern)
{
	return json_pack("{s:[o, {s:s, s:s}]}", "anyOf", integer_schema(f), "type", "string",
			 "pattern", pattern);
}

static json_t *map_schema(const struct api_field *f)
{
	return json_pack("{s:s, s:o, s:{s:s, s:o}}", "type", "object", "maxProperties",
			 number(f->max), "additionalProperties", "type", "string", "maxLength",
			 number(f->item_max));
}

static json_t *list_schema(const struct api_field *f)
{
	const struct api_field item = {.type = f->items, .max = f->item_max};
	json_t *items = f->of                     ? reference(f->of)
			: f->items == API_STRING  ? text_schema(&item)
			: f->items == API_INTEGER ? integer_schema(&item)
						  : json_object();
	json_t *ret = json_pack("{s:s, s:o}", "type", "array", "items", items);

	if (f->min)
		(void)json_object_set_new(ret, "minItems", number(f->min));
	if (f->max)
		(void)json_object_set_new(ret, "maxItems", number(f->max));
	return ret;
}

/* A flat switch over every type. */
static json_t *type_schema(const struct api_field *f)
{
	switch (f->type) {
	case API_STRING:
		return text_schema(f);
	case API_BASE64:
		return json_pack("{s:s, s:s}", "type", "string", "contentEncoding", "base64");
	case API_DURATION:
		return measure_schema(f, "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)?$");
	case API_SIZE:
		return measure_schema(f, "^[0-9]+([kKmMgG]([iI]?[bB])?)?$");
	case API_SIGNAL:
		return measure_schema(f, "^[A-Z0-9]+$");
	case API_INTEGER:
		return integer_schema(f);
	case API_NUMBER:
		return json_pack("{s:s}", "type", "number");
	case API_BOOLEAN:
		return json_pack("{s:s}", "type", "boolean");
	case API_TIME:
		return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
	case API_OBJECT:
		return reference(f->of);
	case API_MAP:
		return map_schema(f);
	case API_FREE:
		return json_pack("{s:s}", "type", "object");
	case API_LIST:
		return list_schema(f);
	case API_ANY:
	case API_NONE:
	case API_TYPE_COUNT:
		break;
	}
	return json_object();
}

static json_t *field_schema(const struct api_field *f)
{
	json_t *ret = type_schema(f);

	if (f->nullable)
		ret = json_pack("{s:[o, {s:s}]}", "anyOf", ret, "type", "null");
	if (f->help)
		(void)json_object_set_new(ret, "description", json_string(f->help));
	if (f->example) {
		json_t *example = json_loads(f->example, JSON_DECODE_ANY, NULL);

		(void)json_object_set_new(ret, "examples", json_pack("[o]", example));
	}
	return ret;
}

static void add_choice(const struct api_object *o, json_t *schema)
{
	json_t *ways;

	/* "At most one" is said in words only: as a schema nobody could read it. */
	if (!o->choice.names || !o->choice.one)
		return;
	ways = json_array();
	for (size_t i = 0; o->choice.names[i]; i++)
		(void)json_array_append_new(ways,
					    json_pack("{s:[s]}", "required", o->choice.names[i]));
	(void)json_object_set_new(schema, "oneOf", ways);
}

json_t *api_schema(const struct api_object *o)
{
	json_t *properties = json_object(), *required = json_array();
	json_t *ret = json_pack("{s:s, s:s, s:o}", "type", "object", "description", o->help,
				"properties", properties);

	for (size_t i = 0; i < o->n_fields; i++) {
		const struct api_field *f = &o->fields[i];

		(void)json_object_set_new(properties, f->name, field_schema(f));
		if (f->required)
			(void)json_array_append_new(required, json_string(f->name));
	}
	if (json_array_size(required))
		(void)json_object_set(ret, "required", required);
	json_decref(required);
	if (!o->open)
		(void)json_object_set_new(ret, "additionalProperties", json_false());
	add_choice(o, ret);
	return ret;
}
