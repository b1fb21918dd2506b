/* SPDX-License-Identifier: Apache-2.0 */
/* loop_test.c - the loop: who is told, in which order, and who no more. */
#include "serve/loop.h"

#include <fcntl.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "tap.h"

struct end {
	struct loop *loop;
	struct loop_watch watch;
	struct end **others; /* to remove when this one is told */
	size_t n_others;
	int told;
};

static struct loop *make_loop(void)
{
	struct error err;
	struct loop *l = loop_new(&err);

	if (!l)
		abort();
	return l;
}

static void drop_others(void *context, uint32_t events)
{
	struct end *e = context;

	(void)events;
	e->told++;
	for (size_t i = 0; i < e->n_others; i++) {
		struct end *gone = e->others[i];

		if (!gone || gone == e)
			continue;
		e->others[i] = NULL;
		loop_remove(e->loop, &gone->watch);
		(void)close(gone->watch.fd);
		memset(gone, 0xaa, sizeof(*gone)); /* whoever looks at it now will notice */
		free(gone);
	}
}

/* One end of a pipe that has something to read. */
static struct end *make_end(struct loop *l, loop_ready *ready)
{
	struct end *e = calloc(1, sizeof(*e));
	struct error err;
	int fds[2];

	if (!e || pipe2(fds, O_CLOEXEC) < 0 || write(fds[1], "x", 1) != 1)
		abort();
	(void)close(fds[1]);
	e->loop = l;
	e->watch =
		(struct loop_watch){.fd = fds[0], .events = EPOLLIN, .ready = ready, .context = e};
	if (loop_add(l, &e->watch, &err) < 0)
		abort();
	return e;
}

TEST(a_callback_may_remove_and_free_everybody_else)
{
	struct loop *l = make_loop();
	struct end *all[20];
	struct error err;
	int left = 0, told = 0;

	for (size_t i = 0; i < 20; i++) {
		all[i] = make_end(l, drop_others);
		all[i]->others = all;
		all[i]->n_others = 20;
	}
	CHECK(loop_turn(l, 0, &err) == 0);
	for (size_t i = 0; i < 20; i++) {
		left += all[i] != NULL;
		told += all[i] ? all[i]->told : 0;
	}
	CHECK(left == 1 && told == 1);
	loop_free(l);
}

static void drop_self(void *context, uint32_t events)
{
	struct end *e = context;

	(void)events;
	loop_remove(e->loop, &e->watch);
	(void)close(e->watch.fd);
	free(e);
}

TEST(a_callback_may_remove_itself)
{
	struct loop *l = make_loop();
	struct error err;

	for (int i = 0; i < 300; i++)
		(void)make_end(l, drop_self);
	for (int i = 0; i < 10; i++)
		CHECK(loop_turn(l, 0, &err) == 0);
	loop_free(l);
}

TEST(what_is_removed_is_not_told)
{
	struct loop *l = make_loop();
	struct end *e = make_end(l, drop_others);
	struct error err;

	CHECK(loop_turn(l, 0, &err) == 0 && e->told == 1);
	loop_remove(l, &e->watch);
	loop_remove(l, &e->watch); /* twice is fine */
	CHECK(loop_turn(l, 0, &err) == 0 && e->told == 1);
	CHECK(loop_add(l, &e->watch, &err) == 0 && e->watch.in);
	CHECK(loop_turn(l, 0, &err) == 0 && e->told == 2);
	loop_free(l);
}

TEST(what_is_not_watched_for_is_not_told)
{
	struct loop *l = make_loop();
	struct end e = {.loop = l};
	struct error err;
	int fds[2];

	CHECK(pipe2(fds, O_CLOEXEC) == 0);
	e.watch = (struct loop_watch){
		.fd = fds[0], .events = EPOLLPRI, .ready = drop_others, .context = &e};
	CHECK(write(fds[1], "x", 1) == 1 && loop_add(l, &e.watch, &err) == 0);
	CHECK(loop_turn(l, 0, &err) == 0 && e.told == 0);
	CHECK(loop_change(l, &e.watch, EPOLLIN, &err) == 0);
	CHECK(loop_turn(l, 0, &err) == 0 && e.told == 1);
	loop_free(l);
}

TEST(a_descriptor_that_cannot_be_watched_is_an_error)
{
	struct loop *l = make_loop();
	struct loop_watch w = {.fd = 999, .events = EPOLLIN, .ready = drop_self};
	struct error err = {0};

	CHECK(loop_add(l, &w, &err) < 0 && !w.in && err.text[0]);
	loop_free(l);
}

struct alarms {
	struct loop *loop;
	uint64_t order[1000];
	size_t n;
};

struct alarm {
	struct alarms *all;
	struct loop_timer timer;
	uint64_t number;
	int again;
};

static void ring(void *context)
{
	struct alarm *a = context;
	struct error err;

	if (a->all->n < 1000)
		a->all->order[a->all->n++] = a->number;
	if (a->again-- > 0)
		(void)loop_set(a->all->loop, &a->timer, 0, &err);
}

TEST(timers_go_off_in_the_order_of_their_times)
{
	struct alarms all = {.loop = make_loop()};
	static struct alarm a[500];
	uint64_t noise = 12345, now = loop_now_us(all.loop);
	struct error err;

	for (size_t i = 0; i < 500; i++) {
		noise = noise * 6364136223846793005u + 1442695040888963407u;
		a[i] = (struct alarm){.all = &all,
				      .number = (noise >> 33) % 10000,
				      .timer = {.due = ring, .context = &a[i]}};
		CHECK(loop_set(all.loop, &a[i].timer, now + 999999999, &err) == 0);
		CHECK(loop_set(all.loop, &a[i].timer, now - 20000 + a[i].number, &err) == 0);
	}
	for (size_t i = 0; i < 500; i += 3)
		loop_unset(all.loop, &a[i].timer);
	loop_unset(all.loop, &a[0].timer); /* twice is fine */
	CHECK(loop_turn(all.loop, 0, &err) == 0);
	CHECK(all.n == 333);
	for (size_t i = 1; i < all.n; i++)
		CHECK(all.order[i - 1] <= all.order[i]);
	for (size_t i = 0; i < 500; i++)
		CHECK(a[i].timer.place == 0);
	loop_free(all.loop);
}

TEST(a_timer_that_sets_itself_again_lets_others_have_their_turn)
{
	struct alarms all = {.loop = make_loop()};
	struct alarm a = {.all = &all, .again = 100, .timer = {.due = ring, .context = &a}};
	struct error err;

	CHECK(loop_set(all.loop, &a.timer, 0, &err) == 0);
	CHECK(loop_turn(all.loop, -1, &err) == 0 && all.n == 1);
	CHECK(loop_turn(all.loop, -1, &err) == 0 && all.n == 2);
	loop_free(all.loop);
}

TEST(nothing_goes_off_before_its_time)
{
	struct alarms all = {.loop = make_loop()};
	struct alarm a = {.all = &all, .timer = {.due = ring, .context = &a}};
	uint64_t due = clock_us() + 20000;
	struct error err;

	CHECK(loop_set(all.loop, &a.timer, due, &err) == 0);
	while (all.n == 0)
		CHECK(loop_turn(all.loop, -1, &err) == 0);
	CHECK(clock_us() >= due && loop_now_us(all.loop) >= due);
	loop_free(all.loop);
}

static void stop(void *context)
{
	loop_stop(context);
}

TEST(who_hurries_sleeps_neither_for_ever_nor_past_what_comes)
{
	struct loop *l = make_loop();
	struct loop_timer t = {.due = stop, .context = l};
	struct end *e;
	uint64_t since = clock_us();
	struct error err;

	loop_hurry(l, 2000);
	CHECK(loop_turn(l, 0, &err) == 0 && clock_us() - since >= 2000);
	CHECK(loop_set(l, &t, clock_us() + 3000, &err) == 0);
	loop_hurry(l, 1000);
	CHECK(loop_run(l, &err) == 0);
	e = make_end(l, drop_others);
	loop_hurry(l, 60000000);
	CHECK(loop_turn(l, -1, &err) == 0 && e->told == 1);
	loop_hurry(l, 60000000);
	loop_hurry(l, 0);
	CHECK(loop_turn(l, 0, &err) == 0);
	loop_remove(l, &e->watch);
	(void)close(e->watch.fd);
	free(e);
	loop_free(l);
}

TEST(it_runs_until_it_is_stopped)
{
	struct loop *l = make_loop();
	struct loop_timer t = {.due = stop, .context = l};
	struct error err;

	for (int i = 0; i < 2; i++) {
		CHECK(loop_set(l, &t, loop_now_us(l) + 1000, &err) == 0);
		CHECK(loop_run(l, &err) == 0);
	}
	loop_free(l);
}

struct order {
	struct loop *loop;
	char seen[8];
	size_t n;
};

static void note_rest(void *context)
{
	struct order *o = context;

	o->seen[o->n++] = 'r';
}

static void note_ready(void *context, uint32_t events)
{
	struct order *o = context;

	(void)events;
	loop_when_it_rests(o->loop, note_rest, o);
	o->seen[o->n++] = 'e';
}

TEST(who_waits_for_its_rest_is_told_once_and_after_everything)
{
	struct loop *l = make_loop();
	struct order o = {.loop = l};
	struct end *e = make_end(l, note_ready);
	struct error err;

	e->watch.context = &o;
	loop_when_it_rests(l, note_rest, &o);
	CHECK(loop_turn(l, 0, &err) == 0); /* what is there goes first */
	CHECK(strcmp(o.seen, "e") == 0);
	loop_hurry(l, 60000000); /* it does not sleep for it */
	CHECK(loop_turn(l, 0, &err) == 0 && strcmp(o.seen, "ee") == 0);
	loop_remove(l, &e->watch);
	CHECK(loop_turn(l, 0, &err) == 0 && loop_turn(l, 0, &err) == 0);
	CHECK(strcmp(o.seen, "eer") == 0);
	loop_when_it_rests(l, note_rest, &o);
	loop_when_it_rests(l, NULL, NULL);
	CHECK(loop_turn(l, 0, &err) == 0 && o.n == 3);
	(void)close(e->watch.fd);
	free(e);
	loop_free(l);
}
