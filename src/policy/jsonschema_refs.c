/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_refs.c - $id, anchors and the references to them, within one document.
 *
 * A reference that leaves the document is an error: nothing is fetched, so
 * what a policy means cannot change behind its owner's back.
 */
#include "policy/jsonschema_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

/* What a document without $id is called; its relative names are then beneath it. */
static const char no_uri[] = "json-schema:///";

int refs_id(struct loading *l, struct subschema *s, const json_t *id, struct error *err)
{
	const struct keyword keyword = {.name = "$id"};
	const struct rule r = {.owner = s, .keyword = &keyword};
	const char *base = l->resource ? l->resource->uri : no_uri;
	const char *text = json_string_value(id), *fragment = NULL;
	struct resource *new;

	if (!id && l->resource)
		return 0;
	if (id && (!text || strlen(text) != json_string_length(id)))
		return load_fail(&r, err, "must be a URI");
	new = arena_alloc(&l->schema->arena, sizeof(*new), err);
	if (!new)
		return -1;
	if (uri_resolve(&l->schema->arena, base, text ? text : "", &new->uri, &fragment, err) < 0)
		return fail_in(err, "%s/$id", s->where);
	if (fragment && fragment[0])
		return load_fail(&r, err, "must not have a fragment; did you mean '$anchor'?");
	for (const struct resource *other = l->schema->resources; other; other = other->next)
		if (strcmp(other->uri, new->uri) == 0)
			return load_fail(&r, err, "'%s' is there twice", new->uri);
	new->root = s;
	new->next = l->schema->resources;
	l->schema->resources = new;
	l->resource = new;
	s->resource = new;
	return 0;
}

static bool is_anchor_name(const char *name)
{
	static const char chars[] = "-.0123456789"
				    "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	return name && name[0] && !strchr("-.0123456789", name[0]) &&
	       name[strspn(name, chars)] == '\0';
}

static const struct anchor *find_anchor(const struct jsonschema *schema,
					const struct resource *resource, const char *name)
{
	for (const struct anchor *a = schema->anchors; a; a = a->next)
		if (a->resource == resource && strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

int refs_anchor(struct loading *l, struct rule *r, const json_t *value, bool dynamic,
		struct error *err)
{
	const char *name = json_string_value(value);
	const struct anchor *other;
	struct anchor *new;

	if (!is_anchor_name(name) || strlen(name) != json_string_length(value))
		return load_fail(r, err,
				 "must be a name: a letter or _, then letters, digits, - _ .");
	other = find_anchor(l->schema, l->resource, name);
	if (other)
		return load_fail(r, err, "'%s' is there twice, first at %s", name,
				 other->schema->where);
	new = arena_alloc(&l->schema->arena, sizeof(*new), err);
	if (!new)
		return -1;
	*new = (struct anchor){name, dynamic, l->resource, r->owner, l->schema->anchors};
	l->schema->anchors = new;
	return 0;
}

static int by_where(const void *a, const void *b)
{
	return strcmp((*(struct subschema *const *)a)->where,
		      (*(struct subschema *const *)b)->where);
}

/* All subschemas, sorted by where they stand. */
static struct subschema **sort_all(const struct jsonschema *schema, struct error *err)
{
	struct subschema **all = calloc(schema->n_all, sizeof(struct subschema *));
	size_t n = 0;

	if (!all) {
		(void)fail_sys(err, "allocate");
		return NULL;
	}
	for (struct subschema *s = schema->all; s; s = s->next)
		all[n++] = s;
	qsort(all, n, sizeof(struct subschema *), by_where);
	return all;
}

static int find_pointer(struct jsonschema *schema, struct subschema **all,
			const struct resource *in, const char *fragment, struct rule *r,
			struct error *err)
{
	struct subschema key = {0}, *wanted = &key, **found;

	key.where = arena_printf(&schema->arena, err, "%s%s", in->root->where, fragment);
	if (!key.where)
		return -1;
	found = bsearch(&wanted, all, schema->n_all, sizeof(struct subschema *), by_where);
	if (!found)
		return load_fail(r, err, "there is no schema at '%s'", json_string_value(r->value));
	r->schema = *found;
	return 0;
}

static int find_target(struct jsonschema *schema, struct subschema **all, struct rule *r,
		       struct error *err)
{
	const char *text = json_string_value(r->value), *uri = NULL, *fragment = NULL;
	const struct resource *in = schema->resources;
	const struct anchor *anchor;

	if (strlen(text) != json_string_length(r->value))
		return load_fail(r, err, "holds a NUL");
	if (uri_resolve(&schema->arena, r->owner->resource->uri, text, &uri, &fragment, err) < 0)
		return fail_in(err, "%s/%s", r->owner->where, r->keyword->name);
	while (in && strcmp(in->uri, uri) != 0)
		in = in->next;
	if (!in)
		return load_fail(r, err, "'%s' is not in this document, and nothing is fetched",
				 text);
	if (!fragment || fragment[0] == '\0' || fragment[0] == '/')
		return find_pointer(schema, all, in, fragment ? fragment : "", r, err);
	anchor = find_anchor(schema, in, fragment);
	if (!anchor)
		return load_fail(r, err, "there is no anchor '%s'", fragment);
	r->schema = anchor->schema;
	if (anchor->dynamic)
		r->dynamic = anchor;
	return 0;
}

enum { WALK_NEW = 0, WALK_OPEN, WALK_DONE };

static int walk(struct subschema *s, unsigned depth, struct error *err);

static int walk_rule(const struct rule *r, unsigned depth, struct error *err)
{
	if (!r->keyword->in_place)
		return 0;
	if (r->schema && walk(r->schema, depth, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		struct subschema *next = r->schemas ? r->schemas[i] : r->members[i].schema;

		if (next && walk(next, depth, err) < 0)
			return -1;
	}
	return 0;
}

/* A way through keywords that look at the same value, back to where it began, has no end.  (A
 * $dynamicRef may lead elsewhere each time: the depth of judging ends it.) */
static int walk(struct subschema *s, unsigned depth, struct error *err)
{
	if (s->walk == WALK_DONE)
		return 0;
	if (s->walk == WALK_OPEN)
		return fail(err, ERR_CALLER, "%s: comes back to itself: judging would never end",
			    s->where[0] ? s->where : "/");
	if (depth >= SCHEMA_DEPTH_MAX)
		return fail(err, ERR_CALLER, "%s: more than %d references in a row",
			    s->where[0] ? s->where : "/", SCHEMA_DEPTH_MAX);
	s->walk = WALK_OPEN;
	for (const struct rule *r = s->rules; r; r = r->next)
		if (walk_rule(r, depth + 1, err) < 0)
			return -1;
	s->walk = WALK_DONE;
	return 0;
}

int refs_resolve(struct jsonschema *schema, struct error *err)
{
	own_mem struct subschema **all = sort_all(schema, err);

	if (!all)
		return -1;
	for (struct rule *r = schema->references; r; r = r->next_reference)
		if (find_target(schema, all, r, err) < 0)
			return -1;
	for (struct subschema *s = schema->all; s; s = s->next)
		if (walk(s, 0, err) < 0)
			return -1;
	return 0;
}
