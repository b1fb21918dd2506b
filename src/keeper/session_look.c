/* SPDX-License-Identifier: Apache-2.0 */
/* session_look.c - what a session is: its processes, what it has used, when it ends. */
#include <stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/record.h"
#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "call/language.h"
#include "call/limits.h"
#include "keeper/session_state.h"

enum { ANSWER_MAX = 256 << 10 };

const char *session_end_name(enum session_end e)
{
	static const char *const names[SESSION_END_COUNT] = {
		[SESSION_OPEN] = "open",       [SESSION_CLOSED] = "closed", [SESSION_TTL] = "ttl",
		[SESSION_IDLE] = "idle",       [SESSION_BOX] = "box_over",  [SESSION_LOST] = "lost",
		[SESSION_LEFT] = "front_gone", [SESSION_BUDGET] = "budget",
	};

	return e < SESSION_END_COUNT ? names[e] : "lost";
}

/* The id of the one that was asked for: what a program started belongs to it. */
static const char *exec_id(const struct session *s, uint64_t exec)
{
	for (size_t i = 0; exec && i < SESSION_RUNS_MAX; i++)
		if (s->runs[i] && s->runs[i]->exec == exec)
			return s->runs[i]->doing->passage.id;
	return NULL;
}

static const char *interpreter(const struct session *s, uint64_t exec)
{
	for (size_t i = 0; exec && i < SESSION_DRIVERS; i++)
		if (s->drivers[i].exec == exec)
			return s->drivers[i].language->name;
	return NULL;
}

static void write_process(struct doing *d, struct jsonout *j, const struct kept_process *p)
{
	char state[2] = {p->state >= ' ' && p->state <= '~' ? p->state : '?', '\0'};
	own_str name = doing_clean(d, p->name, strnlen(p->name, sizeof(p->name)));

	jsonout_object(j, NULL);
	jsonout_int(j, "pid", p->pid);
	jsonout_int(j, "parent", p->parent);
	jsonout_str(j, "name", name);
	jsonout_str(j, "state", state);
	jsonout_uint(j, "cpu_ms", p->cpu_ms);
	jsonout_uint(j, "memory_bytes", p->memory_bytes);
	jsonout_str(j, "exec", exec_id(d->session, p->exec));
	jsonout_str(j, "interpreter", interpreter(d->session, p->exec));
	jsonout_object_end(j);
}

static void answer_processes(struct doing *d, const struct kept_process *list, size_t n)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	jsonout_array(&a.j, "processes");
	for (size_t i = 0; i < n; i++)
		write_process(d, &a.j, &list[i]);
	jsonout_array_end(&a.j);
	jsonout_str(&a.j, "session", d->session->id);
	jsonout_str(&a.j, "request_id", d->request.request_id);
	receipt_json(&d->passage.receipt, &a.j, "receipt");
	answering_send(&a, d->session->k, &d->request, &reply);
}

void obey_processes(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d = doing_new(s, r, ACTION_PROCESSES);
	own_mem struct kept_process *list = calloc(KEPT_PROCESSES_MAX, sizeof(*list));
	struct error err = {0};
	size_t n = 0;
	int result;

	(void)body;
	if (!d)
		return;
	d->passage.bare = true;
	d->args = json_object();
	if (!doing_enter(d))
		return;
	result =
		list ? kept_processes(&s->kept, list, &n, &err) : fail_sys(&err, "room for a list");
	doing_record(d, result, &err);
	if (result == 0)
		answer_processes(d, list, n);
	else
		answer_problem(s->k, r, 500, "internal", "the box did not answer", NULL);
	doing_free(d);
}

/* The session itself. */

static void write_time(struct jsonout *j, const char *key, uint64_t ms)
{
	char text[RECORD_TIME];

	record_time(ms, text);
	jsonout_str(j, key, text);
}

static void write_usage(struct session *s, struct jsonout *j)
{
	struct usage u = s->box.usage;
	struct error ignored;

	if (s->end == SESSION_OPEN && kept_usage(&s->kept, &u, &ignored) < 0) {
		jsonout_null(j, "usage");
		return;
	}
	jsonout_object(j, "usage");
	jsonout_uint(j, "cpu_ms", (u.cpu_user_us + u.cpu_system_us) / 1000);
	jsonout_uint(j, "memory_peak_bytes", u.memory_peak_bytes);
	jsonout_uint(j, "processes_peak", u.processes_peak);
	jsonout_uint(j, "disk_peak_bytes", u.disk_peak_bytes);
	jsonout_object_end(j);
}

static void write_running(const struct session *s, struct jsonout *j)
{
	jsonout_array(j, "running");
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
		if (s->runs[i])
			jsonout_str(j, NULL, s->runs[i]->doing->passage.id);
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		if (s->drivers[i].doing)
			jsonout_str(j, NULL, s->drivers[i].doing->passage.id);
	jsonout_array_end(j);
}

static void write_interpreters(const struct session *s, struct jsonout *j)
{
	jsonout_array(j, "interpreters");
	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		const struct driver *d = &s->drivers[i];

		if (!d->exec)
			continue;
		jsonout_object(j, NULL);
		jsonout_str(j, "language", d->language->name);
		jsonout_bool(j, "ready", d->ready);
		jsonout_str(j, "how", start_how_name(d->start.how));
		jsonout_str(j, "why_cold", d->start.why_cold[0] ? d->start.why_cold : NULL);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

void session_write(struct session *s, struct jsonout *j)
{
	jsonout_str(j, "id", s->id);
	jsonout_str(j, "state", session_end_name(s->end));
	jsonout_str(j, "tool", s->tool->name);
	jsonout_str(j, "client", s->client);
	if (s->forked_from[0])
		jsonout_str(j, "forked_from", s->forked_from);
	jsonout_str(j, "language", s->language);
	write_time(j, "opened", s->opened_ms);
	write_time(j, "expires", s->opened_ms + (s->ends_us - s->opened_us) / 1000);
	jsonout_uint(j, "idle_ms", s->idle_ms);
	jsonout_object(j, "limits");
	for (size_t i = 0; i < limit_row_count; i++)
		jsonout_uint(j, limit_rows[i].key, limits_get(&s->limits, &limit_rows[i]));
	jsonout_object_end(j);
	write_running(s, j);
	write_interpreters(s, j);
	write_usage(s, j);
}

static void answer_session(struct session *s, const struct keep_request *r, const struct passage *p)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	session_write(s, &a.j);
	jsonout_str(&a.j, "request_id", r->request_id);
	if (p)
		receipt_json(&p->receipt, &a.j, "receipt");
	answering_send(&a, s->k, r, &reply);
}

void obey_describe(struct session *s, const struct keep_request *r, const struct buf *body)
{
	(void)body;
	answer_session(s, r, NULL);
}

/* Longer, but never beyond what the tool allows from its beginning on. */

static uint64_t asked_ms(const json_t *value)
{
	struct error ignored;
	uint64_t ms = 0;

	if (json_is_integer(value))
		return (uint64_t)json_integer_value(value);
	(void)text_parse_ms(json_string_value(value), &ms, &ignored);
	return ms;
}

static int prolong(struct session *s, uint64_t ms, struct error *err)
{
	uint64_t now = clock_us(), last = s->opened_us + session_ttl_ms(s->tool) * 1000;
	uint64_t left = last > now ? (last - now) / 1000 : 0;

	if (ms > left)
		return fail(err, ERR_REFUSED,
			    "at most %llu ms more: a session of this tool ends then",
			    (unsigned long long)left);
	if (kept_extend(&s->kept, ms, err) < 0)
		return -1;
	s->ends_us = now + ms * 1000;
	return 0;
}

void obey_extend(struct session *s, const struct keep_request *r, const struct buf *body)
{
	json_t *value = answer_body(s->k, r, body, "extend");
	struct doing *d = value ? doing_new(s, r, ACTION_EXTEND) : NULL;
	struct error err = {0};
	int result;

	if (!d) {
		json_decref(value);
		return;
	}
	d->passage.bare = true;
	d->args = value;
	if (!doing_enter(d))
		return;
	result = prolong(s, asked_ms(json_object_get(value, "ttl")), &err);
	doing_record(d, result, &err);
	if (result == 0)
		answer_session(s, r, &d->passage);
	else
		answer_problem(s->k, r, err.kind == ERR_REFUSED ? 403 : 500,
			       err.kind == ERR_REFUSED ? "forbidden" : "internal",
			       err.kind == ERR_REFUSED ? err.text : "the box did not answer", NULL);
	doing_free(d);
}
