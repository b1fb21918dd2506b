/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - what a caller sent against what the owner declared.
 *
 * A new object is made of what was judged, rule by rule; nothing of the old
 * one is ever passed on, so a value that no rule looked at cannot reach a tool.
 */
#include "policy/arguments.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/argspot.h"

enum { NAMES_SHOWN = 32 };

static value_judge judge_list, judge_object;

static value_judge *const judges[] = {
	[ARG_INTEGER] = value_judge_integer, /* argvalue.c */
	[ARG_NUMBER] = value_judge_number,   /* argvalue.c */
	[ARG_BOOLEAN] = value_judge_boolean, /* argvalue.c */
	[ARG_STRING] = value_judge_string,   /* argvalue.c */
	[ARG_ENUM] = value_judge_enum,       /* argvalue.c */
	[ARG_PATH] = value_judge_path,       /* argpath.c */
	[ARG_URL] = value_judge_url,         /* argvalue.c */
	[ARG_LIST] = judge_list,             /* here */
	[ARG_OBJECT] = judge_object,         /* here */
};
static_assert(ARRAY_LEN(judges) == ARG_COUNT, "one judge per type");

/* Equal in type and value: 1 is neither 1.0 nor true. */
static bool is_allowed(const json_t *allowed, const json_t *value)
{
	size_t n = json_array_size(allowed);

	for (size_t i = 0; i < n; i++)
		if (json_equal(json_array_get(allowed, i), value))
			return true;
	return false;
}

enum answer value_judge_any(struct judging *j, const struct spot *s, const json_t *value,
			    json_t **ret)
{
	own_json made = NULL;

	if (s->rule->type <= ARG_NONE || s->rule->type >= ARG_COUNT)
		return spot_deny(j, s, WHY_POLICY, "type", "has no type");
	if (++j->values > ARG_VALUES_MAX)
		return spot_deny(j, s, WHY_POLICY, "type", "is one of more than %d values",
				 ARG_VALUES_MAX);
	if (judges[s->rule->type](j, s, value, &made) == ANSWER_DENY)
		return ANSWER_DENY;
	if (s->rule->allowed && !is_allowed(s->rule->allowed, made))
		return spot_deny(j, s, WHY_POLICY, "enum", "is not one of the allowed values");
	*ret = TAKE(made);
	return ANSWER_ALLOW;
}

static enum answer judge_list(struct judging *j, const struct spot *s, const json_t *value,
			      json_t **ret)
{
	uint64_t most = s->rule->max_len ? s->rule->max_len : ARG_LIST_MAX;
	size_t n = json_array_size(value);
	own_json list = json_array();

	if (!json_is_array(value) || !s->rule->items)
		return spot_deny(j, s, WHY_POLICY, "type", "is %s, not a list",
				 jsonread_kind(value));
	if (n > most)
		return spot_deny(j, s, WHY_POLICY, "max_len", "has %zu items, which are too many",
				 n);
	if (n < s->rule->min_len)
		return spot_deny(j, s, WHY_POLICY, "min_len", "has %zu items, which are too few",
				 n);
	if (!list)
		return spot_give_up(j);
	for (size_t i = 0; i < n; i++) {
		struct spot item = {.up = s, .rule = s->rule->items, .index = i};
		json_t *made = NULL;

		if (value_judge_any(j, &item, json_array_get(value, i), &made) == ANSWER_DENY)
			return ANSWER_DENY;
		if (json_array_append_new(list, made) < 0)
			return spot_give_up(j);
	}
	*ret = TAKE(list);
	return ANSWER_ALLOW;
}

static void hint_names(struct why *why, const struct arg_rules *rules, const char *name)
{
	const char *names[NAMES_SHOWN + 1], *near;
	char all[240] = "";

	rule_names(rules, names, ARRAY_LEN(names));
	near = text_nearest(name, names);
	if (near) {
		why_hint(why, "did you mean '%s'?", near);
		return;
	}
	for (size_t i = 0; names[i]; i++) {
		size_t len = strlen(all);

		(void)snprintf(all + len, sizeof(all) - len, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	why_hint(why, "leave out '%.64s'; it takes%s%s", name, all[0] ? ": " : " nothing", all);
}

/* The object at s (NULL: the arguments themselves) has something that nobody declared. */
static enum answer deny_undeclared(struct judging *j, const struct spot *s,
				   const struct arg_rules *rules, const char *name)
{
	if (s)
		(void)spot_deny(j, s, WHY_POLICY, "fields", "has '%.64s', which is not declared",
				name);
	else
		(void)why_deny(j->why, WHY_POLICY, j->prefix, "there is no argument '%.64s'", name);
	hint_names(j->why, rules, name);
	return ANSWER_DENY;
}

static enum answer check_declared(struct judging *j, const struct spot *s,
				  const struct arg_rules *rules, const json_t *given)
{
	void *at = json_object_iter((json_t *)given);

	for (; at; at = json_object_iter_next((json_t *)given, at))
		if (!rule_by_name(rules, json_object_iter_key(at)))
			return deny_undeclared(j, s, rules, json_object_iter_key(at));
	return ANSWER_ALLOW;
}

/* One member: given, its default, absent, or missing. */
static enum answer judge_member(struct judging *j, const struct spot *s, const json_t *given,
				json_t *into)
{
	const json_t *value = json_object_get(given, s->rule->name);
	json_t *made = NULL;

	if (!value)
		value = s->rule->standard;
	if (!value) {
		if (!s->rule->required)
			return ANSWER_ALLOW;
		return spot_deny(j, s, WHY_POLICY, "required", "is missing");
	}
	if (value_judge_any(j, s, value, &made) == ANSWER_DENY)
		return ANSWER_DENY;
	return json_object_set_new_nocheck(into, s->rule->name, made) < 0 ? spot_give_up(j)
									  : ANSWER_ALLOW;
}

static enum answer judge_members(struct judging *j, const struct spot *up,
				 const struct arg_rules *rules, const json_t *given, json_t **ret)
{
	own_json made = json_object();

	if (!made)
		return spot_give_up(j);
	if (check_declared(j, up, rules, given) == ANSWER_DENY)
		return ANSWER_DENY;
	for (size_t i = 0; i < rules->n; i++) {
		struct spot s = {.up = up, .rule = &rules->rule[i]};

		if (judge_member(j, &s, given, made) == ANSWER_DENY)
			return ANSWER_DENY;
	}
	*ret = TAKE(made);
	return ANSWER_ALLOW;
}

static enum answer judge_object(struct judging *j, const struct spot *s, const json_t *value,
				json_t **ret)
{
	if (!json_is_object(value))
		return spot_deny(j, s, WHY_POLICY, "type", "is %s, not an object",
				 jsonread_kind(value));
	return judge_members(j, s, &s->rule->fields, value, ret);
}

enum answer arguments_judge(const struct arg_rules *rules, const json_t *given, const char *prefix,
			    struct path_grants *grants, json_t **ret_args, struct why *why)
{
	struct judging j = {.prefix = prefix, .grants = grants, .why = why};

	if (!json_is_object(given))
		return why_deny(why, WHY_REQUEST, prefix, "the arguments are %s, not an object",
				jsonread_kind(given));
	return judge_members(&j, NULL, rules, given, ret_args);
}
