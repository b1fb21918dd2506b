/* SPDX-License-Identifier: Apache-2.0 */
/* keepfacts.c - what the front counts of a call: numbers, and names that are bounded. */
#include "keeper/keepfacts.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

enum { RULES_MAX = 512 };

/* Under its name, as long as there is a place; the sum of all has it anyway. */
static void count(struct keep_count list[KEEP_COUNTS], const char *name, uint64_t n)
{
	for (size_t i = 0; i < KEEP_COUNTS && strlen(name) < KEEP_COUNT_ROOM; i++) {
		if (list[i].name[0] == '\0')
			text_copy(name, list[i].name, sizeof(list[i].name));
		if (strcmp(list[i].name, name) == 0) {
			list[i].n += n;
			return;
		}
	}
}

void facts_found(const struct findings *found, struct keep_facts *ret)
{
	ret->findings = found->n;
	for (size_t i = 0; i < found->n; i++)
		count(ret->found, found->list[i].rule, 1);
}

static void count_redactions(const struct passage *p, struct keep_facts *ret)
{
	struct redact_count counts[RULES_MAX];
	size_t n = redaction_counts(&p->redaction, counts, ARRAY_LEN(counts));

	for (size_t i = 0; i < n && i < ARRAY_LEN(counts); i++) {
		ret->redactions += counts[i].count;
		count(ret->redacted, counts[i].id, counts[i].count);
	}
}

static void fill_account(const struct account *a, struct keep_facts *f)
{
	const struct usage *u = &a->outcome.usage;

	f->status = a->status;
	f->kill_reason = a->outcome.killed_for;
	f->setup_us = a->outcome.setup_us;
	f->run_us = a->outcome.run_us;
	f->cpu_us = u->cpu_user_us + u->cpu_system_us;
	f->memory_peak_bytes = u->memory_peak_bytes;
	f->output_bytes = a->out.seen + a->err.seen;
	f->cut_bytes = (a->out.truncated ? a->out.seen - a->out.kept.len : 0) +
		       (a->err.truncated ? a->err.seen - a->err.kept.len : 0);
}

static void fill_start(const struct start *s, struct keep_facts *f)
{
	bool came_out = s->how == START_FORKED || s->how == START_WAITING;

	f->start = s->how;
	f->wanted = came_out || s->why_cold[0] != '\0';
	if (came_out && s->interpreter_age_ms < UINT64_MAX / 1000)
		f->interpreter_age_us = s->interpreter_age_ms * 1000;
}

void facts_fill(const struct passage *p, struct keep_facts *f)
{
	fill_account(&p->account, f);
	if (p->ran)
		fill_start(&p->account.outcome.start, f);
	f->decision = p->decision;
	f->judged = 1;
	f->ran = p->ran;
	f->layer = p->why.layer;
	count_redactions(p, f);
	facts_found(&p->findings, f);
	if (p->judged.tool)
		text_copy(p->judged.tool->name, f->tool, sizeof(f->tool));
	if (p->why.layer != WHY_NONE)
		(void)snprintf(f->rule, sizeof(f->rule), "%.*s", (int)sizeof(f->rule) - 1,
			       p->why.rule);
}
