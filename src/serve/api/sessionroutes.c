/* SPDX-License-Identifier: Apache-2.0 */
/* sessionroutes.c - /v1/sessions: each request goes to the keeper that has the session. */
#include <stdio.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "serve/api/front.h"
#include "serve/api/keeperlink.h"

enum { LIST_ENTRY = 640 };
_Static_assert((int)KEEP_ID_ROOM <= HTTP_EXPECT_MAX + 1, "a session's name must fit");

void sessionroutes_open(struct visit *v)
{
	struct front *f = v->front;
	struct session *s;
	struct task *t;

	if (!sessiontable_room(&f->sessions, v->party, f->view->n_clients > 1)) {
		respond_problem(v, PROBLEM_TOO_MANY_REQUESTS,
				"there are as many sessions as there may be");
		return;
	}
	t = asking_task(v, KEEP_OPEN);
	if (!t)
		return;
	s = sessiontable_add(&f->sessions, v->party);
	if (!s) {
		pool_drop(t);
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
		return;
	}
	text_copy(s->id, t->request.id, sizeof(t->request.id));
	t->session = s;
	asking_submit(v, t, NULL);
}

void sessionroutes_opened(struct front *f, struct task *t, const struct keep_reply *r,
			  const struct buf *body)
{
	struct session *s = t->session;
	struct keeper *k = t->on;

	(void)body;
	t->session = NULL;
	if (!s)
		return;
	if (r->http_status != 201) {
		sessiontable_remove(&f->sessions, s);
		pool_retire(k);
		return;
	}
	s->state = SESSION_OPEN;
	s->keeper = k;
	k->session = s;
	text_copy(r->facts.tool, s->tool, sizeof(s->tool));
	/* Whoever asked for it is gone, and nobody else knows its name. */
	if (!t->visit || f->draining) {
		sessiontable_end(&f->sessions, s, "its client went away while it was opened");
		k->session = NULL;
		pool_retire(k);
	}
}

void sessionroutes_not_opened(struct front *f, struct task *t)
{
	if (t->session)
		sessiontable_remove(&f->sessions, t->session);
	t->session = NULL;
}

void sessionroutes_closed(struct front *f, struct task *t, const struct keep_reply *r)
{
	struct keeper *k = t->on;

	if (r->http_status >= 300 || !k->session)
		return;
	sessiontable_end(&f->sessions, k->session, "it was closed");
	k->session = NULL;
	pool_retire(k);
}

void sessionroutes_over(struct front *f, struct keeper *k, const struct keep_reply *r,
			const struct buf *body)
{
	char why[200];

	if (!k->session)
		return;
	if (r && r->facts.rule[0])
		text_copy(r->facts.rule, why, sizeof(why));
	else if (r && body && body->len > 0)
		text_copy(buf_str(body), why, sizeof(why));
	else
		(void)snprintf(why, sizeof(why), "%s",
			       r ? "it has ended" : "the process that had it died");
	sessiontable_end(&f->sessions, k->session, why);
	k->session = NULL;
}

void sessionroutes_list(struct visit *v)
{
	struct sessiontable *t = &v->front->sessions;
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	buf_init(&out, (t->n_live + 1) * LIST_ENTRY);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_array(&j, "sessions");
	EACH_LINK(at, &t->live)
	{
		const struct session *s = LINKED(at, struct session, order);

		if (!visit_owns(v, s->party))
			continue;
		jsonout_object(&j, NULL);
		jsonout_str(&j, "id", s->id);
		jsonout_str(&j, "state", session_state_name(s->state));
		jsonout_str(&j, "tool", s->tool[0] ? s->tool : NULL);
		jsonout_str(&j, "client", s->owner);
		respond_time(&j, "opened", s->opened_unix_ms);
		jsonout_object_end(&j);
	}
	jsonout_array_end(&j);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
	else
		respond_json(v, 200, &out);
}

struct session *sessionroutes_find(struct visit *v)
{
	char id[KEEP_ID_ROOM], detail[256];
	struct session *s = NULL;

	if (visit_param(v, 0, id, sizeof(id)))
		s = sessiontable_find(&v->front->sessions, id);
	if (!s || (strcmp(s->owner, v->party->name) != 0 && !(v->scopes & MAY_ADMIN))) {
		respond_problem(v, PROBLEM_NOT_FOUND, "there is no such session");
		return NULL;
	}
	if (s->state == SESSION_GONE || !s->keeper) {
		(void)snprintf(detail, sizeof(detail), "the session has ended: %s", s->why);
		respond_problem(v, s->state == SESSION_GONE ? PROBLEM_GONE : PROBLEM_CONFLICT,
				s->state == SESSION_GONE ? detail : "the session is being opened");
		return NULL;
	}
	return s;
}

/* The program that the path names, while it runs. */
static bool find_target(struct visit *v, const struct session *s, struct task *t)
{
	char id[KEEP_ID_ROOM];
	struct book_call *c = NULL;

	if (visit_param(v, 1, id, sizeof(id)))
		c = book_find(&v->front->book, id);
	if (!c || strcmp(c->session, s->id) != 0) {
		respond_problem(v, PROBLEM_NOT_FOUND, "there is no such program in this session");
		return false;
	}
	if (c->finished || !c->task) {
		respond_problem(v, PROBLEM_CONFLICT, "that program has ended");
		return false;
	}
	t->request.target = c->task->request.serial;
	return true;
}

/* What its kind needs beside a body.  False: answered. */
static bool prepare(struct visit *v, const struct session *s, struct task *t)
{
	const struct route_param *path = &v->match.params[1];
	const char *query;

	switch (t->request.kind) {
	case KEEP_INPUT:
		t->request.number = visit_says(v, "eof");
		return find_target(v, s, t);
	case KEEP_SIGNAL:
		return find_target(v, s, t);
	case KEEP_FILE_REMOVE:
		t->request.number = visit_says(v, "recursive");
		return fileroutes_prepare(v, t, path->text, path->len);
	case KEEP_FILE_GET:
		return fileroutes_prepare(v, t, path->text, path->len);
	case KEEP_FILE_PUT:
		t->request.number = visit_says(v, "executable") ? 0111 : 0;
		return fileroutes_prepare(v, t, path->text, path->len);
	case KEEP_FILE_LIST:
		query = http_query(v->x, "path");
		return fileroutes_prepare(v, t, query ? query : "", query ? strlen(query) : 0);
	default: /* nothing */
		return true;
	}
}

void sessionroutes_expected(struct front *f, const char *id)
{
	struct session *s = sessiontable_find(&f->sessions, id);

	if (s && s->keeper)
		keeperlink_stir(s->keeper);
}

void sessionroutes_serve(struct visit *v)
{
	enum keep_ask kind = (enum keep_ask)v->match.route->keep;
	struct session *s = sessionroutes_find(v);
	struct task *t;

	if (!s)
		return;
	if (kind == KEEP_CODE)
		http_expect(v->x, s->id);
	if (kind == KEEP_FILE_GET && visit_says(v, "stat"))
		kind = KEEP_FILE_STAT;
	else if (kind == KEEP_FILE_GET && visit_says(v, "list"))
		kind = KEEP_FILE_LIST;
	t = asking_task(v, kind);
	if (!t)
		return;
	t->session = s;
	text_copy(s->id, t->request.id, sizeof(t->request.id));
	if (kind == KEEP_FILE_STAT || (kind == KEEP_FILE_LIST && v->match.params[1].text)) {
		if (!fileroutes_prepare(v, t, v->match.params[1].text, v->match.params[1].len)) {
			pool_drop(t);
			return;
		}
	} else if (!prepare(v, s, t)) {
		pool_drop(t);
		return;
	}
	asking_submit(v, t, s->keeper);
}
