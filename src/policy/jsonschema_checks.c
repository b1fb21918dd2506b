/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_checks.c - keywords that look at the value alone: its type, bounds, length, names. */
#include "policy/jsonschema_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/jsonnum.h"
#include "base/jsonread.h"
#include "base/own.h"

/* Of the bits OF_NULL, OF_BOOLEAN, ... */
static const char *const kind_words[] = {"null",   "true or false", "a number",  "a string",
					 "a list", "an object",     "an integer"};

static unsigned kinds_of(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_NULL:
		return OF_NULL;
	case JSON_TRUE:
	case JSON_FALSE:
		return OF_BOOLEAN;
	case JSON_INTEGER:
	case JSON_REAL:
		return OF_NUMBER | (jsonnum_is_whole(value) ? OF_WHOLE : 0U);
	case JSON_STRING:
		return OF_STRING;
	case JSON_ARRAY:
		return OF_LIST;
	case JSON_OBJECT:
		return OF_OBJECT;
	}
	return 0;
}

bool judge_type(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	char words[128] = "";
	size_t len = 0;

	(void)seen;
	if (r->kinds & kinds_of(at->value))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(kind_words); i++)
		if (r->kinds & 1U << i && len < sizeof(words))
			len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s",
						len ? " or " : "", kind_words[i]);
	return judge_refuse(j, r, at, "must be %s, not %s", words, jsonread_kind(at->value));
}

/* The value as JSON, for a hint; "..." when it is too long for one. */
static void show(const json_t *value, char *ret_text, size_t room)
{
	own_str text = jsonread_text(value);

	(void)snprintf(ret_text, room, "%s", text && strlen(text) < room ? text : "...");
}

bool judge_const(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	char text[200];

	(void)seen;
	if (values_equal(j, r->value, at->value))
		return true;
	if (j->quiet)
		return false;
	show(r->value, text, sizeof(text));
	(void)judge_refuse(j, r, at, "is not the one value that is allowed");
	judge_hint(j, "allowed: %s", text);
	return false;
}

bool judge_enum(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	char text[280] = "";
	size_t len = 0;

	(void)seen;
	for (size_t i = 0; i < json_array_size(r->value); i++)
		if (values_equal(j, json_array_get(r->value, i), at->value))
			return true;
	if (j->quiet)
		return false;
	for (size_t i = 0; i < json_array_size(r->value) && len + 24 < sizeof(text); i++) {
		char one[160];

		show(json_array_get(r->value, i), one, sizeof(one));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? ", " : "", one);
	}
	(void)judge_refuse(j, r, at, "is not one of the values that are allowed");
	judge_hint(j, "allowed: %s", text);
	return false;
}

/* Which way a comparison with the bound must not go. */
static const struct bound {
	const char *keyword, *words;
	int worst; /* the least result of jsonnum_compare(), turned by sign, that is refused */
	int sign;
} bounds[] = {
	{"minimum", "at least", 1, -1},
	{"maximum", "at most", 1, 1},
	{"exclusiveMinimum", "more than", 0, -1},
	{"exclusiveMaximum", "less than", 0, 1},
};

bool judge_bound(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	const struct bound *b = bounds;
	char text[64];

	(void)seen;
	while (strcmp(b->keyword, r->keyword->name) != 0)
		b++;
	if (b->sign * jsonnum_compare(at->value, r->value) < b->worst)
		return true;
	show(r->value, text, sizeof(text));
	return judge_refuse(j, r, at, "must be %s %s", b->words, text);
}

bool judge_multiple(struct judging *j, const struct rule *r, const struct spot *at,
		    struct seen *seen)
{
	char text[64];

	(void)seen;
	if (jsonnum_is_multiple(at->value, r->value))
		return true;
	show(r->value, text, sizeof(text));
	return judge_refuse(j, r, at, "must be a multiple of %s", text);
}

/* minX and maxX differ in their second letter. */
static bool within(struct judging *j, const struct rule *r, const struct spot *at, uint64_t n,
		   const char *of)
{
	bool least = r->keyword->name[1] == 'i';

	if (least ? n >= r->count : n <= r->count)
		return true;
	return judge_refuse(j, r, at, "has %llu %s; it %s %llu", (unsigned long long)n, of,
			    least ? "needs at least" : "may have at most",
			    (unsigned long long)r->count);
}

bool judge_length(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	const char *text = json_string_value(at->value);
	size_t len = json_string_length(at->value);
	uint64_t n = 0;

	(void)seen;
	if (!judge_spend(j, len / 64))
		return false;
	for (size_t i = 0; i < len; i++)
		n += (text[i] & 0xc0) != 0x80; /* what continues a character is none */
	return within(j, r, at, n, n == 1 ? "character" : "characters");
}

bool judge_items_count(struct judging *j, const struct rule *r, const struct spot *at,
		       struct seen *seen)
{
	size_t n = json_array_size(at->value);

	(void)seen;
	return within(j, r, at, n, n == 1 ? "item" : "items");
}

bool judge_members_count(struct judging *j, const struct rule *r, const struct spot *at,
			 struct seen *seen)
{
	size_t n = json_object_size(at->value);

	(void)seen;
	return within(j, r, at, n, n == 1 ? "member" : "members");
}

bool judge_pattern(struct judging *j, const struct rule *r, const struct spot *at,
		   struct seen *seen)
{
	(void)seen;
	if (judge_matches(j, r->match, json_string_value(at->value), json_string_length(at->value)))
		return true;
	(void)judge_refuse(j, r, at, "does not match the pattern");
	judge_hint(j, "pattern: %s", json_string_value(r->value));
	return false;
}

bool judge_format(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	size_t len = json_string_length(at->value);

	(void)seen;
	if (!judge_spend(j, len / 64))
		return false;
	if (r->format->check(json_string_value(at->value), len))
		return true;
	(void)judge_refuse(j, r, at, "is no %s", r->format->name);
	judge_hint(j, "for example: %s", r->format->example);
	return false;
}

bool judge_unique(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	size_t first, second;

	(void)seen;
	if (!r->count || !values_repeat(j, at->value, &first, &second))
		return true;
	return judge_refuse(j, r, at, "holds the same value twice, as items %zu and %zu", first,
			    second);
}

bool judge_required(struct judging *j, const struct rule *r, const struct spot *at,
		    struct seen *seen)
{
	size_t i;
	json_t *name;

	(void)seen;
	json_array_foreach((json_t *)r->value, i, name)
	{
		if (!judge_spend(j, 1))
			return false;
		if (!json_object_get(at->value, json_string_value(name)))
			return judge_refuse(j, r, at, "lacks '%s', which is required",
					    json_string_value(name));
	}
	return true;
}

bool judge_needs(struct judging *j, const struct rule *r, const struct spot *at, struct seen *seen)
{
	const char *name;
	json_t *needs, *other;
	size_t i;

	(void)seen;
	json_object_foreach((json_t *)r->value, name, needs)
	{
		if (!judge_spend(j, 1 + json_array_size(needs)))
			return false;
		if (!json_object_get(at->value, name))
			continue;
		json_array_foreach(needs, i, other) if (
			!json_object_get(
				at->value,
				json_string_value(
					other))) return judge_refuse(j, r, at,
								     "has '%s' and so needs '%s'",
								     name,
								     json_string_value(other));
	}
	return true;
}
