/* SPDX-License-Identifier: Apache-2.0 */
/* warming.c - what waits in a slot for the code that will come. */
#include "gate/slots.h"
#include "gate/steps.h"
#include "policy/runtimes.h"

#include <string.h>

/* A place that serves one call has nobody who could wait for the next. */
void warming_of_calls(const struct tool *tool, const char *language, const struct slots *slots,
		      struct warm *ret)
{
	enum warm_kind kind = language ? runtime_kind(language) : WARM_NOT;

	if (!slots || !tool->warm || tool->fresh || tool->loopback || !tool->runtimes[kind])
		return;
	if (kind == WARM_NODE && !slots->warm_node)
		return;
	runtime_warm(tool->runtimes[kind], ret);
}

/* In a box that is kept there is one interpreter of each language; python's can begin warm.  It has
 * its memory for itself from then on, maybe for hours, and a session has time to import what it
 * needs: modules that nobody asked for by name are not loaded.  Without modules it may begin as a
 * template, and then nobody waits for it. */
void warming_of_session(const struct tool *tool, const struct slots *slots, struct warm *ret)
{
	const struct runtime *runtime = tool->runtimes[WARM_PYTHON];
	const struct words *known = &tool->languages;
	bool has = false;

	for (size_t i = 0; i < known->n; i++)
		has |= strcmp(known->word[i], warm_kind_name(WARM_PYTHON)) == 0;
	if (!has || !tool->warm || tool->kind != KIND_CODE || !runtime)
		return;
	runtime_warm(runtime, ret);
	if (runtime->modules.word == runtime_builtin(WARM_PYTHON)->modules.word)
		ret->n_modules = 0;
	if (ret->n_modules == 0 && slots && slots->template)
		*ret = (struct warm){0};
}
