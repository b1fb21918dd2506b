/* SPDX-License-Identifier: Apache-2.0 */
/* options_warm.c - what waits in a slot for calls, as words: for belljar slot and the warden only.
 *
 * belljar run has no use for them: its slot serves one program and goes.
 */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "cli/options.h"

enum { CALLS_MAX = 1000000, AGE_MAX_MS = 86400000 };

static int take_kind(struct run_options *o, const char *value, struct error *err)
{
	struct warm *w = &o->request.profile.warm;

	for (int i = WARM_NOT + 1; i < WARM_COUNT; i++)
		if (strcmp(value, warm_kind_name((enum warm_kind)i)) == 0) {
			w->kind = (enum warm_kind)i;
			return 0;
		}
	return fail(err, ERR_CALLER, "--warm %.40s: give python or node", value);
}

static int take_program(struct run_options *o, const char *value, struct error *err)
{
	o->request.profile.warm.program = value;
	return *value ? 0 : fail(err, ERR_CALLER, "--warm-program: give a program");
}

static int take_module(struct run_options *o, const char *value, struct error *err)
{
	struct warm *w = &o->request.profile.warm;

	if (w->n_modules == WARM_MODULES_MAX)
		return fail(err, ERR_CALLER, "--warm-module: at most %d", WARM_MODULES_MAX);
	w->modules[w->n_modules++] = value;
	return *value ? 0 : fail(err, ERR_CALLER, "--warm-module: give a module");
}

static int take_variable(struct run_options *o, const char *value, struct error *err)
{
	struct warm *w = &o->request.profile.warm;

	if (environment_check(value, err) < 0)
		return fail_in(err, "--warm-env");
	if (w->n_env == WARM_ENV_MAX)
		return fail(err, ERR_CALLER, "--warm-env: at most %d", WARM_ENV_MAX);
	w->env[w->n_env++] = value;
	return 0;
}

static int take_calls(struct run_options *o, const char *value, struct error *err)
{
	uint64_t calls;

	if (text_parse_uint(value, &calls, err) < 0 || calls == 0 || calls > CALLS_MAX)
		return fail(err, ERR_CALLER, "--warm-calls %.40s: give a number from 1 to %d",
			    value, CALLS_MAX);
	o->request.profile.warm.calls = calls;
	return 0;
}

static int take_age(struct run_options *o, const char *value, struct error *err)
{
	uint64_t ms;

	if (text_parse_ms(value, &ms, err) < 0 || ms == 0 || ms > AGE_MAX_MS)
		return fail(err, ERR_CALLER, "--warm-age %.40s: give a time up to a day", value);
	o->request.profile.warm.age_ms = ms;
	return 0;
}

const struct option_row slot_option_rows[] = {
	{"warm", "python|node", FOR_SLOT, take_kind, "what waits for calls"},
	{"warm-program", "PROGRAM", FOR_SLOT, take_program, "argv[0] of the calls that it is for"},
	{"warm-module", "NAME", FOR_SLOT, take_module, "is imported ahead"},
	{"warm-env", "NAME=VALUE", FOR_SLOT, take_variable, "is in its environment"},
	{"warm-calls", "N", FOR_SLOT, take_calls, "a new one after so many calls"},
	{"warm-age", "TIME", FOR_SLOT, take_age, "or when it is so old"},
};
const size_t slot_option_row_count = ARRAY_LEN(slot_option_rows);

int options_check_warm(const struct warm *w, struct error *err)
{
	bool other = w->program || w->n_modules || w->n_env || w->calls || w->age_ms;

	if (w->kind == WARM_NOT && other)
		return fail(err, ERR_CALLER, "--warm-...: --warm is missing");
	if (w->kind != WARM_NOT && (!w->program || !w->calls || !w->age_ms))
		return fail(err, ERR_CALLER,
			    "--warm needs --warm-program, --warm-calls and --warm-age");
	if (w->kind != WARM_PYTHON && w->n_modules)
		return fail(err, ERR_CALLER, "--warm-module: only python has modules");
	return 0;
}
