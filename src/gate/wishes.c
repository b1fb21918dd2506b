/* SPDX-License-Identifier: Apache-2.0 */
/* wishes.c - what a caller wants of one call beside its arguments, and whether it may.
 *
 * Limits only become narrower.  Variables are refused unless the tool names
 * them (env_allow), and never replace the owner's own.  Where the owner wrote
 * the command line (exec), files in its directory and a standard input could make
 * it mean something else: neither comes in.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"
#include "gate/steps.h"
#include "sandbox/native/copyin.h"

enum { VALUE_MAX = 32768 };

__attribute__((format(printf, 3, 4))) static enum verdict
refuse(struct passage *p, const char *what, const char *fmt, ...)
{
	char rule[160], text[300];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	(void)snprintf(rule, sizeof(rule), "tools.%s.%s", p->judged.tool->name, what);
	(void)why_deny(&p->why, WHY_POLICY, rule, "%s", text);
	return step_deny(p);
}

/* Limits. */

static void limit_text(const struct limit_row *row, uint64_t value, char *ret, size_t room)
{
	if (row->unit == UNIT_MS && value % 1000 == 0)
		(void)snprintf(ret, room, "%" PRIu64 " s", value / 1000);
	else if (row->unit == UNIT_MS)
		(void)snprintf(ret, room, "%" PRIu64 " ms", value);
	else if (row->unit == UNIT_BYTES)
		text_human_bytes(value, ret, room);
	else
		(void)snprintf(ret, room, "%" PRIu64, value);
}

static enum verdict refuse_limit(struct passage *p, const struct limit_row *row, const char *than,
				 uint64_t bound)
{
	char what[60], text[40];

	(void)snprintf(what, sizeof(what), "limits.%s", row->name);
	limit_text(row, bound, text, sizeof(text));
	return refuse(p, what, "limits.%s: %s %s", row->name, than, text);
}

static enum verdict narrow(struct passage *p)
{
	const struct wishes *w = &p->wishes;
	const struct limits *most = &p->judged.tool->limits;

	p->limits = *most;
	for (size_t i = 0; i < limit_row_count; i++) {
		const struct limit_row *row = &limit_rows[i];
		uint64_t value = limits_get(&w->limits, row);

		if (!(w->limits_set & 1u << i))
			continue;
		if (value > limits_get(most, row))
			return refuse_limit(p, row, "at most", limits_get(most, row));
		if (value < row->min)
			return refuse_limit(p, row, "at least", row->min);
		memcpy((char *)&p->limits + row->offset, &value, sizeof(value));
	}
	return GO_ON;
}

/* Variables. */

static bool may_set(const struct tool *tool, const char *name)
{
	for (size_t i = 0; i < tool->env_allow.n; i++)
		if (strcmp(tool->env_allow.word[i], name) == 0)
			return true;
	return false;
}

static enum verdict look_at_variables(struct passage *p)
{
	const struct wishes *w = &p->wishes;

	for (size_t i = 0; i < w->n_env; i++) {
		char name[80];

		text_one_line(w->env[i].name, name, sizeof(name));
		if (!may_set(p->judged.tool, w->env[i].name)) {
			(void)refuse(p, "env_allow", "a caller may not set the variable '%.60s'",
				     name);
			why_hint(&p->why, "leave it out, or set it in the program itself");
			return STOP;
		}
		if (strlen(w->env[i].value) > VALUE_MAX)
			return refuse(p, "env_allow", "the variable '%.60s' is too long", name);
	}
	return GO_ON;
}

/* Files. */

static enum verdict look_at_files(struct passage *p)
{
	const struct tool *tool = p->judged.tool;
	const struct wishes *w = &p->wishes;
	struct error err = {0};
	uint64_t bytes = 0;

	if (w->n_files && tool->exec.n)
		return refuse(p, "exec", "this tool takes no files");
	if (w->input_fd >= 0 && tool->exec.n)
		return refuse(p, "input", "this tool's standard input is not the caller's");
	for (size_t i = 0; i < w->n_files; i++) {
		bytes += w->files[i].len;
		if (copyin_check_path(w->files[i].inside, &err) < 0) {
			(void)refuse(p, "files", "%.200s", err.text);
			why_hint(&p->why, "give a name beneath /work, such as data/input.csv");
			return STOP;
		}
		if (bytes > p->limits.disk_bytes)
			return refuse(p, "limits.disk",
				      "the files have more bytes than the box's disk");
	}
	return GO_ON;
}

static enum verdict look_at_artifacts(struct passage *p)
{
	const struct wishes *w = &p->wishes;

	if (w->n_artifacts && !p->judged.tool->artifacts.allow)
		return refuse(p, "artifacts.allow", "no files come out of this tool");
	for (size_t i = 0; i < w->n_artifacts; i++)
		if (w->artifacts[i][0] == '\0' || w->artifacts[i][0] == '/' ||
		    strstr(w->artifacts[i], "..")) {
			(void)refuse(p, "artifacts", "a pattern for files is relative to /work");
			why_hint(&p->why, "give a pattern such as out/*.png");
			return STOP;
		}
	return GO_ON;
}

enum verdict step_wishes(struct passage *p)
{
	if (narrow(p) != GO_ON)
		return STOP;
	p->wished = true;
	return look_at_variables(p) == GO_ON && look_at_files(p) == GO_ON &&
			       look_at_artifacts(p) == GO_ON
		       ? GO_ON
		       : STOP;
}
