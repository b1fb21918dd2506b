/* SPDX-License-Identifier: Apache-2.0 */
/* visit.c - an exchange from its head to its end: the doors it passes, and who then serves it.
 *
 * The doors are a list; the first that says no has answered.  They are passed
 * with the head alone, so that a body which nobody may send is never taken.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"
#include "serve/api/auth.h"
#include "serve/api/front.h"
#include "serve/api/frontdoor.h"

bool visit_param(const struct visit *v, size_t n, char *ret, size_t room)
{
	const struct route_param *p = &v->match.params[n];

	if (!p->text || p->len == 0 || p->len >= room)
		return false;
	memcpy(ret, p->text, p->len);
	ret[p->len] = '\0';
	return true;
}

bool visit_owns(const struct visit *v, const struct party *party)
{
	return v->party && (v->party == party || v->scopes & MAY_ADMIN);
}

void visit_let_go(struct visit *v)
{
	v->wait_until_us = v->reload = 0;
	feeding_leave(v);
	if (v->call)
		stream_detach(v);
	if (v->read_serial)
		auditroutes_left(v);
}

bool visit_says(const struct visit *v, const char *name)
{
	const char *text = http_query(v->x, name);

	return text && (strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || *text == '\0');
}

void visit_serve(struct visit *v)
{
	switch (v->match.route->to) {
	case TO_POOL:
		asking_pool(v);
		break;
	case TO_OPEN:
		sessionroutes_open(v);
		break;
	case TO_SESSION:
		sessionroutes_serve(v);
		break;
	case TO_FORK:
		forkroutes_serve(v);
		break;
	case TO_READER:
		auditroutes_serve(v);
		break;
	case TO_CALLS:
		callroutes_serve(v);
		break;
	case TO_SESSIONS:
		sessionroutes_list(v);
		break;
	case TO_SELF:
		health_serve(v);
		break;
	case TO_NOBODY:
		respond_problem(v, PROBLEM_INTERNAL, "nobody serves this path");
		break;
	}
}

static void on_head(void *context, struct http_exchange *x)
{
	struct front *f = context;
	struct visit *v = calloc(1, sizeof(*v));

	if (!v) {
		http_answer(x, 503, &(struct http_header){0}, NULL, 0);
		return;
	}
	v->front = f;
	v->x = x;
	v->form = FORM_JSON;
	v->begun_us = clock_us();
	links_add(&f->visits, &v->all);
	f->n_visits++;
	http_set_user(x, v);
	frontdoor_pass(v);
}

/* What the front answers by itself takes its own time, and that is everybody's. */
static bool takes_turns(const struct visit *v)
{
	enum route_to to = v->match.route->to;

	return v->party && (to == TO_SELF || to == TO_SESSIONS || to == TO_CALLS);
}

static void on_whole(void *context, struct http_exchange *x)
{
	struct visit *v = http_user(x);

	(void)context;
	if (!v || v->status)
		return;
	v->to_serve = takes_turns(v);
	if (!v->to_serve) {
		visit_serve(v);
		return;
	}
	http_hold(x, true);
	feeding_want(v);
}

/* Its client is gone, or has everything: a call that nobody waits for ends, unless it was to go
 * on. */
static void leave_task(struct visit *v)
{
	struct task *t = v->task;

	v->task = NULL;
	if (!t)
		return;
	t->visit = NULL;
	if (t->call && t->call->detach)
		return;
	v->front->metrics.cancelled += t->runs;
	pool_abandon(&v->front->pool, t);
}

static void on_over(void *context, struct http_exchange *x, bool complete)
{
	struct visit *v = http_user(x);
	struct front *f = context;

	(void)complete;
	if (!v)
		return;
	visit_let_go(v);
	leave_task(v);
	metrics_request(&f->metrics, v->match.route, v->status, clock_us() - v->begun_us);
	f->body_bytes -= v->reserved;
	f->sending_bytes -= v->sending;
	if (v->party) {
		v->party->body_bytes -= v->reserved;
		v->party->sending_bytes -= v->sending;
		v->party->visits--;
	}
	links_remove(&v->all);
	f->n_visits--;
	free(v);
	drain_check(f);
}

static void on_room(void *context, struct http_exchange *x)
{
	struct visit *v = http_user(x);

	(void)context;
	if (!v || !v->streaming)
		return;
	if (v->call)
		feeding_want(v);
	else if (v->file_left > 0 && !v->task)
		fileroutes_more(v);
}

static void on_comes(void *context, const char *what)
{
	sessionroutes_expected(context, what);
}

static void on_refused(void *context, int status)
{
	struct front *f = context;

	metrics_request(&f->metrics, NULL, status, 0);
}

void visit_handler(struct front *f)
{
	f->handler = (struct http_handler){
		.head = on_head,
		.whole = on_whole,
		.over = on_over,
		.room = on_room,
		.comes = on_comes,
		.refused = on_refused,
		.context = f,
	};
}
