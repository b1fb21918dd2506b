/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c - shows what is written inside a call to the screen, and takes what it made of it.
 *
 * Words that the owner wrote (exec) are not screened, and neither are values in
 * them: the policy said what they may be.
 */
#include <stdio.h>
#include <string.h>

#include "gate/steps.h"

static enum answer inspect_code(struct passage *p)
{
	struct judged *j = &p->judged;

	return screen_code(j->language, &j->tool->screen, j->code, j->code_len, &j->arena,
			   &p->findings, &p->why);
}

/* One plain command is run as it is.  Anything else needs a shell, which then sees only what the
 * reader wrote, never what came in. */
static enum answer take_reading(struct passage *p, const struct shell_reading *reading)
{
	struct judged *j = &p->judged;
	struct error err = {0};

	if (reading->simple) {
		j->argv = reading->argv;
		return j->argv && j->argv[0] ? ANSWER_ALLOW : why_internal(&p->why, &err);
	}
	j->argv = arena_array(&j->arena, 4, sizeof(*j->argv), &err);
	if (!j->argv || !reading->text)
		return why_internal(&p->why, &err);
	j->argv[0] = arena_str(&j->arena, "sh", &err);
	j->argv[1] = arena_str(&j->arena, "-c", &err);
	j->argv[2] = arena_str(&j->arena, reading->text, &err);
	p->shell = true;
	return j->argv[0] && j->argv[1] && j->argv[2] ? ANSWER_ALLOW : why_internal(&p->why, &err);
}

static enum answer inspect_line(struct passage *p)
{
	struct judged *j = &p->judged;
	struct shell_reading reading = {0};

	if (!j->command)
		return screen_argv(&j->tool->programs, &j->tool->screen, j->argv, &j->arena,
				   &p->findings, &p->why);
	if (screen_command(&j->tool->programs, &j->tool->screen, j->command, strlen(j->command),
			   &j->arena, &p->findings, &reading, &p->why) != ANSWER_ALLOW)
		return ANSWER_DENY;
	return take_reading(p, &reading);
}

static enum answer inspect(struct passage *p)
{
	const struct tool *tool = p->judged.tool;

	switch (tool->kind) {
	case KIND_CODE:
		return inspect_code(p);
	case KIND_COMMAND:
		return tool->exec.n ? ANSWER_ALLOW : inspect_line(p);
	case KIND_FETCH:
		return ANSWER_ALLOW;
	case KIND_NONE:
	case KIND_COUNT:
		break;
	}
	return ANSWER_DENY;
}

/* The kernel would refuse it later, and not say which. */
static enum answer check_size(struct passage *p)
{
	enum { WORD_MAX = (128 << 10) - 1, LINE_MAX = 1 << 20 };
	char **argv = p->judged.argv;
	size_t longest = 0, all = 0;
	char rule[160];

	for (size_t i = 0; argv && argv[i]; i++) {
		size_t len = strlen(argv[i]);

		longest = len > longest ? len : longest;
		all += len + 1;
	}
	if (longest <= WORD_MAX && all <= LINE_MAX)
		return ANSWER_ALLOW;
	(void)snprintf(rule, sizeof(rule), "tools.%s.args", p->judged.tool->name);
	(void)why_deny(&p->why, WHY_LIMIT, rule,
		       "the command line has %zu bytes, and %zu in its longest word; a program is "
		       "given at most %d and %d",
		       all, longest, LINE_MAX, WORD_MAX);
	why_hint(&p->why, "send less, or large text as the call's stdin if the tool takes it");
	return ANSWER_DENY;
}

/* A rule that is a setting of the tool's is named by its place in the file, as all others are; the
 * screen knows nothing of tools. */
static void name_rule(struct passage *p)
{
	char rule[sizeof(p->why.rule)];

	if (strcmp(p->why.rule, "programs") != 0 && strncmp(p->why.rule, "screen.", 7) != 0)
		return;
	memcpy(rule, p->why.rule, sizeof(rule));
	(void)snprintf(p->why.rule, sizeof(p->why.rule), "tools.%.64s.%.40s", p->judged.tool->name,
		       rule);
}

enum verdict step_screen(struct passage *p)
{
	if (p->bare)
		return check_size(p) == ANSWER_ALLOW ? GO_ON : step_deny(p);
	if (inspect(p) == ANSWER_ALLOW && check_size(p) == ANSWER_ALLOW)
		return GO_ON;
	name_rule(p);
	return step_deny(p);
}
