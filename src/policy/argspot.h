/* SPDX-License-Identifier: Apache-2.0 */
/* argspot.h - what the judges of single values share: where they are, and how they refuse.
 *
 * For the files that judge arguments; others use arguments.h.
 */
#ifndef POLICY_ARGSPOT_H
#define POLICY_ARGSPOT_H

#include "policy/arguments.h"

enum {
	ARG_DEPTH_MAX = 8,         /* lists and objects within each other */
	ARG_VALUES_MAX = 65536,    /* in one call, counted through all lists and objects */
	ARG_STRING_MAX = 64 << 10, /* characters, unless max_len says otherwise */
	ARG_LIST_MAX = 1000,       /* items, unless max_len says otherwise */
	ARG_PATH_MAX = 1023,       /* bytes: as long as a place in a box may be */
};

/* One call's arguments on their way. */
struct judging {
	const char *prefix; /* "tools.search.args" */
	struct path_grants *grants;
	bool at_load; /* the owner's own values: no file is looked at */
	size_t values;
	struct why *why;
};

/* Which value is judged, and by which rule: strings are made of it only when one is refused. */
struct spot {
	const struct spot *up; /* the list or object that it is in; NULL: an argument itself */
	const struct arg_rule *rule;
	size_t index; /* in a list */
};

/* rule becomes "tools.search.args.tags.items.max_len" (key is its last word), what "'tags[3]' ..."
 * and the hint says what is allowed there.  Returns ANSWER_DENY. */
enum answer spot_deny(struct judging *j, const struct spot *s, enum why_layer layer,
		      const char *key, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* We had no memory. */
enum answer spot_give_up(struct judging *j);

/* Each judges one value, which is of any kind, and makes a new one of what it judged. */
typedef enum answer value_judge(struct judging *j, const struct spot *s, const json_t *value,
				json_t **ret);
value_judge value_judge_integer, value_judge_number, value_judge_boolean, value_judge_string,
	value_judge_enum, value_judge_url, value_judge_path;
/* Any of them, by the rule's type. */
value_judge value_judge_any;

/* The string rules that url and path share: UTF-8, no controls, length. */
enum answer value_check_text(struct judging *j, const struct spot *s, const json_t *value);
enum answer value_check_pattern(struct judging *j, const struct spot *s, const char *text,
				size_t len);
/* Less than, equal to or greater than 0, exactly; both are numbers. */
int value_compare(const json_t *a, const json_t *b);
/* Is it absolute, with single slashes and no "." or ".." in it?  NULL: yes, else what is wrong. */
const char *path_complaint(const char *path);
/* O_PATH, through no link; -1: errno says why. */
int path_open_root(const char *root);
/* Their names, NULL-terminated, for text_nearest(); at most room - 1 of them. */
void rule_names(const struct arg_rules *rules, const char **ret, size_t room);
const struct arg_rule *rule_by_name(const struct arg_rules *rules, const char *name);

#endif
