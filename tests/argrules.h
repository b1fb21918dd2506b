/* SPDX-License-Identifier: Apache-2.0 */
/* argrules.h - declared arguments written as JSON, for tests of what judges them.
 *
 * The policy file's own reader has tests of its own; here a rule is what its
 * text says, and a key that is not known ends the test.
 */
#ifndef TESTS_ARGRULES_H
#define TESTS_ARGRULES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "policy/arguments.h"

static void argrules_stop(const char *what)
{
	fprintf(stderr, "argrules.h: %s\n", what);
	abort();
}

static void *argrules_room(struct policy *p, size_t n, size_t size)
{
	struct error err = {0};
	void *room = arena_array(&p->arena, n, size, &err);

	if (!room)
		argrules_stop(err.text);
	return room;
}

static struct words argrules_words(struct policy *p, const json_t *list)
{
	struct words w = {.n = json_array_size(list)};

	w.word = argrules_room(p, w.n, sizeof(*w.word));
	for (size_t i = 0; i < w.n; i++)
		w.word[i] = json_string_value(json_array_get(list, i));
	return w;
}

static enum arg_type argrules_type(const char *name)
{
	for (int t = 0; t < ARG_COUNT; t++)
		if (strcmp(arg_type_name((enum arg_type)t), name) == 0)
			return (enum arg_type)t;
	argrules_stop(name);
	return ARG_NONE;
}

static struct arg_rules argrules_members(struct policy *p, json_t *object);
static struct arg_rule argrules_one(struct policy *p, const char *name, json_t *from);

static bool argrules_number(struct arg_rule *r, const char *key, json_t *value)
{
	if (strcmp(key, "min") == 0)
		r->has_min = true, r->min = value;
	else if (strcmp(key, "max") == 0)
		r->has_max = true, r->max = value;
	else if (strcmp(key, "min_len") == 0)
		r->min_len = (uint64_t)json_integer_value(value);
	else if (strcmp(key, "max_len") == 0)
		r->max_len = (uint64_t)json_integer_value(value);
	else
		return false;
	return true;
}

static bool argrules_list(struct policy *p, struct arg_rule *r, const char *key, json_t *value)
{
	struct words *w = strcmp(key, "under") == 0     ? &r->under
			  : strcmp(key, "match") == 0   ? &r->globs
			  : strcmp(key, "schemes") == 0 ? &r->schemes
			  : strcmp(key, "hosts") == 0   ? &r->hosts
			  : strcmp(key, "ports") == 0   ? &r->ports
							: NULL;

	if (w)
		*w = argrules_words(p, value);
	return w != NULL;
}

static void argrules_key(struct policy *p, struct arg_rule *r, const char *key, json_t *value)
{
	if (strcmp(key, "type") == 0) {
		r->type = argrules_type(json_string_value(value));
	} else if (strcmp(key, "required") == 0) {
		r->required = json_is_true(value);
	} else if (strcmp(key, "default") == 0) {
		r->standard = value;
		r->required = false;
	} else if (strcmp(key, "description") == 0) {
		r->description = json_string_value(value);
	} else if (strcmp(key, "pattern") == 0) {
		r->pattern = json_string_value(value);
	} else if (strcmp(key, "enum") == 0) {
		r->allowed = value;
	} else if (strcmp(key, "multiline") == 0) {
		r->multiline = json_is_true(value);
	} else if (strcmp(key, "items") == 0) {
		r->items = argrules_room(p, 1, sizeof(*r->items));
		*r->items = argrules_one(p, "[]", value);
	} else if (strcmp(key, "fields") == 0) {
		r->fields = argrules_members(p, value);
	} else if (!argrules_number(r, key, value) && !argrules_list(p, r, key, value)) {
		argrules_stop(key);
	}
}

static struct arg_rule argrules_one(struct policy *p, const char *name, json_t *from)
{
	struct arg_rule r = {.name = name, .required = true};
	const char *key;
	json_t *value;

	json_object_foreach(from, key, value) argrules_key(p, &r, key, value);
	return r;
}

static struct arg_rules argrules_members(struct policy *p, json_t *object)
{
	struct arg_rules rules = {0};
	const char *key;
	json_t *value;

	rules.rule = argrules_room(p, json_object_size(object), sizeof(*rules.rule));
	json_object_foreach(object, key, value) rules.rule[rules.n++] = argrules_one(p, key, value);
	return rules;
}

/* p holds what the rules are made of. */
static struct arg_rules argrules_make(struct policy *p, const char *text)
{
	struct error err = {0};
	json_t *value;

	arena_init(&p->arena, 1 << 20);
	value = jsonread(text, strlen(text), 1 << 20, &err);
	if (!value || policy_keep_json(p, value, &err) < 0)
		argrules_stop(err.text);
	return argrules_members(p, value);
}

#endif
