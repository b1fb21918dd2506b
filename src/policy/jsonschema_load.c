/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_load.c - a schema document becomes subschemas and rules, or an error that says where.
 *
 * The rules of a subschema are made in the order of the keyword table, not of
 * the document: what the answer says is then the same however it was written,
 * and a rule may rely on those above it.
 */
#include "policy/jsonschema_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/jsonschema.h"

int load_fail(const struct rule *r, struct error *err, const char *fmt, ...)
{
	char where[256], line[256], text[320];
	va_list args;

	(void)snprintf(where, sizeof(where), "%s/%s", r->owner->where, r->keyword->name);
	where[text_utf8_floor(where, strlen(where))] = '\0';
	text_one_line(where, line, sizeof(line));
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return fail(err, ERR_CALLER, "%s: %s", line, text);
}

/* Adds "/key" with what JSON Pointer escapes. */
static char *pointer(struct arena *a, const char *base, const char *key, struct error *err)
{
	size_t len = strlen(base), more = 1;
	char *ret, *to;

	for (const char *c = key; *c; c++)
		more += *c == '~' || *c == '/' ? 2 : 1;
	ret = arena_alloc(a, len + more + 1, err);
	if (!ret)
		return NULL;
	memcpy(ret, base, len + 1);
	to = ret + len;
	*to++ = '/';
	for (const char *c = key; *c; c++) {
		bool escaped = *c == '~' || *c == '/';

		*to++ = escaped ? '~' : *c;
		if (escaped)
			*to++ = *c == '~' ? '0' : '1';
	}
	return ret;
}

char *load_pointer(struct loading *l, const struct rule *r, const char *key, struct error *err)
{
	char *base = pointer(&l->schema->arena, r->owner->where, r->keyword->name, err);

	return base && key ? pointer(&l->schema->arena, base, key, err) : base;
}

const struct rule *load_sibling(const struct subschema *s, const char *keyword)
{
	for (const struct rule *r = s->rules; r; r = r->next)
		if (strcmp(r->keyword->name, keyword) == 0)
			return r;
	return NULL;
}

/* Words of older drafts, and what to write instead. */
static const char *modern(const char *old)
{
	static const char *const words[][2] = {
		{"definitions", "$defs"},         {"id", "$id"},
		{"additionalItems", "items"},     {"dependencies", "dependentRequired"},
		{"$recursiveRef", "$dynamicRef"}, {"$recursiveAnchor", "$dynamicAnchor"},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i][0], old) == 0)
			return words[i][1];
	return NULL;
}

static int refuse_unknown(struct subschema *s, const char *name, struct error *err)
{
	const struct keyword unknown = {.name = name};
	const struct rule r = {.owner = s, .keyword = &unknown};
	const char *near = modern(name);

	if (!near)
		near = text_nearest(name, jsonschema_keywords);
	return load_fail(&r, err, "not a keyword that is supported here%s%s%s",
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int check_keywords(struct subschema *s, struct error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)s->json, name,
			    value) if (!keyword_find(name)) return refuse_unknown(s, name, err);
	return 0;
}

static int load_rule(struct loading *l, struct subschema *s, const struct keyword *k,
		     struct error *err)
{
	const json_t *value = json_object_get(s->json, k->name);
	struct rule *r;

	if (!value)
		return 0;
	r = arena_alloc(&l->schema->arena, sizeof(*r), err);
	if (!r)
		return -1;
	r->keyword = k;
	r->owner = s;
	r->value = value;
	*s->last_rule = r;
	s->last_rule = &r->next;
	return k->load(l, r, value, err);
}

/* What never refuses by itself was needed only until its siblings were loaded. */
static void drop_idle(struct subschema *s)
{
	struct rule **last = &s->rules;

	for (struct rule *r = s->rules; r; r = r->next) {
		if (!r->keyword->judge)
			continue;
		*last = r;
		last = &r->next;
	}
	*last = NULL;
}

static int load_object(struct loading *l, struct subschema *s, struct error *err)
{
	if (check_keywords(s, err) < 0 || refs_id(l, s, json_object_get(s->json, "$id"), err) < 0)
		return -1;
	for (const struct keyword *k = keywords; k->name; k++)
		if (load_rule(l, s, k, err) < 0)
			return -1;
	drop_idle(s);
	return 0;
}

static struct subschema *add_subschema(struct loading *l, const json_t *json, const char *where,
				       struct error *err)
{
	struct subschema *s = arena_alloc(&l->schema->arena, sizeof(*s), err);

	if (!s)
		return NULL;
	s->where = where;
	s->json = json;
	s->never = json_is_false(json);
	s->resource = l->resource;
	s->last_rule = &s->rules;
	*l->schema->last = s;
	l->schema->last = &s->next;
	l->schema->n_all++;
	if (!l->schema->root)
		l->schema->root = s;
	return s;
}

int load_subschema(struct loading *l, const json_t *json, const char *where,
		   struct subschema **ret_schema, struct error *err)
{
	struct resource *outer = l->resource;
	struct subschema *s;
	int result = 0;

	if (!where)
		return -1;
	if (!json_is_object(json) && !json_is_boolean(json))
		return fail(err, ERR_CALLER, "%s: a schema is an object, true or false",
			    where[0] ? where : "/");
	if (l->depth >= SCHEMA_DEPTH_MAX)
		return fail(err, ERR_CALLER, "%s: more than %d levels of nesting", where,
			    SCHEMA_DEPTH_MAX);
	s = add_subschema(l, json, where, err);
	if (!s)
		return -1;
	l->depth++;
	if (json_is_object(json))
		result = load_object(l, s, err);
	l->depth--;
	l->resource = outer;
	if (result == 0 && ret_schema)
		*ret_schema = s;
	return result;
}
