/* SPDX-License-Identifier: Apache-2.0 */
/* rulebook.c - all built-in rules in one order, and what the fast search looks for. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "redact/redact_rule.h"

/* Of two rules that find the same span, the first one names it: formats before guesses. */
static const struct redact_rules *const books[] = {
	&rules_keys,   &rules_cloud,    &rules_forge,    &rules_chat,    &rules_payment,
	&rules_ai,     &rules_packages, &rules_monitor,  &rules_service, &rules_web,
	&rules_assign, &rules_places,   &rules_personal,
};

size_t redact_rule_count(void)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(books); i++)
		n += books[i]->n;
	return n;
}

const struct redact_rule *redact_rule_at(size_t i)
{
	for (size_t b = 0; b < ARRAY_LEN(books); b++) {
		if (i < books[b]->n)
			return &books[b]->rule[i];
		i -= books[b]->n;
	}
	return NULL;
}

void redact_rule_find(const struct redact_rule *rule, char *ret, size_t room)
{
	const char *from = rule->find ? rule->find : rule->pattern;
	size_t len = 0;

	for (; *from && len + 1 < room; from++)
		if (!(from[0] == ',' && from[1] == '}'))
			ret[len++] = *from;
	ret[len] = '\0';
}

static const struct {
	const char *name;
	unsigned group;
} names[] = {
	{"home", REDACT_HOME},             /* */
	{"temp", REDACT_TEMP},             /* */
	{"address", REDACT_ADDRESS},       /* */
	{"assignment", REDACT_ASSIGNMENT}, /* */
	{"key", REDACT_KEY},               /* */
	{"credential", REDACT_CREDENTIAL}, /* */
	{"email", REDACT_EMAIL},           /* */
	{"phone", REDACT_PHONE},           /* */
	{"card", REDACT_CARD},             /* */
	{"standard", REDACT_STANDARD},     /* */
	{"all", REDACT_ALL},               /* */
};

unsigned redact_group_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].group;
	return 0;
}

const char *redact_group_name(unsigned group)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].group == group)
			return names[i].name;
	return NULL;
}
