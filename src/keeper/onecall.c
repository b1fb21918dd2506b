/* SPDX-License-Identifier: Apache-2.0 */
/* onecall.c - one call from the front: its body becomes a passage, and the passage an answer.
 *
 * While the program runs, the front is listened to: it may cancel, send input
 * or a signal.  A front that goes away cancels, too, and what happened is
 * written down as ever.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "keeper/keepanswer.h"
#include "keeper/callbody.h"
#include "keeper/inflow.h"
#include "keeper/shapes.h"

enum { BEGUN_MAX = 4096, HUSH_MS = 5 };

struct onecall {
	struct keeper *k;
	const struct keep_request *request;
	struct callbody body;
	struct inflow inflow;
	struct passage passage;
	int cancel;       /* eventfd */
	int signal;       /* for the program; 0: none */
	uint64_t told[2]; /* bytes of stdout and stderr that the front has */
};

/* Output, as it comes. */

static void tell(struct onecall *c, unsigned stream, const char *data, size_t len)
{
	uint64_t *told = &c->told[stream - 1];

	/* What is not kept is not told either: the front keeps what it is told. */
	if (*told + len > c->passage.limits.output_bytes)
		len = (size_t)(c->passage.limits.output_bytes - *told);
	while (len && !c->k->over) {
		size_t n = len < KEEP_INLINE_MAX ? len : KEEP_INLINE_MAX;
		struct keep_reply reply = {
			.kind = KEEP_OUTPUT,
			.serial = c->request->serial,
			.stream = stream,
			.offset = *told,
		};
		struct error err = {0};

		if (keep_send_reply(c->k->front, &reply, data, n, &err) < 0)
			c->k->over = true;
		*told += n;
		data += n;
		len -= n;
	}
}

static void hear_out(void *context, const char *data, size_t len)
{
	tell(context, 1, data, len);
}

static void hear_err(void *context, const char *data, size_t len)
{
	tell(context, 2, data, len);
}

static void tell_begun(struct passage *p, void *context)
{
	struct onecall *c = context;
	struct keep_reply reply = {
		.kind = KEEP_BEGUN,
		.serial = c->request->serial,
		.detach = c->body.detach,
	};
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	buf_init(&out, BEGUN_MAX);
	memcpy(reply.id, p->id, sizeof(reply.id));
	if (p->judged.tool)
		(void)snprintf(reply.facts.tool, sizeof(reply.facts.tool), "%s",
			       p->judged.tool->name);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "id", p->id);
	jsonout_str(&j, "request_id", c->request->request_id);
	receipt_json(&p->receipt_started, &j, "receipt");
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0 ||
	    keep_send_reply(c->k->front, &reply, out.data, out.len, &err) < 0)
		c->k->over = true;
}

/* Nobody knows how it is doing. */
static void tell_silent(void *context, bool is_silent)
{
	struct onecall *c = context;
	struct keep_reply reply = {
		.kind = KEEP_SILENT,
		.serial = c->request->serial,
		.offset = is_silent,
	};
	struct error err = {0};

	if (!c->k->over && keep_send_reply(c->k->front, &reply, NULL, 0, &err) < 0)
		c->k->over = true;
}

/* What the front has to say meanwhile. */

static void cancel(struct onecall *c)
{
	uint64_t one = 1;

	(void)!write(c->cancel, &one, sizeof(one));
}

static void say_done(struct onecall *c, const struct keep_request *r, const char *key, uint64_t n)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, BEGUN_MAX);
	jsonout_uint(&a.j, key, n);
	answering_send(&a, c->k, r, &reply);
}

static void take_input(struct onecall *c, const struct keep_request *r, const struct buf *data)
{
	if (c->inflow.write < 0 || c->inflow.ended) {
		answer_problem(c->k, r, 409, "conflict", "its standard input is not open", NULL);
		return;
	}
	if (data->len > INFLOW_MAX) {
		answer_problem(c->k, r, 413, "too_large", "it is too much at once", NULL);
		return;
	}
	if (data->len && !inflow_add(&c->inflow, data->data, data->len)) {
		answer_problem(c->k, r, 503, "overloaded",
			       "it has not read what it was sent before", NULL);
		return;
	}
	if (data->len == 0 || r->number)
		inflow_end(&c->inflow);
	say_done(c, r, "accepted", data->len);
}

/* The last one ends everything in the box, as a cancellation does. */
static void take_signal(struct onecall *c, const struct keep_request *r, const struct buf *body)
{
	uint64_t number;

	if (!answer_signal(c->k, r, body, &number))
		return;
	if (number == SIGKILL)
		cancel(c);
	else
		c->signal = (int)number;
	say_done(c, r, "signal", number);
}

static void obey_meanwhile(struct onecall *c, const struct keep_request *r, const struct buf *body)
{
	bool meant = r->target == c->request->serial;

	if (r->kind == KEEP_CANCEL && meant) {
		cancel(c);
		say_done(c, r, "cancelled", 1);
	} else if (r->kind == KEEP_INPUT && meant) {
		take_input(c, r, body);
	} else if (r->kind == KEEP_SIGNAL && meant) {
		take_signal(c, r, body);
	} else if (r->kind == KEEP_CANCEL || r->kind == KEEP_INPUT || r->kind == KEEP_SIGNAL) {
		answer_problem(c->k, r, 409, "conflict", "that call does not run here", NULL);
	} else {
		answer_problem(c->k, r, 503, "overloaded", "a call runs here", NULL);
	}
}

static void listen_to_front(struct onecall *c)
{
	struct keep_request r;
	struct error err = {0};
	own(buf) body;

	buf_init(&body, KEEP_BODY_MAX);
	if (keep_take_request(c->k->front, &r, &body, &err) > 0) {
		obey_meanwhile(c, &r, &body);
		return;
	}
	c->k->over = true;
	cancel(c);
}

static void wants(void *context, struct pollfd fds[ASIDE_FDS])
{
	struct onecall *c = context;

	fds[0] = (struct pollfd){.fd = c->k->over ? -1 : c->k->front, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = inflow_wants(&c->inflow), .events = POLLOUT};
}

static void ready(void *context, const struct pollfd fds[ASIDE_FDS])
{
	struct onecall *c = context;

	if (fds[1].revents)
		inflow_move(&c->inflow);
	if (fds[0].revents)
		listen_to_front(c);
}

static int next_signal(void *context)
{
	struct onecall *c = context;
	int signal = c->signal;

	c->signal = 0;
	return signal;
}

/* The call. */

static void onecall_end(struct onecall *c)
{
	passage_done(&c->passage);
	callbody_done(&c->body);
	inflow_close(&c->inflow);
	own_fd_end(&c->cancel);
}

static int open_input(struct onecall *c, struct error *err)
{
	if (!c->body.stdin_open)
		return 0;
	if (inflow_open(&c->inflow, err) < 0)
		return -1;
	c->passage.wishes.input_fd = c->inflow.read;
	return 0;
}

static int prepare(struct onecall *c, struct error *err)
{
	struct passage *p = &c->passage;
	struct keeper *k = c->k;

	p->policy = k->policy;
	p->means = k->means;
	p->meter = k->meter;
	p->audit = k->has_audit ? &k->audit : NULL;
	p->slots = &k->slots;
	p->toolkit = &k->toolkit;
	p->wishes = c->body.wishes;
	p->from_afar = !c->request->has_uid;
	p->call = (struct tool_call){c->request->client, c->request->uid, c->body.tool,
				     c->body.arguments};
	p->begun = tell_begun;
	p->begun_context = c;
	p->hush_ms = c->request->follows ? 0 : HUSH_MS;
	p->live_out.hear = hear_out;
	p->live_err.hear = hear_err;
	p->live_out.context = p->live_err.context = c;
	p->aside = (struct aside){wants, ready, c, next_signal, tell_silent};
	c->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->cancel < 0)
		return fail_sys(err, "eventfd");
	p->cancel_fd = c->cancel;
	return open_input(c, err);
}

static void answer(struct onecall *c, uint64_t since)
{
	const struct passage *p = &c->passage;
	struct keep_reply reply = {0};
	struct error err = {0};
	own(buf) out;

	buf_init(&out, shape_room(p));
	/* The front went away: nobody is left to tell. */
	if (c->k->over)
		return;
	if (shape_write(p, c->request, &out, &err) < 0) {
		answer_problem(c->k, c->request, 500, "internal", "the answer got lost", NULL);
		return;
	}
	shape_head(p, &reply);
	reply.facts.path_us = clock_us() - since;
	answer_json(c->k, c->request, &reply, &out);
}

/* true: body is a call.  Else it was answered. */
static bool read_body(struct onecall *c, const struct buf *body)
{
	const char *object = c->request->shape == SHAPE_TOOL ? "call" : "execute";
	json_t *value = answer_body(c->k, c->request, body, object);
	struct api_problems problems;
	struct error err = {0};

	api_no_problems(&problems);
	if (!value)
		return false;
	if (callbody_read(&c->body, value, c->request, &problems, &err) < 0) {
		answer_problem(c->k, c->request, 500, "internal", "the body found no room", NULL);
		return false;
	}
	if (problems.n == 0)
		return true;
	answer_problem(c->k, c->request, 400, "invalid_body", problems.list[0].detail, &problems);
	return false;
}

void obey_call(struct keeper *k, const struct keep_request *r, const struct buf *body)
{
	uint64_t since = clock_us();
	struct error err = {0};
	own(onecall) c = {.k = k, .request = r, .cancel = -1};

	passage_init(&c.passage);
	c.passage.judged.untold = true;
	inflow_init(&c.inflow);
	if (!read_body(&c, body))
		return;
	if (prepare(&c, &err) < 0) {
		keeper_say(k, &err);
		answer_problem(k, r, 500, "internal", "the call could not be prepared", NULL);
		return;
	}
	c.passage.dry_run = r->kind == KEEP_CHECK;
	gate_pass(&c.passage);
	answer_counts(k, &c.passage);
	keeper_say_trouble(k, &c.passage);
	answer(&c, since);
}
