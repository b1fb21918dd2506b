/* SPDX-License-Identifier: Apache-2.0 */
/* language.c - what code needs to run, and the environment that every program gets. */
#include "call/language.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/own.h"

static const struct language languages[] = {
	{"python", "python3", "main.py", "PYTHONUNBUFFERED=1"},
	{"node", "node", "main.js", NULL},
	{"bash", "bash", "main.sh", NULL},
};

static const char *const standard[] = {
	"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
	"HOME=/work",
	"USER=user",
	"LOGNAME=user",
	"LANG=C.UTF-8",
	"TMPDIR=/tmp",
};
static_assert(ARRAY_LEN(standard) + 2 <= ENVIRONMENT_OWN, "room for all of ours");

const struct language *language_find(const char *name, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		if (strcmp(name, languages[i].name) == 0)
			return &languages[i];
	(void)fail(err, ERR_CALLER, "there is no language '%.40s'; give python, node or bash",
		   name);
	return NULL;
}

bool environment_same_name(const char *one, const char *other)
{
	return strncmp(one, other, strcspn(other, "=") + 1) == 0;
}

static bool is_overridden(char *const *own, const char *variable)
{
	for (; *own; own++)
		if (environment_same_name(*own, variable))
			return true;
	return false;
}

void environment_build(const struct language *language, char *const *own, char **ret)
{
	for (size_t i = 0; i < ARRAY_LEN(standard); i++)
		if (!is_overridden(own, standard[i]))
			*ret++ = (char *)(uintptr_t)standard[i];
	if (language && language->variable && !is_overridden(own, language->variable))
		*ret++ = (char *)(uintptr_t)language->variable;
	while (*own)
		*ret++ = *own++;
	*ret = NULL;
}

/* Not isalnum(): a caller's locale has more letters than a shell. */
static bool is_name_character(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

int environment_check(const char *variable, struct error *err)
{
	size_t len = strcspn(variable, "=");

	if (variable[len] != '=' || len == 0 || (variable[0] >= '0' && variable[0] <= '9'))
		return fail(err, ERR_CALLER, "--env %.60s: give NAME=VALUE", variable);
	for (size_t i = 0; i < len; i++)
		if (!is_name_character(variable[i]))
			return fail(err, ERR_CALLER,
				    "--env %.60s: a name has letters, digits and _ only", variable);
	return 0;
}
