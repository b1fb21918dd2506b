/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit.c - what a process that serves many calls keeps of each tool between them. */
#include "gate/toolkit.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "gate/steps.h"
#include "sandbox/native/programs.h"

int toolkit_open(struct toolkit *k, const struct policy *policy, const struct redact_means *means,
		 struct error *err)
{
	*k = (struct toolkit){.policy = policy, .means = *means};
	k->tools = calloc(policy->n_tools + 1, sizeof(*k->tools));
	return k->tools ? 0 : fail_sys(err, "keep what tools need");
}

static void forget_redaction(struct tool_kept *t)
{
	redaction_done(&t->redaction);
	free(t->stamps);
	t->stamps = NULL;
}

void toolkit_close(struct toolkit *k)
{
	for (size_t i = 0; k->tools && i <= k->policy->n_tools; i++) {
		forget_redaction(&k->tools[i]);
		free(k->tools[i].programs);
	}
	free(k->tools);
	*k = (struct toolkit){0};
}

static struct tool_kept *find(struct toolkit *k, const struct tool *tool)
{
	return &k->tools[tool ? (size_t)(tool - k->policy->tools) : k->policy->n_tools];
}

/* Secrets. */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mode == b->st_mode && a->st_uid == b->st_uid &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Are its secrets those that were read?  Looked at before they are read, so that a change meanwhile
 * is seen the next time. */
static bool look_at_secrets(const struct tool *tool, struct stat *stamps)
{
	bool same = true;

	for (size_t i = 0; tool && i < tool->n_secrets; i++) {
		struct stat now = {0};

		if (stat(tool->secrets[i].file, &now) < 0)
			same = false;
		else
			same = is_same_file(&now, &stamps[i]) && same;
		stamps[i] = now;
	}
	return same;
}

static int make(struct toolkit *k, const struct tool *tool, struct tool_kept *t, struct error *err)
{
	static const struct tool any = {.name = ""};

	forget_redaction(t);
	t->stamps = calloc((tool ? tool->n_secrets : 0) + 1, sizeof(*t->stamps));
	if (!t->stamps)
		return fail_sys(err, "keep secrets");
	(void)look_at_secrets(tool, t->stamps);
	if (redaction_make(&t->redaction, tool ? tool : &any, &k->means, err) == 0)
		return 0;
	forget_redaction(t);
	return -1;
}

int toolkit_redaction(struct toolkit *k, const struct tool *tool, struct redaction *ret,
		      struct error *err)
{
	struct tool_kept *t = find(k, tool);

	if ((t->redaction.state != REDACTION_READY || !look_at_secrets(tool, t->stamps)) &&
	    make(k, tool, t, err) < 0)
		return -1;
	*ret = (struct redaction){
		.state = REDACTION_READY,
		.borrowed = true,
		.set = t->redaction.set,
		.secrets = t->redaction.secrets,
		.n_secrets = t->redaction.n_secrets,
	};
	return 0;
}

/* Programs. */

int toolkit_programs(struct toolkit *k, const struct tool *tool, const char *const **ret,
		     size_t *ret_n, struct error *err)
{
	struct tool_kept *t = find(k, tool);
	const struct words *wall = tool->programs.n ? &tool->programs : &tool->exec;
	size_t n = tool->programs.n ? wall->n : wall->n > 0;
	const char *root = tool->root ? tool->root : "";

	if (!t->programs) {
		t->programs = calloc(n + 1, sizeof(*t->programs));
		if (!t->programs)
			return fail_sys(err, "keep the names of programs");
		for (size_t i = 0; i < n; i++)
			if (programs_exist(root, wall->word[i]))
				t->programs[t->n_programs++] = wall->word[i];
	}
	*ret = t->programs;
	*ret_n = t->n_programs;
	return 0;
}

void toolkit_warm(struct toolkit *k)
{
	for (size_t i = 0; i <= k->policy->n_tools; i++) {
		const struct tool *tool = i < k->policy->n_tools ? &k->policy->tools[i] : NULL;
		const char *const *programs;
		struct redaction borrowed;
		struct error err = {0};
		size_t n;

		if (toolkit_redaction(k, tool, &borrowed, &err) == 0 && borrowed.set)
			(void)redact_set_warm(borrowed.set, &err);
		if (tool)
			(void)toolkit_programs(k, tool, &programs, &n, &err);
	}
}
