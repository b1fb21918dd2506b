/* SPDX-License-Identifier: Apache-2.0 */
/* errandenv.c - the language and the whole environment of a call's program. */
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "call/language.h"
#include "gate/steps.h"
#include "policy/runtimes.h"

/* Each name is there once: whoever adds one later wins. */
static void drop_same(char **own, size_t *n, const char *variable)
{
	for (size_t i = 0; i < *n; i++)
		if (environment_same_name(own[i], variable)) {
			own[i] = own[--*n];
			return;
		}
}

static int add_variables(struct arena *a, const struct variable *list, size_t n_list, char **own,
			 size_t *n, struct error *err)
{
	for (size_t i = 0; i < n_list; i++) {
		char *one = arena_printf(a, err, "%s=%s", list[i].name, list[i].value);

		if (!one || environment_check(one, err) < 0)
			return -1;
		drop_same(own, n, one);
		own[(*n)++] = one;
	}
	return 0;
}

/* What runs code of this language for the tool; NULL: the program that is found by its name. */
static const struct runtime *runtime_of(const struct tool *tool, const struct language *language)
{
	return language ? tool->runtimes[runtime_kind(language->name)] : NULL;
}

void errand_language(const struct tool *tool, const struct language *language, struct language *ret)
{
	const struct runtime *runtime = runtime_of(tool, language);

	*ret = *language;
	if (runtime)
		ret->program = runtime->program;
}

/* What waits has them, too; so a call without them would not fit. */
static void add_runtime(const struct runtime *runtime, char **own, size_t *n)
{
	for (size_t i = 0; runtime && i < runtime->env.n; i++) {
		drop_same(own, n, runtime->env.word[i]);
		own[(*n)++] = (char *)(uintptr_t)runtime->env.word[i];
	}
}

/* Later ones win: the owner's are not a caller's to change. */
int errand_environment(struct passage *p, const struct language *language, char ***ret,
		       struct error *err)
{
	const struct tool *tool = p->judged.tool;
	const struct runtime *runtime = runtime_of(tool, language);
	struct arena *a = &p->judged.arena;
	size_t n = 0, room = tool->n_env + tool->n_secrets + p->wishes.n_env +
			     (runtime ? runtime->env.n : 0);
	char **own = arena_array(a, room + 1, sizeof(*own), err);
	char **all = arena_array(a, room + ENVIRONMENT_OWN, sizeof(*all), err);

	if (!own || !all || add_variables(a, p->wishes.env, p->wishes.n_env, own, &n, err) < 0)
		return -1;
	add_runtime(runtime, own, &n);
	if (add_variables(a, tool->env, tool->n_env, own, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < p->redaction.n_secrets; i++) {
		if (!tool->secrets[i].env)
			continue;
		const struct variable secret = {tool->secrets[i].env, p->redaction.secrets[i]};

		if (add_variables(a, &secret, 1, own, &n, err) < 0)
			return -1;
	}
	environment_build(language, own, all);
	*ret = all;
	return 0;
}

char **environment_with(struct arena *a, char **env, char *variable, struct error *err)
{
	size_t n = 0;
	char **all;

	while (env[n])
		n++;
	all = arena_array(a, n + 2, sizeof(*all), err);
	if (!all)
		return NULL;
	memcpy(all, env, n * sizeof(*all));
	all[n] = variable;
	return all;
}
