/* SPDX-License-Identifier: Apache-2.0 */
/* settings_schema.c - the JSON Schema of policy files, for editors, made from the rows.
 *
 * A section is a definition, so that one may hold itself.  The schema helps
 * while writing; what counts is what the reader says.
 */
#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "policy/sectionlist.h"

/* jansson's _new functions take NULL for "no memory" and pass it on; put() keeps that in one place.
 */
static void put(json_t *object, const char *key, json_t *value)
{
	(void)json_object_set_new(object, key, value);
}

static json_t *list_of_words(const char *const *words)
{
	json_t *list = json_array();

	for (size_t i = words[0] ? 0 : 1; words[i]; i++)
		(void)json_array_append_new(list, json_string(words[i]));
	return list;
}

static json_t *reference(const struct section *section)
{
	return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", section->name));
}

static json_t *form_bool(const struct setting *row)
{
	(void)row;
	return json_pack("{s:s}", "type", "boolean");
}

static json_t *form_count(const struct setting *row)
{
	return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)row->min,
			 "maximum", (json_int_t)row->max);
}

/* With a unit it is text, without one YAML makes it a number. */
static json_t *form_quantity(const struct setting *row)
{
	(void)row;
	return json_pack("{s:[{s:s, s:s}, {s:s, s:i}]}", "anyOf", "type", "string", "pattern",
			 "^[0-9]", "type", "number", "minimum", 0);
}

static json_t *form_text(const struct setting *row)
{
	json_t *form;

	if (row->words)
		return json_pack("{s:o}", "enum", list_of_words(row->words));
	form = json_pack("{s:s}", "type", "string");
	if (row->min)
		put(form, "minLength", json_integer((json_int_t)row->min));
	if (row->max)
		put(form, "maxLength", json_integer((json_int_t)row->max));
	return form;
}

/* A text that looks like a number need not be quoted (ports: [443]). */
static json_t *form_texts(const struct setting *row)
{
	json_t *item = row->words ? json_pack("{s:o}", "enum", list_of_words(row->words))
				  : json_pack("{s:[s,s]}", "type", "string", "number");
	json_t *form = json_pack("{s:s, s:o}", "type", "array", "items", item);

	if (row->min)
		put(form, "minItems", json_integer((json_int_t)row->min));
	if (row->max)
		put(form, "maxItems", json_integer((json_int_t)row->max));
	return form;
}

static json_t *form_value(const struct setting *row)
{
	(void)row;
	return json_object();
}

static json_t *form_section(const struct setting *row)
{
	return reference(row->section);
}

static json_t *form_named(const struct setting *row)
{
	return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
			 reference(row->section));
}

static json_t *form_list(const struct setting *row)
{
	return json_pack("{s:s, s:o}", "type", "array", "items", reference(row->section));
}

static json_t *form_own(const struct setting *row)
{
	struct error err;

	return row->form ? jsonread(row->form, strlen(row->form), 1 << 16, &err) : json_object();
}

static json_t *(*const forms[])(const struct setting *) = {
	[SET_BOOL] = form_bool,       [SET_COUNT] = form_count,     [SET_MS] = form_quantity,
	[SET_BYTES] = form_quantity,  [SET_TEXT] = form_text,       [SET_WORD] = form_text,
	[SET_EITHER] = form_text,     [SET_TEXTS] = form_texts,     [SET_VALUE] = form_value,
	[SET_SECTION] = form_section, [SET_POINTER] = form_section, [SET_NAMED] = form_named,
	[SET_LIST] = form_list,       [SET_OWN] = form_own,
};
static_assert(ARRAY_LEN(forms) == SETTING_TYPE_COUNT, "one form per type");

static void add_row(const struct setting *row, json_t *properties, json_t *required)
{
	json_t *form = forms[row->type](row);

	put(form, "description", json_string(row->help));
	put(properties, row->key, form);
	if (row->required)
		(void)json_array_append_new(required, json_string(row->key));
}

static json_t *schema_of(const struct section *section)
{
	json_t *properties = json_object(), *required = json_array();

	for (size_t i = 0; i < section->n_rows; i++)
		add_row(&section->rows[i], properties, required);
	return json_pack("{s:s, s:s, s:o, s:o, s:b}", "type", "object", "description",
			 section->about, "properties", properties, "required", required,
			 "additionalProperties", 0);
}

static json_t *whole(void)
{
	json_t *schema = schema_of(&policy_section), *definitions = json_object();
	struct sectionlist sections;

	sectionlist_fill(&sections);
	for (size_t i = 1; i < sections.n; i++)
		put(definitions, sections.list[i]->name, schema_of(sections.list[i]));
	put(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
	put(schema, "title", json_string("belljar policy file"));
	put(schema, "$defs", definitions);
	return schema;
}

int settings_schema(struct buf *out, struct error *err)
{
	own_json schema = whole();
	own_str text = schema ? json_dumps(schema, JSON_INDENT(2)) : NULL;

	if (!text)
		return fail(err, ERR_SYSTEM, "no memory for the schema");
	if (buf_add_str(out, text, err) < 0 || buf_add_str(out, "\n", err) < 0)
		return -1;
	return out->cut ? fail(err, ERR_INTERNAL, "the schema is too large") : 0;
}
