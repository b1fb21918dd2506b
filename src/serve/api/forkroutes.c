/* SPDX-License-Identifier: Apache-2.0 */
/* forkroutes.c - a copy of a session: asked of the keeper that has it, opened by another.
 *
 * The first keeper says when its interpreter is ready to be copied, and gives
 * the end of a pipe; from then on whoever asked waits for the second, which
 * opens a session of its own and takes what comes out of the pipe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "serve/api/front.h"

static bool has_room(const struct visit *v)
{
	return sessiontable_room(&v->front->sessions, v->party, v->front->view->n_clients > 1);
}

void forkroutes_serve(struct visit *v)
{
	struct session *s = sessionroutes_find(v);
	struct task *t;

	if (!s)
		return;
	/* Not for an administrator either: the copy would be his, with another's memory in it. */
	if (strcmp(s->owner, v->party->name) != 0) {
		respond_problem(v, PROBLEM_FORBIDDEN, "a session is copied by its own client");
		return;
	}
	if (!has_room(v)) {
		respond_problem(v, PROBLEM_TOO_MANY_REQUESTS,
				"there are as many sessions as there may be");
		return;
	}
	t = asking_task(v, KEEP_FORK);
	if (!t)
		return;
	t->session = s;
	(void)snprintf(t->request.id, sizeof(t->request.id), "%s", s->id);
	/* Each reading of the policy has a template of its own. */
	t->request.number = s->keeper->generation != v->front->pool.limits.generation;
	asking_submit(v, t, s->keeper);
}

static int keep_body(struct task *t, const struct buf *body, struct error *err)
{
	t->own_body = calloc(1, sizeof(*t->own_body));
	if (!t->own_body)
		return fail_sys(err, "keep a body");
	buf_init(t->own_body, body->len + 1);
	t->body = t->own_body;
	return buf_add(t->own_body, buf_str(body), body->len, err);
}

/* The second request, for the visit of the first. */
static struct task *opening(struct visit *v, struct task *first, const struct keep_reply *r,
			    const struct buf *body)
{
	struct task *t = asking_task(v, KEEP_OPEN);
	struct error err = {0};

	if (!t)
		return NULL;
	t->request.target = r->offset;
	(void)snprintf(t->request.tool, sizeof(t->request.tool), "%s", r->facts.rule);
	(void)snprintf(t->request.path, sizeof(t->request.path), "%s", first->request.id);
	if (keep_body(t, body, &err) == 0 && has_room(v))
		t->session = sessiontable_add(&v->front->sessions, v->party);
	if (!t->session) {
		pool_drop(t);
		respond_problem(v, PROBLEM_OVERLOADED, "there is no room for another session");
		return NULL;
	}
	(void)snprintf(t->request.id, sizeof(t->request.id), "%s", t->session->id);
	t->stream = take_fd(&first->stream);
	return t;
}

void forkroutes_begun(struct task *t, const struct keep_reply *r, const struct buf *body)
{
	struct visit *v = t->visit;
	struct task *next;

	/* Nobody waits for it: the pipe closes with t, and nothing was copied. */
	if (!v || t->stream < 0)
		return;
	t->visit = NULL;
	v->task = NULL;
	next = opening(v, t, r, body);
	own_fd_end(&t->stream);
	t->stream = -1;
	if (next)
		asking_submit(v, next, NULL);
}
