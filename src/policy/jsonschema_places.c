/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_places.c - keywords that hand the value, or a part of it, to another schema. */
#include "policy/jsonschema_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/text.h"

bool judge_reference(struct judging *j, const struct rule *r, const struct spot *at,
		     struct seen *seen)
{
	return judge_subschema(j, r->schema, at, seen);
}

/* The outermost resource on the way here that has a dynamic anchor of that name decides. */
bool judge_dynamic(struct judging *j, const struct rule *r, const struct spot *at,
		   struct seen *seen)
{
	const struct subschema *target = r->schema;

	for (const struct scope *s = r->dynamic ? j->scope : NULL; s; s = s->up)
		for (const struct anchor *a = j->schema->anchors; a; a = a->next) {
			if (!judge_spend(j, 1))
				return false;
			if (a->dynamic && a->resource == s->resource &&
			    strcmp(a->name, r->dynamic->name) == 0)
				target = a->schema;
		}
	return judge_subschema(j, target, at, seen);
}

bool judge_all(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	for (size_t i = 0; i < r->n; i++)
		if (!judge_subschema(j, r->schemas[i], at, seen))
			return false;
	return true;
}

static bool quietly(struct judging *j, const struct subschema *s, const struct spot *at,
		    struct seen *seen)
{
	bool ok;

	j->quiet++;
	ok = judge_subschema(j, s, at, seen);
	j->quiet--;
	return ok;
}

/* None of the alternatives fits: the hint is what the one says that got furthest into the value
 * (the number of steps it took tells). */
static void hint_nearest(struct judging *j, struct subschema *const *schemas, size_t n,
			 const struct spot *at)
{
	struct why *outer = j->why, best = {0};
	uint64_t furthest = 0;

	if (j->quiet || j->stopped || j->explaining)
		return;
	j->explaining = true;
	for (size_t i = 0; i < n && !j->stopped; i++) {
		struct why why = {0};
		uint64_t before = j->steps;

		j->why = &why;
		(void)judge_subschema(j, schemas[i], at, NULL);
		if (why.layer != WHY_NONE && before - j->steps > furthest) {
			furthest = before - j->steps;
			best = why;
		}
	}
	j->why = outer;
	j->explaining = false;
	j->stopped = NULL; /* the answer is known: the search for words may end early */
	if (best.layer != WHY_NONE)
		judge_hint(j, "nearest: %s%s%s", best.what, best.hint[0] ? "; " : "", best.hint);
}

bool judge_any(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	bool ok = false;

	/* All of them when somebody wants to know what was looked at. */
	for (size_t i = 0; i < r->n && (seen || !ok); i++)
		ok |= quietly(j, r->schemas[i], at, seen);
	if (ok || j->stopped)
		return ok;
	(void)judge_refuse(j, r, at, "fits none of %zu alternatives", r->n);
	hint_nearest(j, r->schemas, r->n, at);
	return false;
}

bool judge_one(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	size_t fits[2] = {0}, n = 0;

	for (size_t i = 0; i < r->n && n < 2; i++)
		if (quietly(j, r->schemas[i], at, seen))
			fits[n++] = i;
	if (n == 1 || j->stopped)
		return !j->stopped;
	if (n == 2)
		return judge_refuse(j, r, at,
				    "fits alternatives %zu and %zu; it must fit exactly one",
				    fits[0], fits[1]);
	(void)judge_refuse(j, r, at, "fits none of %zu alternatives; it must fit exactly one",
			   r->n);
	hint_nearest(j, r->schemas, r->n, at);
	return false;
}

bool judge_not(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	(void)seen;
	if (!quietly(j, r->schema, at, NULL))
		return true;
	return judge_refuse(j, r, at, "is one of the values that are excluded here");
}

bool judge_if(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	const struct subschema *next = r->schemas[quietly(j, r->schema, at, seen) ? 0 : 1];

	return next ? judge_subschema(j, next, at, seen) : true;
}

bool judge_dependents(struct judging *j, const struct rule *r, const struct spot *at,
		      struct seen *seen)
{
	for (size_t i = 0; i < r->n; i++)
		if (json_object_get(at->value, r->members[i].name) &&
		    !judge_subschema(j, r->members[i].schema, at, seen))
			return false;
	return true;
}

/* Members. */

static int by_name(const void *name, const void *member)
{
	return strcmp(name, ((const struct member *)member)->name);
}

static const struct member *find_member(const struct rule *r, const char *name)
{
	return r ? bsearch(name, r->members, r->n, sizeof(struct member), by_name) : NULL;
}

static bool matches_any(struct judging *j, const struct rule *patterns, const char *name)
{
	for (size_t i = 0; patterns && i < patterns->n; i++)
		if (judge_matches(j, patterns->members[i].match, name, strlen(name)))
			return true;
	return false;
}

bool judge_properties(struct judging *j, const struct rule *r, const struct spot *at,
		      struct seen *seen)
{
	const char *name;
	json_t *value;
	size_t i = 0;

	json_object_foreach((json_t *)at->value, name, value)
	{
		const struct spot part = {value, at, name, 0};
		const struct member *m = find_member(r, name);

		if (!judge_spend(j, 1) || (m && !judge_subschema(j, m->schema, &part, NULL)))
			return false;
		if (m)
			seen_mark(seen, i);
		i++;
	}
	return true;
}

static bool judge_by_patterns(struct judging *j, const struct rule *r, const struct spot *part,
			      bool *ret_any)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct member *m = &r->members[i];

		if (!judge_matches(j, m->match, part->key, strlen(part->key)))
			continue;
		*ret_any = true;
		if (!judge_subschema(j, m->schema, part, NULL))
			return false;
	}
	return !j->stopped;
}

bool judge_patterns(struct judging *j, const struct rule *r, const struct spot *at,
		    struct seen *seen)
{
	const char *name;
	json_t *value;
	size_t i = 0;

	json_object_foreach((json_t *)at->value, name, value)
	{
		const struct spot part = {value, at, name, 0};
		bool any = false;

		if (!judge_by_patterns(j, r, &part, &any))
			return false;
		if (any)
			seen_mark(seen, i);
		i++;
	}
	return true;
}

/* The schema false says no more than that; its neighbours know what would be right. */
static bool refuse_member(struct judging *j, const struct rule *r, const struct spot *part)
{
	const char *names[33] = {NULL};
	const char *near;
	char known[256] = "";
	size_t len = 0;

	(void)judge_refuse(j, r, part, "is not known here");
	if (j->quiet || !r->properties)
		return false;
	for (size_t i = 0; i < r->properties->n && i + 1 < sizeof(names) / sizeof(names[0]); i++) {
		names[i] = r->properties->members[i].name;
		if (len < sizeof(known))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
						i ? ", " : "", names[i]);
	}
	near = text_nearest(part->key, names);
	if (near)
		judge_hint(j, "did you mean '%s'? known: %s", near, known);
	else if (len > 0)
		judge_hint(j, "known: %s", known);
	return false;
}

bool judge_additional(struct judging *j, const struct rule *r, const struct spot *at,
		      struct seen *seen)
{
	const char *name;
	json_t *value;
	size_t i = 0;

	json_object_foreach((json_t *)at->value, name, value)
	{
		const struct spot part = {value, at, name, 0};
		bool known = find_member(r->properties, name) || matches_any(j, r->patterns, name);

		if (!judge_spend(j, 1))
			return false;
		if (!known && r->schema->never)
			return refuse_member(j, r, &part);
		if (!known && !judge_subschema(j, r->schema, &part, NULL))
			return false;
		if (!known)
			seen_mark(seen, i);
		i++;
	}
	return true;
}

bool judge_more_members(struct judging *j, const struct rule *r, const struct spot *at,
			struct seen *seen)
{
	const char *name;
	json_t *value;
	size_t i = 0;

	json_object_foreach((json_t *)at->value, name, value)
	{
		const struct spot part = {value, at, name, 0};

		if (!seen_has(seen, i)) {
			if (r->schema->never)
				return judge_refuse(j, r, &part, "is not known here");
			if (!judge_subschema(j, r->schema, &part, NULL))
				return false;
		}
		seen_mark(seen, i++);
	}
	return true;
}

bool judge_names(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	const char *name;
	json_t *value;

	(void)seen;
	json_object_foreach((json_t *)at->value, name, value)
	{
		own_json text = json_string_nocheck(name);
		const struct spot part = {text, at, name, 0};

		if (!text)
			return judge_stop(j, "memory");
		if (quietly(j, r->schema, &part, NULL))
			continue;
		(void)judge_refuse(j, r, &part, "has a name that is not allowed here");
		hint_nearest(j, &r->schema, 1, &part);
		return false;
	}
	return true;
}

/* Items. */

bool judge_prefix(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	for (size_t i = 0; i < r->n && i < json_array_size(at->value); i++) {
		const struct spot part = {json_array_get(at->value, i), at, NULL, i};

		if (!judge_subschema(j, r->schemas[i], &part, NULL))
			return false;
		seen_mark(seen, i);
	}
	return true;
}

bool judge_items(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	for (size_t i = r->count; i < json_array_size(at->value); i++) {
		const struct spot part = {json_array_get(at->value, i), at, NULL, i};

		if (!judge_subschema(j, r->schema, &part, NULL))
			return false;
		seen_mark(seen, i);
	}
	return true;
}

bool judge_contains(struct judging *j, const struct rule *r, const struct spot *at,
		    struct seen *seen)
{
	uint64_t n = 0;

	for (size_t i = 0; i < json_array_size(at->value) && !j->stopped; i++) {
		const struct spot part = {json_array_get(at->value, i), at, NULL, i};

		if (!quietly(j, r->schema, &part, NULL))
			continue;
		seen_mark(seen, i);
		n++;
	}
	if (n < r->least)
		return judge_refuse(j, r, at, "holds %llu items of the kind that it needs %llu of",
				    (unsigned long long)n, (unsigned long long)r->least);
	if (n > r->most)
		return judge_refuse(j, r, at, "holds %llu items of a kind that it may hold %llu of",
				    (unsigned long long)n, (unsigned long long)r->most);
	return true;
}

bool judge_more_items(struct judging *j, const struct rule *r, const struct spot *at,
		      struct seen *seen)
{
	for (size_t i = 0; i < json_array_size(at->value); i++) {
		const struct spot part = {json_array_get(at->value, i), at, NULL, i};

		if (!seen_has(seen, i) && !judge_subschema(j, r->schema, &part, NULL))
			return false;
		seen_mark(seen, i);
	}
	return true;
}
