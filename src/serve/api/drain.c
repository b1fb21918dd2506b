/* SPDX-License-Identifier: Apache-2.0 */
/* drain.c - the end: no new calls, those that run may finish, what is late is cancelled. */
#include "base/clock.h"
#include "serve/api/front.h"

enum { GRACE_MS = 3000 };

static void close_session(struct front *f, struct session *s)
{
	struct keep_request r = {.kind = KEEP_CLOSE};

	if (!s->keeper || s->state == SESSION_CLOSING)
		return;
	s->state = SESSION_CLOSING;
	pool_tell(s->keeper, &r);
	(void)f;
}

/* Sessions in which nothing runs end at once, or all of them. */
static void close_sessions(struct front *f, bool all)
{
	EACH_LINK(at, &f->sessions.live)
	{
		struct session *s = LINKED(at, struct session, order);

		if (s->keeper && (all || s->keeper->n_tasks == 0))
			close_session(f, s);
	}
}

static bool is_open(const struct front *f)
{
	return f->n_visits > 0 || f->pool.n_waiting > 0 || f->pool.n_opening > 0 ||
	       f->book.n_running > 0 || f->pool.n_busy > 0 || f->sessions.n_live > 0;
}

void drain_check(struct front *f)
{
	if (!f->draining || f->drained)
		return;
	close_sessions(f, f->cancelling);
	if (is_open(f))
		return;
	f->drained = true;
	f->config.ask(f->config.context, ROLE_DRAINED, 0);
}

static void cancel_late(void *context)
{
	struct front *f = context;

	f->cancelling = true;
	EACH_LINK(at, &f->parties.all)
	{
		struct party *p = LINKED(at, struct party, all);

		EACH_LINK(call, &p->running)
		{
			struct book_call *c = LINKED(call, struct book_call, place);

			if (c->task)
				pool_cancel(&f->pool, c->task);
		}
	}
	drain_check(f);
}

void drain_begin(struct front *f, uint64_t within_ms)
{
	uint64_t grace = within_ms / 4 < GRACE_MS ? within_ms / 4 : GRACE_MS;
	struct error err;

	if (f->draining)
		return;
	f->draining = true;
	f->pool.stopping = true;
	reloading_drain(f);
	if (f->http)
		http_drain(f->http);
	f->drain_timer = (struct loop_timer){.due = cancel_late, .context = f};
	if (loop_set(f->loop, &f->drain_timer, clock_us() + (within_ms - grace) * 1000, &err) < 0)
		cancel_late(f);
	drain_check(f);
}
