/* SPDX-License-Identifier: Apache-2.0 */
/* session_doing.c - what is asked of a session, one thing at a time: judged, written down,
 * answered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "call/limits.h"
#include "gate/steps.h"
#include "keeper/session_state.h"
#include "keeper/shapes.h"

enum { BEGUN_MAX = 4096, ANSWER_USUAL = 4000 };

/* What an answer says beside what every call's says. */
static void write_more(const void *context, struct jsonout *j)
{
	const struct doing *d = context;

	jsonout_str(j, "session", d->session->id);
	jsonout_str(j, "action", action_name(d->passage.action));
	if (!d->is_snippet)
		return;
	jsonout_uint(j, "snippet", d->snippet);
	jsonout_str(j, "result", d->result);
	jsonout_bool(j, "state_lost", d->state_lost);
}

struct doing *doing_new(struct session *s, const struct keep_request *r, enum action action)
{
	struct doing *d = calloc(1, sizeof(*d));
	struct keeper *k = s->k;
	struct passage *p;

	if (!d) {
		answer_problem(k, r, 500, "internal", "there is no memory for it", NULL);
		return NULL;
	}
	p = &d->passage;
	passage_init(p);
	p->judged.untold = true;
	d->session = s;
	d->request = *r;
	d->since_us = clock_us();
	p->policy = k->policy;
	p->means = k->means;
	p->meter = k->meter;
	p->audit = k->has_audit ? &k->audit : NULL;
	p->from_afar = !r->has_uid;
	p->action = action;
	p->session = s->id;
	if (s->redaction.state == REDACTION_READY) {
		p->redaction = s->redaction;
		p->redaction.borrowed = true;
	}
	p->more = write_more;
	p->more_context = d;
	p->live_out.hear = doing_hear_out;
	p->live_err.hear = doing_hear_err;
	p->live_out.context = p->live_err.context = d;
	p->call = (struct tool_call){d->request.client, r->uid, s->tool ? s->tool->name : "", NULL};
	return d;
}

void doing_free(struct doing *d)
{
	if (!d)
		return;
	passage_done(&d->passage);
	callbody_done(&d->body);
	json_decref(d->args);
	free(d->result);
	free(d);
}

char *doing_clean(struct doing *d, const char *text, size_t len)
{
	struct error err = {0};
	size_t n;

	return redaction_clean(&d->passage, text, len, &n, &err);
}

/* What the front is told when it runs, and whoever follows it hears first. */
static int write_start(const struct doing *d, struct buf *out, struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "id", d->passage.id);
	jsonout_str(&j, "request_id", d->request.request_id);
	jsonout_str(&j, "session", d->session->id);
	receipt_json(&d->passage.receipt_started, &j, "receipt");
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

/* The answer. */

static void answer(struct doing *d)
{
	const struct passage *p = &d->passage;
	struct keeper *k = d->session->k;
	struct keep_reply reply = {0};
	struct error err = {0};
	own(buf) out;

	buf_init(&out, shape_room(p) + 8 * (d->result ? strlen(d->result) : 0) + 1024 + BEGUN_MAX);
	if (buf_expect(&out, ANSWER_USUAL, &err) < 0 ||
	    shape_write(p, &d->request, &out, &err) < 0 || out.cut) {
		answer_problem(k, &d->request, 500, "internal", "the answer got lost", NULL);
		return;
	}
	shape_head(p, &reply);
	if (d->runs && !d->begun) {
		size_t len = out.len;

		if (write_start(d, &out, &err) == 0)
			reply.start_len = (uint32_t)(out.len - len);
		else
			out.len = len;
	}
	reply.place = d->request.alone ? beside_here() : 0;
	reply.facts.path_us = clock_us() - d->since_us;
	answer_json(k, &d->request, &reply, &out);
}

void doing_bill(struct doing *d, uint64_t all_us)
{
	struct session *s = d->session;

	d->passage.has_bill = all_us > 0;
	d->passage.bill_us = all_us > s->billed_us ? all_us - s->billed_us : 0;
	if (s->billed_us < all_us)
		s->billed_us = all_us;
}

static void leave(struct doing *d)
{
	const struct client *client = d->passage.judged.client;
	uint64_t all_us;

	if (d->passage.admitted && client && client->budget.cpu_ms &&
	    kept_cpu_us(&d->session->kept, &all_us) == 0)
		doing_bill(d, all_us);
	gate_leave(&d->passage);
	answer_counts(d->session->k, &d->passage);
	keeper_say_trouble(d->session->k, &d->passage);
}

/* What runs no program has no account to show: a refusal is a problem. */
static void answer_refusal(struct doing *d)
{
	struct keep_reply head = {0};

	shape_head(&d->passage, &head);
	answer_problem(d->session->k, &d->request, head.http_status == 429 ? 429 : 403,
		       head.http_status == 429 ? "too_many_requests" : "forbidden",
		       d->passage.why.what, NULL);
}

static bool runs_something(const struct doing *d)
{
	return d->passage.action == ACTION_EXEC || d->passage.action == ACTION_CODE;
}

bool doing_enter(struct doing *d)
{
	struct passage *p = &d->passage;

	p->call.args = d->args ? d->args : d->body.arguments;
	if (gate_enter(p)) {
		account_init_of(&p->account, &p->limits, p->id);
		p->account.root_mode =
			d->session->kept.remote && d->session->kept.remote->runner.root_mode;
		return true;
	}
	leave(d);
	if (runs_something(d))
		answer(d);
	else
		answer_refusal(d);
	doing_free(d);
	return false;
}

static void tell_begun(struct doing *d, uint32_t place)
{
	struct keep_reply reply = {
		.kind = KEEP_BEGUN,
		.serial = d->request.serial,
		.detach = d->body.detach,
		.place = place,
	};
	struct error err = {0};
	own(buf) out;

	buf_init(&out, BEGUN_MAX);
	if (d->begun)
		return;
	d->runs = d->begun = true;
	if (d->request.serial == 0)
		return; /* nobody waits for it */
	memcpy(reply.id, d->passage.id, sizeof(reply.id));
	(void)snprintf(reply.facts.tool, sizeof(reply.facts.tool), "%s", d->session->tool->name);
	if (write_start(d, &out, &err) < 0 ||
	    keep_send_reply(d->session->k->front, &reply, out.data, out.len, &err) < 0)
		d->session->k->over = true;
}

void doing_begun(struct doing *d)
{
	tell_begun(d, 0);
}

void doing_nears_end(struct doing *d)
{
	tell_begun(d, beside_here());
}

void doing_finish(struct doing *d, const struct outcome *o)
{
	struct passage *p = &d->passage;

	p->account.outcome = *o;
	account_judge(&p->account);
	errand_ended(p);
	leave(d);
	d->session->active_us = clock_us();
	answer(d);
	doing_free(d);
}

void doing_fail(struct doing *d, const struct error *err)
{
	struct passage *p = &d->passage;

	(void)errand_explain(p, err);
	p->ended_by = "sandbox";
	p->account.outcome = (struct outcome){.end = END_NOT_STARTED};
	(void)fail(&p->account.outcome.error, err->kind, "%s", p->why.what);
	account_judge(&p->account);
	leave(d);
	answer(d);
	doing_free(d);
}

void doing_record(struct doing *d, int result, const struct error *err)
{
	struct passage *p = &d->passage;

	p->account.outcome = (struct outcome){.end = result < 0 ? END_NOT_STARTED : END_EXITED};
	if (result < 0) {
		(void)fail(&p->account.outcome.error, err->kind, "%s", err->text);
		(void)why_deny(&p->why, WHY_FILE, "session", "%s", err->text);
	}
	account_judge(&p->account);
	d->session->active_us = clock_us();
	leave(d);
}

/* What it may use. */

static bool is_of_each(const struct limit_row *row)
{
	return strcmp(row->name, "wall") == 0 || strcmp(row->name, "cpu") == 0 ||
	       strcmp(row->name, "output") == 0;
}

static void complain_of_limit(struct api_problems *problems, const struct limit_row *row,
			      const char *why)
{
	char pointer[60];

	(void)snprintf(pointer, sizeof(pointer), "/limits/%s", row->name);
	api_complain(problems, pointer, "%s", why);
}

static void look_at_limit(struct doing *d, size_t i, struct api_problems *problems)
{
	const struct limit_row *row = &limit_rows[i];
	struct wishes *w = &d->passage.wishes;
	uint64_t most = limits_get(&d->session->limits, row);

	if (!(w->limits_set & 1u << i))
		memcpy((char *)&w->limits + row->offset, &most, sizeof(most));
	else if (!is_of_each(row))
		complain_of_limit(problems, row, "it was set for the whole session");
	else if (limits_get(&w->limits, row) > most)
		complain_of_limit(problems, row, "the session has less than that");
	w->limits_set |= 1u << i;
}

/* Those of the session, and behind them, so that they win, its own. */
static int add_variables(struct doing *d, struct error *err)
{
	const struct wishes *base = &d->session->opening.wishes, *own = &d->body.wishes;
	struct variable *all = arena_array(&d->passage.judged.arena, base->n_env + own->n_env + 1,
					   sizeof(*all), err);

	if (!all)
		return -1;
	for (size_t i = 0; i < base->n_env; i++)
		all[i] = base->env[i];
	for (size_t i = 0; i < own->n_env; i++)
		all[base->n_env + i] = own->env[i];
	d->passage.wishes.env = all;
	d->passage.wishes.n_env = base->n_env + own->n_env;
	return 0;
}

bool doing_narrow(struct doing *d)
{
	struct api_problems problems;
	struct error err = {0};

	api_no_problems(&problems);
	d->passage.wishes = (struct wishes){
		.limits_set = d->body.wishes.limits_set,
		.limits = d->body.wishes.limits,
		.input_fd = -1,
	};
	for (size_t i = 0; i < limit_row_count; i++)
		look_at_limit(d, i, &problems);
	if (problems.n == 0 && add_variables(d, &err) == 0)
		return true;
	if (problems.n)
		answer_problem(d->session->k, &d->request, 400, "invalid_body",
			       problems.list[0].detail, &problems);
	else
		answer_problem(d->session->k, &d->request, 500, "internal",
			       "there is no memory for it", NULL);
	doing_free(d);
	return false;
}
