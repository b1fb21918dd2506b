/* SPDX-License-Identifier: Apache-2.0 */
/* argspot.c - names for a value within the arguments, and the refusal that carries them. */
#include "policy/argspot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

static bool is_item(const struct spot *s)
{
	return s->up && s->up->rule->items == s->rule;
}

/* From the outermost on; a spot's depth is at most that of the rules. */
static size_t unroll(const struct spot *s, const struct spot **ret, size_t room)
{
	size_t n = 0;

	for (const struct spot *at = s; at; at = at->up)
		n++;
	for (size_t i = n; s; s = s->up)
		if (--i < room)
			ret[i] = s;
	return n < room ? n : room;
}

static void add(char *text, size_t room, const char *more)
{
	size_t len = strlen(text);

	(void)snprintf(text + len, room - len, "%s", more);
}

/* "tools.search.args.tags.items", as the owner would look for it. */
static void rule_path(const char *prefix, const struct spot *s, char *ret, size_t room)
{
	const struct spot *way[ARG_DEPTH_MAX + 2];
	size_t n = unroll(s, way, ARRAY_LEN(way));

	(void)snprintf(ret, room, "%s", prefix);
	for (size_t i = 0; i < n; i++) {
		if (is_item(way[i])) {
			add(ret, room, ".items");
			continue;
		}
		add(ret, room, i > 0 ? ".fields." : ".");
		add(ret, room, way[i]->rule->name);
	}
}

/* "tags[3].name", as the caller would look for it. */
static void value_path(const struct spot *s, char *ret, size_t room)
{
	const struct spot *way[ARG_DEPTH_MAX + 2];
	size_t n = unroll(s, way, ARRAY_LEN(way));
	char index[32];

	ret[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (is_item(way[i])) {
			(void)snprintf(index, sizeof(index), "[%zu]", way[i]->index);
			add(ret, room, index);
			continue;
		}
		add(ret, room, i > 0 ? "." : "");
		add(ret, room, way[i]->rule->name);
	}
}

enum answer spot_deny(struct judging *j, const struct spot *s, enum why_layer layer,
		      const char *key, const char *fmt, ...)
{
	char rule[256], name[160], what[400], form[320];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	rule_path(j->prefix, s, rule, sizeof(rule));
	add(rule, sizeof(rule), ".");
	add(rule, sizeof(rule), key);
	value_path(s, name, sizeof(name));
	argument_form(s->rule, form, sizeof(form));
	(void)why_deny(j->why, layer, rule, "'%s' %s", name, what);
	why_hint(j->why, "%s", form);
	return ANSWER_DENY;
}

enum answer spot_give_up(struct judging *j)
{
	struct error err = {0};

	(void)fail(&err, ERR_SYSTEM, "judge arguments: out of memory");
	return why_internal(j->why, &err);
}

const struct arg_rule *rule_by_name(const struct arg_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->n; i++)
		if (strcmp(rules->rule[i].name, name) == 0)
			return &rules->rule[i];
	return NULL;
}

void rule_names(const struct arg_rules *rules, const char **ret, size_t room)
{
	size_t n = 0;

	for (; n < rules->n && n + 1 < room; n++)
		ret[n] = rules->rule[n].name;
	ret[n] = NULL;
}
