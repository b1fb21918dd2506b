/* SPDX-License-Identifier: Apache-2.0 */
/* runtimes.c - what runs code: the runtimes that exist without being written, and what waits. */
#include "policy/runtimes.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "call/warmstandard.h"

static const struct runtime builtins[] = {
	[WARM_PYTHON] = {.name = "python",
			 .language = WARM_PYTHON,
			 .program = "python3",
			 /* Nobody writes to the words of a runtime. */
			 .modules = {(const char **)warm_standard_modules, WARM_STANDARD_MODULES},
			 .calls = WARM_STANDARD_CALLS,
			 .age_ms = WARM_STANDARD_AGE_MS},
	[WARM_NODE] = {.name = "node",
		       .language = WARM_NODE,
		       .program = "node",
		       .calls = WARM_STANDARD_CALLS,
		       .age_ms = WARM_STANDARD_AGE_MS},
};
static_assert(ARRAY_LEN(builtins) == WARM_COUNT, "one for each kind");

enum warm_kind runtime_kind(const char *language)
{
	for (int i = WARM_NOT + 1; i < WARM_COUNT; i++)
		if (strcmp(language, warm_kind_name((enum warm_kind)i)) == 0)
			return (enum warm_kind)i;
	return WARM_NOT;
}

const struct runtime *runtime_builtin(enum warm_kind kind)
{
	return kind > WARM_NOT && kind < WARM_COUNT ? &builtins[kind] : NULL;
}

void runtime_warm(const struct runtime *r, struct warm *ret)
{
	*ret = (struct warm){
		.kind = r->language,
		.program = r->program,
		.calls = r->calls,
		.age_ms = r->age_ms,
	};
	for (; ret->n_modules < r->modules.n && ret->n_modules < WARM_MODULES_MAX; ret->n_modules++)
		ret->modules[ret->n_modules] = r->modules.word[ret->n_modules];
	for (; ret->n_env < r->env.n && ret->n_env < WARM_ENV_MAX; ret->n_env++)
		ret->env[ret->n_env] = r->env.word[ret->n_env];
}
