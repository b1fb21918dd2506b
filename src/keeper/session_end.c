/* SPDX-License-Identifier: Apache-2.0 */
/* session_end.c - a session ends: everything in it dies, is answered and written down. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "gate/steps.h"
#include "keeper/session_state.h"

enum { OVER_MAX = 64 << 10 };

/* What became of those that ran when it ended. */
static void fill_outcome(const struct session *s, uint64_t began_us, struct outcome *ret)
{
	*ret = (struct outcome){.end = END_SIGNALLED, .signal = SIGKILL};
	ret->run_us = clock_us() - began_us;
	switch (s->end) {
	case SESSION_TTL:
		ret->killed_for = KILL_WALL;
		return;
	case SESSION_BOX:
		ret->killed_for = s->box.killed_for ? s->box.killed_for : KILL_SIGNAL;
		return;
	case SESSION_BUDGET:
		ret->killed_for = KILL_CPU;
		return;
	case SESSION_LOST:
		ret->end = END_UNKNOWN;
		(void)fail(&ret->error, ERR_SYSTEM, "its end was not seen");
		return;
	case SESSION_OPEN:
	case SESSION_CLOSED:
	case SESSION_IDLE:
	case SESSION_LEFT:
	case SESSION_END_COUNT:
		break;
	}
	ret->killed_for = KILL_CANCELLED;
}

static void end_runs(struct session *s)
{
	struct outcome o;

	for (size_t i = 0; i < SESSION_RUNS_MAX; i++) {
		struct kept_end end = {0};

		if (!s->runs[i])
			continue;
		fill_outcome(s, s->runs[i]->began_us, &o);
		end.exec = s->runs[i]->exec;
		end.outcome = o;
		(void)run_ended(s, &end);
	}
	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		fill_outcome(s, s->drivers[i].began_us, &o);
		driver_abandon(s, &s->drivers[i], &o);
	}
	fork_resume(s);
}

/* The record of the end, with what the whole session has used.  It is its owner's, whoever asked:
 * somebody who may end sessions need not be one who may have them.  NULL: none could be made. */
static struct doing *record_end(struct session *s, const struct keep_request *asked,
				uint64_t all_us)
{
	struct keep_request r = asked ? *asked : (struct keep_request){0};
	struct doing *d;
	struct passage *p;

	r.has_uid = s->has_uid;
	r.uid = s->uid;
	memcpy(r.client, s->client, sizeof(r.client));
	d = doing_new(s, &r, ACTION_CLOSE);
	if (!d)
		return NULL;
	p = &d->passage;
	p->bare = true;
	d->args = json_pack("{s:s, s:s?}", "by", session_end_name(s->end), "client",
			    asked ? asked->client : NULL);
	p->call.args = d->args;
	if (!d->args || !gate_enter(p)) {
		gate_leave(p);
		answer_counts(s->k, p);
		doing_free(d);
		return NULL;
	}
	account_init(&p->account, &s->limits);
	memcpy(p->account.id, p->id, sizeof(p->account.id));
	p->account.outcome = s->box;
	p->account.outcome.end = END_EXITED;
	p->account.outcome.exit_code = 0;
	p->account.outcome.run_us = clock_us() - s->opened_us;
	p->account.outcome.error = (struct error){0};
	account_judge(&p->account);
	p->ran = true;
	doing_bill(d, all_us);
	gate_leave(p);
	answer_counts(s->k, p);
	return d;
}

static void write_over(struct session *s, struct doing *d, struct buf *out)
{
	struct error err = {0};
	struct jsonout j;

	jsonout_start(&j, out, &err);
	jsonout_object(&j, NULL);
	session_write(s, &j);
	jsonout_str(&j, "kill_reason", kill_reason_name(s->box.killed_for));
	if (d) {
		jsonout_str(&j, "request_id", d->request.request_id);
		receipt_json(&d->passage.receipt, &j, "receipt");
	}
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		out->len = 0;
}

/* For whoever asks for it later. */
static const char *end_words(const struct session *s)
{
	switch (s->end) {
	case SESSION_TTL:
		return "its time was used up (ttl)";
	case SESSION_IDLE:
		return "nothing was asked of it for too long (idle)";
	case SESSION_BUDGET:
		return "its client's processor time was used up, and it worked on (budget)";
	case SESSION_BOX:
		return s->box.killed_for == KILL_MEMORY ? "its box used too much memory"
							: "its box ended";
	case SESSION_OPEN:
	case SESSION_CLOSED:
	case SESSION_LOST:
	case SESSION_LEFT:
	case SESSION_END_COUNT:
		break;
	}
	return "its end was not seen";
}

static void say_over(struct session *s, const struct buf *out)
{
	struct keep_reply reply = {
		.kind = KEEP_OVER,
		.content = CONTENT_JSON,
		.facts = {.records = s->k->records, .last_index = s->k->last_index},
	};
	struct error ignored;

	memcpy(reply.id, s->id, sizeof(reply.id));
	(void)snprintf(reply.facts.rule, sizeof(reply.facts.rule), "%s", end_words(s));
	(void)keep_send_reply(s->k->front, &reply, out->data, out->len, &ignored);
}

static void finish(struct session *s, const struct keep_request *asked)
{
	struct keep_reply reply = {0};
	struct error ignored;
	struct doing *d;
	uint64_t all_us;
	own(buf) out;

	buf_init(&out, OVER_MAX);
	/* Where its group is gone already, its account has what that had counted. */
	if (kept_cpu_us(&s->kept, &all_us) < 0)
		all_us =
			s->kept.cpu < 0 ? 0 : s->box.usage.cpu_user_us + s->box.usage.cpu_system_us;
	if (s->end != SESSION_BOX && s->end != SESSION_LOST)
		(void)kept_usage(&s->kept, &s->box.usage, &ignored);
	kept_close(&s->kept);
	end_runs(s);
	d = record_end(s, asked, all_us);
	write_over(s, d, &out);
	if (asked)
		answer_json(s->k, asked, &reply, &out);
	else if (s->end != SESSION_LEFT)
		say_over(s, &out);
	doing_free(d);
	s->finished = true;
}

void obey_close(struct session *s, const struct keep_request *r, const struct buf *body)
{
	(void)body;
	s->end = SESSION_CLOSED;
	finish(s, r);
}

void session_finish(struct session *s)
{
	if (s->end == SESSION_OPEN)
		s->end = SESSION_LEFT;
	if (!s->finished)
		finish(s, NULL);
}
