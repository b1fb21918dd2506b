/* SPDX-License-Identifier: Apache-2.0 */
/* feeding.c - what the front itself has to do for clients is done in turns, a little at a time.
 *
 * To write an event costs more than to take what it tells of, and a client may
 * have hundreds that follow one call.  If each had all that there is for it at
 * once, everybody else would wait for them.  The same goes for lists, and for
 * whatever else is made here.  So clients take turns, within one its requests
 * do, and after a millisecond the loop goes on.
 */
#include "base/clock.h"
#include "serve/api/front.h"

enum { FEED_US = 1000, AT_ONCE = 4 };

static void line_up(struct visit *v)
{
	struct party *p = v->party;

	if (!links_in(&v->hungry))
		links_add(&p->hungry, &v->hungry);
	if (!links_in(&p->feeding))
		links_add(&v->front->feeding, &p->feeding);
}

void feeding_leave(struct visit *v)
{
	if (!links_in(&v->hungry))
		return;
	links_remove(&v->hungry);
	if (links_empty(&v->party->hungry))
		links_remove(&v->party->feeding);
}

/* True: there may be more for it. */
static bool feed_one(struct visit *v)
{
	if (v->to_serve) {
		v->to_serve = false;
		http_hold(v->x, false);
		visit_serve(v);
		return false;
	}
	if (v->streaming)
		return stream_step(v);
	callroutes_poll(v);
	return false;
}

static void feed(void *context)
{
	struct front *f = context;
	uint64_t until_us = clock_us() + FEED_US;
	struct error err;

	while (!links_empty(&f->feeding) && clock_us() < until_us) {
		struct party *p = LINKED(f->feeding.next, struct party, feeding);
		struct visit *v = LINKED(p->hungry.next, struct visit, hungry);

		links_remove(&p->feeding);
		links_remove(&v->hungry);
		if (feed_one(v))
			line_up(v);
		/* It may have lined up by itself. */
		if (!links_empty(&p->hungry) && !links_in(&p->feeding))
			links_add(&f->feeding, &p->feeding);
	}
	/* Later than the time of this round: in the next one. */
	if (!links_empty(&f->feeding))
		(void)loop_set(f->loop, &f->feed, loop_now_us(f->loop) + 1, &err);
}

void feeding_init(struct front *f)
{
	links_init(&f->feeding);
	f->feed = (struct loop_timer){.due = feed, .context = f};
}

void feeding_want(struct visit *v)
{
	struct front *f = v->front;
	struct error err;

	line_up(v);
	if (!f->feed.place && loop_set(f->loop, &f->feed, 0, &err) < 0)
		http_cut(v->x);
}

void feeding_now(struct visit *v)
{
	if (feed_one(v))
		feeding_want(v);
}

void feeding_all(struct front *f, struct book_call *c)
{
	int n = 0;

	book_hold(&f->book, c);
	EACH_LINK(at, &c->followers)
	{
		struct visit *v = LINKED(at, struct visit, follower);

		if (n++ < AT_ONCE)
			feeding_now(v);
		else
			feeding_want(v);
	}
	book_let(&f->book, c);
}
