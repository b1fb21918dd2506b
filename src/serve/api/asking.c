/* SPDX-License-Identifier: Apache-2.0 */
/* asking.c - requests go to keepers, and what keepers say goes where it belongs.
 *
 * A task ends in exactly one of three ways: answered, lost with its keeper, or
 * refused before a keeper saw it.  Each of them lets go of everything that the
 * task has: its visit, its place in the book, its Idempotency-Key, its session.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "serve/api/front.h"

static const char died[] = "the process that had this call died, and nobody saw how the call ended";

struct task *asking_task(struct visit *v, enum keep_ask kind)
{
	const struct http_peer *peer = http_peer(v->x);
	struct task *t = pool_task(&v->front->pool);
	uint32_t flags = v->match.route->flags;

	if (!t) {
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
		return NULL;
	}
	t->request.kind = kind;
	t->request.shape = flags & ROUTE_TOOL_SHAPE ? SHAPE_TOOL : SHAPE_EXECUTE;
	t->request.has_uid = peer->is_unix;
	t->request.uid = peer->is_unix ? peer->uid : 0;
	text_copy(v->party->name, t->request.client, sizeof(t->request.client));
	text_copy(v->request_id, t->request.request_id, sizeof(t->request.request_id));
	t->request.follows = v->form == FORM_SSE || v->form == FORM_NDJSON;
	t->party = v->party;
	t->body = http_body(v->x);
	t->runs = flags & ROUTE_RUNS;
	t->visit = v;
	return t;
}

static const char *refusal_words(enum problem p)
{
	if (p == PROBLEM_TOO_MANY_REQUESTS)
		return "this client has as many calls open as it may";
	if (p == PROBLEM_GONE)
		return "the session has ended";
	return "too many calls are waiting";
}

void asking_submit(struct visit *v, struct task *t, struct keeper *k)
{
	struct front *f = v->front;
	enum problem p;

	v->task = t;
	p = k ? pool_send(&f->pool, k, t, v->max_concurrent)
	      : pool_submit(&f->pool, t, v->max_concurrent);
	if (p == PROBLEM_NONE)
		return;
	v->task = NULL;
	once_forget(f, t);
	pool_drop(t);
	respond_problem(v, p, refusal_words(p));
}

void asking_pool(struct visit *v)
{
	const struct route *r = v->match.route;
	struct task *t = asking_task(v, (enum keep_ask)r->keep);

	if (!t)
		return;
	if (r->flags & ROUTE_TOOL_SHAPE &&
	    !visit_param(v, 0, t->request.tool, sizeof(t->request.tool))) {
		pool_drop(t);
		respond_problem(v, PROBLEM_NOT_FOUND, "there is no tool with such a name");
		return;
	}
	if (!once_begin(v, t)) {
		pool_drop(t);
		return;
	}
	asking_submit(v, t, NULL);
}

/* Does the client want to hear at once that a detached call runs (RFC 7240)? */
static bool wants_no_wait(const struct visit *v)
{
	const char *prefer = http_header(v->x, "Prefer");

	return prefer && strncasecmp(prefer, "respond-async", 13) == 0 &&
	       (prefer[13] == '\0' || prefer[13] == ',' || prefer[13] == ';');
}

static void answer_running(struct visit *v, const struct book_call *c)
{
	char where[64];
	struct response a = {.status = 202, .body = buf_str(&c->start), .len = c->start.len};

	(void)snprintf(where, sizeof(where), "/v1/calls/%s", c->id);
	a.more[0] = (struct http_header){"Location", where};
	a.more[1] = (struct http_header){"Preference-Applied", "respond-async"};
	respond(v, &a);
}

static void begun(void *context, struct task *t, const struct keep_reply *r, const struct buf *body)
{
	struct front *f = context;
	struct visit *v = t->visit;
	struct book_call *c;
	struct error err = {0};

	if (t->request.kind == KEEP_FORK) {
		forkroutes_begun(t, r, body);
		return;
	}
	c = t->call ? NULL : book_begin(&f->book, r->id, t->party);
	if (!c)
		return;
	c->task = t;
	c->detach = r->detach != 0;
	t->call = c;
	(void)snprintf(c->tool, sizeof(c->tool), "%s",
		       r->facts.tool[0] ? r->facts.tool : t->request.tool);
	text_copy(t->request.id, c->session, sizeof(c->session));
	(void)buf_add(&c->start, buf_str(body), body->len, &err);
	if (!v)
		return;
	if (v->form == FORM_SSE || v->form == FORM_NDJSON) {
		v->wants[0] = v->wants[1] = true;
		stream_attach(v, c);
	} else if (c->detach && wants_no_wait(v)) {
		t->visit = NULL;
		v->task = NULL;
		answer_running(v, c);
	}
}

static void output(void *context, struct task *t, const struct keep_reply *r,
		   const struct buf *body)
{
	struct front *f = context;
	struct window *w;
	struct error err = {0};

	if (!t->call || (r->stream != 1 && r->stream != 2))
		return;
	w = &t->call->streams[r->stream - 1];
	window_skip(w, r->offset);
	if (window_add(w, body->data, body->len, &err) < 0)
		window_skip(w, window_end(w) + body->len); /* followers see a gap */
	feeding_all(f, t->call);
}

static void answer_visit(struct visit *v, const struct task *t, const struct keep_reply *r,
			 const struct buf *body)
{
	static const char *const types[] = {
		[CONTENT_JSON] = "application/json",
		[CONTENT_PROBLEM] = "application/problem+json",
		[CONTENT_OCTETS] = "application/octet-stream",
	};
	struct response a = {.status = (int)r->http_status,
			     .type = types[r->content],
			     .body = buf_str(body),
			     .len = body->len,
			     .retry_after_s = r->retry_after_s,
			     .must = true};
	char where[80];

	if (t->request.kind == KEEP_OPEN && r->http_status == 201) {
		(void)snprintf(where, sizeof(where), "/v1/sessions/%s", t->request.id);
		a.more[0] = (struct http_header){"Location", where};
	}
	/* Refused before it began: whoever asked for events gets one, the result. */
	if (t->runs && r->http_status == 200 && (v->form == FORM_SSE || v->form == FORM_NDJSON))
		stream_replay(v, body->data, body->len);
	else
		respond(v, &a);
}

/* Whoever waits hears it; then it goes into the book. */
static void settle(struct front *f, struct task *t, const struct keep_reply *r, struct buf *body)
{
	struct visit *v = t->visit;
	struct book_call *c = t->call;

	t->visit = NULL;
	t->call = NULL;
	once_end(f, t, (int)r->http_status, body);
	if (v)
		v->task = NULL;
	if (v && t->request.kind == KEEP_FILE_GET)
		fileroutes_answer(v, r, body);
	else if (v && !v->streaming)
		answer_visit(v, t, r, body);
	if (!c)
		return;
	book_hold(&f->book, c);
	book_finish(&f->book, c, r, body);
	feeding_all(f, c);
	book_let(&f->book, c);
}

/* It ended before it was worth telling that it runs. */
static void take_start(struct front *f, struct task *t, const struct keep_reply *r,
		       struct buf *body)
{
	size_t len = body->len - r->start_len;
	const struct buf start = {.data = body->data + len, .len = r->start_len};

	begun(f, t, r, &start);
	body->len = len;
	body->data[len] = '\0';
}

static void answered(void *context, struct task *t, const struct keep_reply *r, struct buf *body)
{
	struct front *f = context;

	metrics_answer(&f->metrics, &r->facts);
	if (r->start_len && r->start_len <= body->len)
		take_start(f, t, r, body);
	if (t->runs) {
		if (strcmp(r->facts.rule, "audit") == 0)
			f->log_fails_us = clock_us();
		else if (r->facts.ran)
			f->log_fails_us = 0;
		metrics_call(&f->metrics, &r->facts);
		histogram_add(&f->metrics.queue_us, t->sent_us - t->submitted_us);
	}
	if (t->request.kind == KEEP_OPEN)
		sessionroutes_opened(f, t, r, body);
	else if (t->request.kind == KEEP_CLOSE)
		sessionroutes_closed(f, t, r);
	settle(f, t, r, body);
	drain_check(f);
}

/* A call whose end nobody saw is answered as that, and kept as that. */
static void lose_call(struct front *f, struct task *t)
{
	struct keep_reply r = {.http_status = 200, .content = CONTENT_JSON};
	struct error err = {0};
	struct unknown u = {
		.tool_shape = t->request.shape == SHAPE_TOOL,
		.id = t->call ? t->call->id : NULL,
		.request_id = t->request.request_id,
		.what = died,
		.us = clock_us() - t->submitted_us,
	};
	struct buf body;

	buf_init(&body, 8192);
	if (t->call)
		text_copy(t->call->tool, r.facts.tool, sizeof(r.facts.tool));
	metrics_call(&f->metrics, &r.facts);
	if (unknown_write(&u, &body, &err) < 0) {
		r.http_status = 500;
		r.content = CONTENT_PROBLEM;
	}
	settle(f, t, &r, &body);
	buf_done(&body);
}

static void lost(void *context, struct task *t)
{
	struct front *f = context;
	struct visit *v = t->visit;

	if (t->request.kind == KEEP_OPEN)
		sessionroutes_not_opened(f, t);
	if (t->runs) {
		lose_call(f, t);
	} else if (v) {
		t->visit = NULL;
		v->task = NULL;
		if (v->streaming)
			http_cut(v->x);
		else if (t->session)
			respond_problem(v, PROBLEM_GONE, "the session has ended");
		else
			respond_problem(v, PROBLEM_UNAVAILABLE,
					"the process that had this request died");
	}
	once_forget(f, t);
	drain_check(f);
}

static void refused(void *context, struct task *t, enum problem p, const char *detail)
{
	struct front *f = context;
	struct visit *v = t->visit;

	if (t->request.kind == KEEP_OPEN)
		sessionroutes_not_opened(f, t);
	once_forget(f, t);
	if (v) {
		t->visit = NULL;
		v->task = NULL;
		respond_problem(v, p, detail);
	}
	drain_check(f);
}

static void over(void *context, struct keeper *k, const struct keep_reply *r,
		 const struct buf *body)
{
	struct front *f = context;

	if (r)
		metrics_answer(&f->metrics, &r->facts);
	sessionroutes_over(f, k, r, body);
	drain_check(f);
}

static void want(void *context, bool for_session)
{
	struct front *f = context;

	f->config.ask(f->config.context, ROLE_WANT_KEEPER, for_session ? 1 : 0);
}

const struct pool_events asking_events = {
	.begun = begun,
	.output = output,
	.answered = answered,
	.lost = lost,
	.refused = refused,
	.over = over,
	.want = want,
};
