/* SPDX-License-Identifier: Apache-2.0 */
/* errandwall.c - which programs the box of a call has, and what is said if they are not there. */
#include <stdio.h>
#include <string.h>

#include "gate/steps.h"
#include "gate/toolkit.h"
#include "sandbox/native/programs.h"

const char *errand_rule(const struct passage *p, const char *what, char *ret, size_t room)
{
	(void)snprintf(ret, room, "tools.%s.%s", p->judged.tool->name, what);
	return ret;
}

enum verdict errand_fail(struct passage *p, const struct error *err)
{
	p->trouble = *err;
	(void)why_internal(&p->why, err);
	return step_deny(p);
}

enum verdict errand_not_installed(struct passage *p, const char *program)
{
	char rule[160];
	bool exec = p->judged.tool->exec.n > 0;

	/* Where the owner wrote the program's name, it may be a path of the host. */
	(void)why_deny(&p->why, WHY_FILE,
		       errand_rule(p, exec ? "exec" : "programs", rule, sizeof(rule)),
		       "%s%s%s is not installed here", exec ? "" : "'",
		       exec ? "the tool's program" : program, exec ? "" : "'");
	why_hint(&p->why, exec ? "tell the operator" : "do it with another program of this tool");
	why_retry(&p->why, 0);
	return step_deny(p);
}

static enum verdict say_none_installed(struct passage *p)
{
	char rule[160];

	(void)why_deny(&p->why, WHY_FILE, errand_rule(p, "programs", rule, sizeof(rule)),
		       "none of the tool's programs is installed here");
	why_hint(&p->why, "tell the operator");
	why_retry(&p->why, 0);
	return step_deny(p);
}

/* Of a tool that lists programs, where they are known already. */
static enum verdict add_known_programs(struct passage *p, struct profile *profile)
{
	const char *const *there;
	struct error err = {0};
	size_t n;

	if (toolkit_programs(p->toolkit, p->judged.tool, &there, &n, &err) < 0)
		return errand_fail(p, &err);
	for (size_t i = 0; i < n; i++)
		profile->programs[profile->n_programs++] = there[i];
	return GO_ON;
}

static bool is_listed(const struct profile *profile, const char *program)
{
	for (size_t i = 0; i < profile->n_programs; i++)
		if (strcmp(profile->programs[i], program) == 0)
			return true;
	return false;
}

static bool is_in(const struct words *wall, const char *program)
{
	for (size_t i = 0; i < wall->n; i++)
		if (strcmp(wall->word[i], program) == 0)
			return true;
	return false;
}

enum verdict errand_programs(struct passage *p, struct profile *profile)
{
	const struct tool *tool = p->judged.tool;
	const struct words *wall = tool->programs.n ? &tool->programs : NULL;
	const struct words only = {.word = tool->exec.word, .n = tool->exec.n ? 1 : 0};
	const char *root = tool->root ? tool->root : "";
	const char *first = p->judged.argv ? p->judged.argv[0] : "";

	if (!wall)
		wall = &only;
	if (wall->n + 1 > PROGRAMS_MAX) { /* one more: the shell */
		struct error err;

		(void)fail(&err, ERR_CONFIG, "tools.%s.programs: more than %d", tool->name,
			   PROGRAMS_MAX - 1);
		return errand_fail(p, &err);
	}
	if (p->toolkit) {
		if (add_known_programs(p, profile) != GO_ON)
			return STOP;
	} else {
		for (size_t i = 0; i < wall->n; i++)
			if (programs_exist(root, wall->word[i]))
				profile->programs[profile->n_programs++] = wall->word[i];
	}
	if (is_in(wall, first) && !is_listed(profile, first))
		return errand_not_installed(p, first);
	if (profile->n_programs == 0)
		return say_none_installed(p);
	if (p->shell)
		profile->programs[profile->n_programs++] = "sh";
	return GO_ON;
}
