/* SPDX-License-Identifier: Apache-2.0 */
/* viewceiling.c - the most that the tools of a policy can ask for, as lines for the warden.
 *
 * The union over all tools: the warden does not know them, and holds whoever
 * asks to what some tool may have.  What no tool has, nobody gets.
 */
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "call/limits.h"
#include "keeper/view.h"
#include "lib/wardentalk.h"
#include "sandbox/ceiling.h"

#define DAY_MS UINT64_C(86400000)

static bool runs(const struct tool *t)
{
	return t->kind == KIND_CODE || t->kind == KIND_COMMAND;
}

/* Numbers. */

static uint64_t most_of(const struct policy *p, const struct limit_row *row)
{
	uint64_t most = row->min;

	for (size_t i = 0; i < p->n_tools; i++) {
		uint64_t n = limits_get(&p->tools[i].limits, row);

		most = runs(&p->tools[i]) && n > most ? n : most;
	}
	return most;
}

/* Keepers of the policy before this one may still be at work: their slots count, too. */
static int add_numbers(const struct policy *p, struct buf *ret, struct error *err)
{
	uint64_t slots = 2ULL * WARDEN_KEEPER_SLOTS * view_concurrency(p) + p->serve.sessions +
			 2 * view_sessions_ready(p);
	uint64_t ttl = 0;

	if (slots > CEILING_SLOTS_MAX)
		slots = CEILING_SLOTS_MAX;
	if (buf_printf(ret, err, "slots %" PRIu64 "\n", slots) < 0)
		return -1;
	for (size_t i = 0; i < limit_row_count; i++)
		if (buf_printf(ret, err, "limit %s %" PRIu64 "\n", limit_rows[i].key,
			       most_of(p, &limit_rows[i])) < 0)
			return -1;
	for (size_t i = 0; i < p->n_tools; i++)
		if (p->tools[i].sessions.allow && p->tools[i].sessions.ttl_ms > ttl)
			ttl = p->tools[i].sessions.ttl_ms;
	if (ttl == 0)
		return 0;
	if (ttl > DAY_MS)
		ttl = DAY_MS;
	/* A kept box may be busy all its life. */
	return buf_printf(ret, err, "session_wall_ms %" PRIu64 "\nsession_cpu_ms %" PRIu64 "\n",
			  ttl, ttl);
}

/* Paths. */

static int add_path(struct buf *ret, const char *word, const char *path, size_t len,
		    struct error *err)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (memchr(path, '\n', len))
		return fail(err, ERR_CONFIG, "a path with a newline in it cannot be granted");
	return buf_printf(ret, err, "%s %.*s\n", word, (int)len, path);
}

size_t view_fixed_part(const char *source)
{
	size_t len = strcspn(source, "*?[\\");

	if (source[len] == '\0')
		return len;
	while (len > 1 && source[len - 1] != '/')
		len--;
	return len;
}

static int add_arguments(const struct arg_rules *rules, struct buf *ret, struct error *err);

static int add_argument(const struct arg_rule *r, struct buf *ret, struct error *err)
{
	for (size_t i = 0; i < r->under.n; i++)
		if (add_path(ret, "under", r->under.word[i], strlen(r->under.word[i]), err) < 0)
			return -1;
	if (r->items && add_argument(r->items, ret, err) < 0)
		return -1;
	return add_arguments(&r->fields, ret, err);
}

static int add_arguments(const struct arg_rules *rules, struct buf *ret, struct error *err)
{
	for (size_t i = 0; i < rules->n; i++)
		if (add_argument(&rules->rule[i], ret, err) < 0)
			return -1;
	return 0;
}

static int add_places(const struct tool *t, struct buf *ret, struct error *err)
{
	if (add_path(ret, "root", t->root ? t->root : "host", strlen(t->root ? t->root : "host"),
		     err) < 0)
		return -1;
	for (size_t i = 0; i < t->n_mounts; i++) {
		const struct mount_rule *m = &t->mounts[i];

		if (add_path(ret, m->write ? "write" : "read", m->source,
			     m->inside ? strlen(m->source) : view_fixed_part(m->source), err) < 0)
			return -1;
	}
	return add_arguments(&t->args, ret, err);
}

/* What waits. */

static int add_runtime(const struct runtime *r, struct buf *ret, struct error *err)
{
	if (buf_printf(ret, err, "warm %s %s\n", warm_kind_name(r->language), r->program) < 0)
		return -1;
	for (size_t i = 0; i < r->modules.n; i++)
		if (buf_printf(ret, err, "warm_module %s\n", r->modules.word[i]) < 0)
			return -1;
	for (size_t i = 0; i < r->env.n; i++)
		if (buf_printf(ret, err, "warm_env %s\n", r->env.word[i]) < 0)
			return -1;
	return buf_printf(ret, err, "warm_calls %" PRIu64 "\nwarm_age_ms %" PRIu64 "\n", r->calls,
			  r->age_ms);
}

static bool is_used_before(const struct policy *p, size_t tool, enum warm_kind kind)
{
	for (size_t i = 0; i < tool; i++)
		if (p->tools[i].warm && p->tools[i].runtimes[kind] == p->tools[tool].runtimes[kind])
			return true;
	return false;
}

/* Each once, of tools that let it wait. */
static int add_runtimes(const struct policy *p, struct buf *ret, struct error *err)
{
	for (size_t i = 0; i < p->n_tools; i++)
		for (int k = WARM_NOT + 1; k < WARM_COUNT && p->tools[i].warm; k++)
			if (p->tools[i].runtimes[k] && !is_used_before(p, i, (enum warm_kind)k) &&
			    add_runtime(p->tools[i].runtimes[k], ret, err) < 0)
				return -1;
	return 0;
}

static int add_switches(const struct policy *p, struct buf *ret, struct error *err)
{
	bool loopback = false, proc_full = false;

	for (size_t i = 0; i < p->n_tools; i++) {
		loopback |= p->tools[i].loopback;
		proc_full |= p->tools[i].proc_full;
	}
	if ((loopback && buf_add_str(ret, "loopback yes\n", err) < 0) ||
	    (proc_full && buf_add_str(ret, "proc_full yes\n", err) < 0))
		return -1;
	for (int i = 0; i < LAYER_COUNT; i++)
		if (p->allow_degraded & 1u << i &&
		    buf_printf(ret, err, "degraded %s\n", layer_name((enum layer)i)) < 0)
			return -1;
	return 0;
}

int view_ceiling(const struct policy *p, struct buf *ret, struct error *err)
{
	if (add_numbers(p, ret, err) < 0)
		return -1;
	for (size_t i = 0; i < p->n_tools; i++)
		if (runs(&p->tools[i]) && add_places(&p->tools[i], ret, err) < 0)
			return fail_in(err, "tools.%s", p->tools[i].name);
	if (add_switches(p, ret, err) < 0 || add_runtimes(p, ret, err) < 0)
		return -1;
	return ret->cut ? fail(err, ERR_CONFIG, "the policy grants more paths than fit") : 0;
}
