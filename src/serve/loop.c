/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c - one epoll loop: descriptors, timers, and nothing that waits.
 *
 * A callback may remove and free any watch, also one whose event waits in the
 * same round: loop_remove() strikes it out of what is still to be told.  Timers
 * are a binary heap that never shrinks, so that moving one cannot fail.
 */
#include "serve/loop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"

enum { ROUND_MAX = 128, HEAP_FIRST = 64 };

struct loop {
	int epoll;
	bool stopped;
	uint64_t now_us, awake_us;
	loop_due *rests; /* NULL: nobody waits for that */
	void *rests_context;
	struct epoll_event round[ROUND_MAX];
	int told, count; /* of this round's events */
	struct loop_timer **heap;
	size_t timers, room;
};

struct loop *loop_new(struct error *err)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l) {
		(void)fail_sys(err, "make a loop");
		return NULL;
	}
	l->now_us = clock_us();
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0) {
		(void)fail_sys(err, "epoll");
		free(l);
		return NULL;
	}
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	(void)close(l->epoll);
	free(l->heap);
	free(l);
}

int loop_add(struct loop *l, struct loop_watch *w, struct error *err)
{
	struct epoll_event e = {.events = w->events, .data.ptr = w};

	assert(!w->in && w->ready);
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, w->fd, &e) < 0)
		return fail_sys(err, "watch descriptor %d", w->fd);
	w->in = true;
	return 0;
}

int loop_change(struct loop *l, struct loop_watch *w, uint32_t events, struct error *err)
{
	struct epoll_event e = {.events = events, .data.ptr = w};

	assert(w->in);
	if (w->events == events)
		return 0;
	if (epoll_ctl(l->epoll, EPOLL_CTL_MOD, w->fd, &e) < 0)
		return fail_sys(err, "watch descriptor %d", w->fd);
	w->events = events;
	return 0;
}

void loop_remove(struct loop *l, struct loop_watch *w)
{
	if (!w->in)
		return;
	(void)epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	w->in = false;
	for (int i = l->told; i < l->count; i++)
		if (l->round[i].data.ptr == w)
			l->round[i].data.ptr = NULL;
}

/* Places count from 1: the children of n are 2n and 2n + 1. */
static void put(struct loop *l, struct loop_timer *t, size_t place)
{
	l->heap[place - 1] = t;
	t->place = place;
}

static struct loop_timer *at(const struct loop *l, size_t place)
{
	return l->heap[place - 1];
}

static void sift_up(struct loop *l, struct loop_timer *t)
{
	size_t place = t->place;

	while (place > 1 && at(l, place / 2)->due_us > t->due_us) {
		put(l, at(l, place / 2), place);
		place /= 2;
	}
	put(l, t, place);
}

static void sift_down(struct loop *l, struct loop_timer *t)
{
	size_t place = t->place;

	for (;;) {
		size_t child = place * 2;

		if (child > l->timers)
			break;
		if (child < l->timers && at(l, child + 1)->due_us < at(l, child)->due_us)
			child++;
		if (at(l, child)->due_us >= t->due_us)
			break;
		put(l, at(l, child), place);
		place = child;
	}
	put(l, t, place);
}

static int make_place(struct loop *l, struct error *err)
{
	size_t room = l->room ? l->room * 2 : HEAP_FIRST;
	struct loop_timer **heap;

	if (l->timers < l->room)
		return 0;
	heap = reallocarray(l->heap, room, sizeof(struct loop_timer *));
	if (!heap)
		return fail_sys(err, "set a timer");
	l->heap = heap;
	l->room = room;
	return 0;
}

int loop_set(struct loop *l, struct loop_timer *t, uint64_t due_us, struct error *err)
{
	assert(t->due);
	if (!t->place) {
		if (make_place(l, err) < 0)
			return -1;
		t->place = ++l->timers;
		l->heap[t->place - 1] = t;
	}
	t->due_us = due_us;
	sift_up(l, t);
	sift_down(l, t);
	return 0;
}

void loop_unset(struct loop *l, struct loop_timer *t)
{
	struct loop_timer *last;
	size_t place = t->place;

	if (!place)
		return;
	assert(place <= l->timers && at(l, place) == t);
	t->place = 0;
	last = l->heap[--l->timers];
	if (last == t)
		return;
	put(l, last, place);
	sift_up(l, last);
	sift_down(l, last);
}

/* As many milliseconds as may pass until the next timer, rounded up: waking early is a round for
 * nothing. */
static int wait_for(const struct loop *l, int wait_ms)
{
	uint64_t now, ms;

	if (l->timers == 0)
		return wait_ms;
	now = clock_us();
	if (at(l, 1)->due_us <= now)
		return 0;
	ms = (at(l, 1)->due_us - now - 1) / 1000 + 1;
	if (wait_ms >= 0 && ms > (uint64_t)wait_ms)
		return wait_ms;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

static void tell_ready(struct loop *l)
{
	while (l->told < l->count) {
		struct epoll_event e = l->round[l->told++];
		struct loop_watch *w = e.data.ptr;

		if (w)
			w->ready(w->context, e.events);
	}
	l->told = l->count = 0;
}

/* A timer that sets itself to "now" again waits for the next round: others must have their turn. */
static void tell_due(struct loop *l)
{
	for (size_t n = l->timers; n > 0 && l->timers > 0; n--) {
		struct loop_timer *t = at(l, 1);

		if (t->due_us > l->now_us)
			return;
		loop_unset(l, t);
		t->due(t->context);
	}
}

void loop_hurry(struct loop *l, uint64_t us)
{
	l->awake_us = us ? clock_us() + us : 0;
}

void loop_when_it_rests(struct loop *l, loop_due *due, void *context)
{
	l->rests = due;
	l->rests_context = context;
}

static void tell_rest(struct loop *l)
{
	loop_due *due = l->rests;

	l->rests = NULL;
	if (due)
		due(l->rests_context);
}

static int wait_awake(struct loop *l)
{
	int n;

	do
		n = epoll_wait(l->epoll, l->round, ROUND_MAX, 0);
	while (n == 0 && clock_us() < l->awake_us);
	l->awake_us = 0;
	return n;
}

/* What is there already goes before whoever waits for its rest. */
static int look(struct loop *l)
{
	if (l->awake_us)
		return wait_awake(l);
	return l->rests ? epoll_wait(l->epoll, l->round, ROUND_MAX, 0) : 0;
}

int loop_turn(struct loop *l, int wait_ms, struct error *err)
{
	int n = look(l);

	if (n == 0) {
		tell_rest(l);
		n = epoll_wait(l->epoll, l->round, ROUND_MAX, wait_for(l, wait_ms));
	}
	if (n < 0 && errno != EINTR)
		return fail_sys(err, "epoll");
	l->now_us = clock_us();
	l->told = 0;
	l->count = n < 0 ? 0 : n;
	tell_ready(l);
	tell_due(l);
	return 0;
}

int loop_run(struct loop *l, struct error *err)
{
	l->stopped = false;
	while (!l->stopped)
		if (loop_turn(l, -1, err) < 0)
			return -1;
	return 0;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}

uint64_t loop_now_us(const struct loop *l)
{
	return l->now_us;
}
