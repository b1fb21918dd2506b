/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_loaders.c - what each keyword's value must be, and the rule it becomes. */
#include "policy/jsonschema_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonnum.h"
#include "base/jsonread.h"
#include "base/match.h"
#include "base/own.h"
#include "base/text.h"

static int expect(const struct rule *r, const char *what, struct error *err)
{
	return load_fail(r, err, "must be %s, not %s", what, jsonread_kind(r->value));
}

int load_any(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l, (void)r, (void)value, (void)err;
	return 0;
}

int load_text(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	return json_is_string(value) ? 0 : expect(r, "a string", err);
}

int load_flag(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	return json_is_boolean(value) ? 0 : expect(r, "true or false", err);
}

int load_list(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	return json_is_array(value) ? 0 : expect(r, "a list", err);
}

int load_schema_uri(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	static const char known[] = "https://json-schema.org/draft/2020-12/schema";
	const char *uri = json_string_value(value);

	(void)l;
	if (!uri || strncmp(uri, known, strlen(known)) != 0 ||
	    (uri[strlen(known)] && strcmp(uri + strlen(known), "#") != 0))
		return load_fail(r, err, "must be '%s': no other draft is read", known);
	if (r->owner->resource->root != r->owner)
		return load_fail(r, err, "stands only at the top of a document or beside $id");
	return 0;
}

int load_one(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	return load_subschema(l, value, load_pointer(l, r, NULL, err), &r->schema, err);
}

int load_many(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	if (!json_is_array(value) || json_array_size(value) == 0)
		return load_fail(r, err, "must be a list of at least one schema");
	r->n = json_array_size(value);
	r->schemas = arena_array(&l->schema->arena, r->n, sizeof(struct subschema *), err);
	if (!r->schemas)
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		char key[24];

		(void)snprintf(key, sizeof(key), "%zu", i);
		if (load_subschema(l, json_array_get(value, i), load_pointer(l, r, key, err),
				   &r->schemas[i], err) < 0)
			return -1;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

int load_map(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	const char *name;
	json_t *schema;

	if (!json_is_object(value))
		return expect(r, "an object of schemas", err);
	r->members =
		arena_array(&l->schema->arena, json_object_size(value), sizeof(struct member), err);
	if (!r->members)
		return -1;
	json_object_foreach((json_t *)value, name, schema)
	{
		struct member *m = &r->members[r->n++];

		m->name = name; /* the document's, which the schema keeps */
		if (load_subschema(l, schema, load_pointer(l, r, name, err), &m->schema, err) < 0)
			return -1;
	}
	if (r->n > 1)
		qsort(r->members, r->n, sizeof(struct member), by_name);
	return 0;
}

static struct match *compile(struct loading *l, const struct rule *r, const char *text,
			     struct error *err)
{
	struct pattern *p = arena_alloc(&l->schema->arena, sizeof(*p), err);
	struct error why = {0};

	if (!p)
		return NULL;
	p->match = match_new(text, &why);
	if (!p->match) {
		(void)load_fail(r, err, "'%s' is no pattern: %s", text, why.text);
		return NULL;
	}
	p->next = l->schema->patterns;
	l->schema->patterns = p;
	return p->match;
}

int load_patterns(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	if (load_map(l, r, value, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		r->members[i].match = compile(l, r, r->members[i].name, err);
		if (!r->members[i].match)
			return -1;
	}
	return 0;
}

int load_pattern(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	if (!json_is_string(value))
		return expect(r, "a pattern", err);
	if (strlen(json_string_value(value)) != json_string_length(value))
		return load_fail(r, err, "holds a NUL");
	r->match = compile(l, r, json_string_value(value), err);
	return r->match ? 0 : -1;
}

/* In the order of the bits OF_NULL, OF_BOOLEAN, ... */
static const char *const type_names[] = {"null",  "boolean", "number",  "string",
					 "array", "object",  "integer", NULL};

static int add_type(struct rule *r, const json_t *value, struct error *err)
{
	const char *name = json_string_value(value);

	if (!name)
		return load_fail(r, err, "must be the name of a type, or a list of such names");
	for (size_t i = 0; type_names[i]; i++)
		if (strcmp(type_names[i], name) == 0) {
			if (r->kinds & 1U << i)
				return load_fail(r, err, "'%s' is there twice", name);
			r->kinds |= 1U << i;
			return 0;
		}
	return load_fail(r, err,
			 "'%s' is no type; known: null, boolean, number, string, array, object, "
			 "integer",
			 name);
}

int load_type(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	size_t i;
	json_t *item;

	(void)l;
	if (!json_is_array(value))
		return add_type(r, value, err);
	json_array_foreach((json_t *)value, i, item) if (add_type(r, item, err) < 0) return -1;
	return r->kinds ? 0 : load_fail(r, err, "names no type");
}

int load_enum(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	if (!json_is_array(value) || json_array_size(value) == 0)
		return load_fail(r, err, "must be a list of at least one value");
	return 0;
}

int load_number(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	return json_is_number(value) ? 0 : expect(r, "a number", err);
}

int load_step(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	if (!json_is_number(value) || !(json_number_value(value) > 0))
		return load_fail(r, err, "must be a number greater than 0");
	return 0;
}

int load_count(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	if (!json_is_number(value) || !jsonnum_count(value, &r->count))
		return load_fail(r, err, "must be a whole number of at least 0");
	return 0;
}

int load_unique(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	r->count = json_is_true(value);
	return load_flag(l, r, value, err);
}

static int check_names(const struct rule *r, const json_t *list, struct error *err)
{
	own_json found = json_object();
	size_t i;
	json_t *item;

	if (!json_is_array(list))
		return load_fail(r, err, "must be a list of names, not %s", jsonread_kind(list));
	json_array_foreach((json_t *)list, i, item)
	{
		const char *name = json_string_value(item);

		if (!name || strlen(name) != json_string_length(item))
			return load_fail(r, err, "must be a list of names");
		if (json_object_get(found, name))
			return load_fail(r, err, "'%s' is there twice", name);
		if (json_object_set(found, name, item) < 0)
			return load_fail(r, err, "no memory");
	}
	return 0;
}

int load_names(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	(void)l;
	return check_names(r, value, err);
}

int load_needs(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	const char *name;
	json_t *list;

	(void)l;
	if (!json_is_object(value))
		return expect(r, "an object of lists of names", err);
	json_object_foreach((json_t *)value, name,
			    list) if (check_names(r, list, err) < 0) return -1;
	return 0;
}

int load_format(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	const char *name = json_string_value(value);
	char known[256] = "";
	size_t len = 0;

	(void)l;
	if (!name)
		return expect(r, "the name of a format", err);
	r->format = format_find(name);
	if (r->format)
		return 0;
	for (const struct format *f = formats; f->name && len < sizeof(known); f++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "",
					f->name);
	return load_fail(r, err, "'%s' is not checked here; known: %s", name, known);
}

/* Siblings that are no rules of their own: the subschema beside r that this keyword has. */
static struct subschema *schema_of(const struct rule *r, const char *keyword)
{
	const struct rule *sibling = load_sibling(r->owner, keyword);

	return sibling ? sibling->schema : NULL;
}

int load_if(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	r->n = 2;
	r->schemas = arena_array(&l->schema->arena, r->n, sizeof(struct subschema *), err);
	if (!r->schemas)
		return -1;
	r->schemas[0] = schema_of(r, "then");
	r->schemas[1] = schema_of(r, "else");
	return load_one(l, r, value, err);
}

int load_contains(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	const struct rule *least = load_sibling(r->owner, "minContains");
	const struct rule *most = load_sibling(r->owner, "maxContains");

	r->least = least ? least->count : 1;
	r->most = most ? most->count : UINT64_MAX;
	return load_one(l, r, value, err);
}

int load_items(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	const struct rule *prefix = load_sibling(r->owner, "prefixItems");

	if (json_is_array(value))
		return load_fail(r, err, "is one schema; did you mean 'prefixItems'?");
	r->count = prefix ? prefix->n : 0;
	return load_one(l, r, value, err);
}

int load_additional(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	r->properties = load_sibling(r->owner, "properties");
	r->patterns = load_sibling(r->owner, "patternProperties");
	return load_one(l, r, value, err);
}

int load_unevaluated(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	r->owner->unevaluated = true;
	return load_one(l, r, value, err);
}

int load_reference(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	if (!json_is_string(value))
		return expect(r, "a reference", err);
	r->next_reference = l->schema->references;
	l->schema->references = r;
	return 0;
}

int load_anchor(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	return refs_anchor(l, r, value, false, err);
}

int load_dynamic_anchor(struct loading *l, struct rule *r, const json_t *value, struct error *err)
{
	return refs_anchor(l, r, value, true, err);
}
