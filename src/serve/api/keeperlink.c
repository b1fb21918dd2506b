/* SPDX-License-Identifier: Apache-2.0 */
/* keeperlink.c - what goes out to a keeper, without ever waiting for it. */
#include "serve/api/keeperlink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>

#include "serve/api/frontplace.h"

int keeperlink_open(struct pool *p, struct keeper *k, int fd, loop_ready *ready, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return fail_sys(err, "add a keeper");
	k->pool = p;
	links_init(&k->tasks);
	k->watch = (struct loop_watch){.fd = fd, .events = EPOLLIN, .ready = ready, .context = k};
	return loop_add(p->loop, &k->watch, err);
}

static bool is_alone(const struct pool *p)
{
	return p->n_given == 0 && p->n_waiting == 0 && p->n_opening == 0;
}

/* Keepers of sessions are all where the scribe is.  Who is there, too, is better woken by the
 * answer itself: earlier it would only take the keeper's time. */
static enum keep_alone company(const struct pool *p)
{
	if (!is_alone(p))
		return ALONE_NOT;
	return p->place && beside_here() != p->place ? ALONE_APART : ALONE;
}

int keeperlink_send(struct keeper *k, struct task *t, struct error *err)
{
	const struct buf *body = t->body;

	t->request.alone = company(k->pool);
	if (t->stream >= 0)
		return keep_send_open(k->watch.fd, &t->request, t->stream, body, err);
	if (keep_send_request(k->watch.fd, &t->request, body ? body->data : NULL,
			      body ? body->len : 0, err) < 0)
		return -1;
	frontplace_sent(k->pool, t->request.alone == ALONE_APART && t->request.kind == KEEP_CODE);
	return 0;
}

void keeperlink_stir(struct keeper *k)
{
	struct keep_request r = {.kind = KEEP_STIR, .alone = ALONE_APART};
	struct error ignored;

	/* On one processor it would take the time of what it is to be told. */
	if (k->n_tasks == 0 && company(k->pool) == ALONE_APART)
		(void)keep_send_request(k->watch.fd, &r, NULL, 0, &ignored);
}

struct task *keeperlink_task(const struct keeper *k, uint64_t serial)
{
	EACH_LINK(at, &k->tasks)
	{
		struct task *t = LINKED(at, struct task, in_keeper);

		if (t->request.serial == serial)
			return t;
	}
	return NULL;
}

static int send_cancel(struct keeper *k, struct task *t, struct error *err)
{
	struct keep_request r = {.kind = KEEP_CANCEL, .target = t->request.serial};

	return keep_send_request(k->watch.fd, &r, NULL, 0, err);
}

void keeperlink_flush(struct keeper *k)
{
	struct error err = {0};
	bool full = false;

	EACH_LINK(at, &k->tasks)
	{
		struct task *t = LINKED(at, struct task, in_keeper);

		if (!t->cancel || t->cancel_sent)
			continue;
		if (send_cancel(k, t, &err) == 0) {
			t->cancel_sent = true;
		} else if (err.sys == EAGAIN) {
			full = true;
			break;
		} else {
			break; /* it is dead: the loop will say so */
		}
	}
	if (k->watch.in)
		(void)loop_change(k->pool->loop, &k->watch, full ? EPOLLIN | EPOLLOUT : EPOLLIN,
				  &err);
}
