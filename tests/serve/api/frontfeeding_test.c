/* SPDX-License-Identifier: Apache-2.0 */
/* frontfeeding_test.c - followers are fed in turns, and the loop has its turn between them. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/api/front.h"
#include "tap.h"

enum { CROWD = 50, STEP_US = 1500 };

static struct front front;
static struct party ann, bob;
static struct visit crowd[CROWD], one;
static size_t steps, steps_of_bob, last_of_bob, others, polled;

/* In the places of what writes events and keeps calls: file_left is how many steps one needs. */
bool stream_step(struct visit *v)
{
	uint64_t until_us = clock_us() + STEP_US;

	while (clock_us() < until_us)
		;
	steps++;
	if (v->party == &bob) {
		steps_of_bob++;
		last_of_bob = steps;
	}
	return --v->file_left > 0;
}

void callroutes_poll(struct visit *v)
{
	(void)v;
	polled++;
}

void visit_serve(struct visit *v)
{
	(void)stream_step(v);
	if (v->file_left > 0)
		feeding_now(v); /* as one that begins to follow */
}

void book_hold(struct callbook *b, struct book_call *c)
{
	(void)b;
	c->held++;
}

void book_let(struct callbook *b, struct book_call *c)
{
	(void)b;
	c->held--;
}

void http_hold(struct http_exchange *x, bool on)
{
	(void)x;
	(void)on;
}

void http_cut(struct http_exchange *x)
{
	(void)x;
}

static void somebody_else(void *context, uint32_t events)
{
	(void)context;
	(void)events;
	others++;
}

static void join(struct visit *v, struct party *p, uint64_t needs)
{
	*v = (struct visit){.front = &front, .party = p, .streaming = true, .file_left = needs};
}

static void set_up(void)
{
	struct error err;

	front = (struct front){.loop = loop_new(&err)};
	feeding_init(&front);
	ann = bob = (struct party){0};
	links_init(&ann.hungry);
	links_init(&bob.hungry);
	steps = steps_of_bob = last_of_bob = others = polled = 0;
}

static void run_down(void)
{
	struct error err;

	for (int i = 0; i < 10000 && !links_empty(&front.feeding); i++)
		CHECK(loop_turn(front.loop, 0, &err) == 0);
	CHECK(links_empty(&front.feeding) && links_empty(&ann.hungry) && links_empty(&bob.hungry));
	loop_free(front.loop);
}

TEST(clients_take_turns)
{
	set_up();
	for (size_t i = 0; i < CROWD; i++) {
		join(&crowd[i], &ann, 3);
		feeding_want(&crowd[i]);
	}
	join(&one, &bob, 4);
	feeding_want(&one);
	run_down();
	CHECK(steps == CROWD * 3 + 4);
	CHECK(steps_of_bob == 4);
	CHECK(last_of_bob <= 8);
}

TEST(whoever_else_has_something_to_do_does_it_in_between)
{
	struct loop_watch w = {
		.fd = eventfd(1, EFD_CLOEXEC), .events = EPOLLIN, .ready = somebody_else};
	struct error err;

	set_up();
	CHECK(loop_add(front.loop, &w, &err) == 0);
	for (size_t i = 0; i < CROWD; i++) {
		join(&crowd[i], &ann, 2);
		feeding_want(&crowd[i]);
	}
	run_down();
	/* A step takes longer than a turn may: each turn has one. */
	CHECK(others >= steps);
	(void)close(w.fd);
}

TEST(what_is_answered_here_takes_turns_as_well)
{
	set_up();
	for (size_t i = 0; i < CROWD; i++) {
		join(&crowd[i], &ann, 1 + i % 4);
		crowd[i].to_serve = true;
		feeding_want(&crowd[i]);
	}
	join(&one, &bob, 1);
	one.to_serve = true;
	feeding_want(&one);
	run_down();
	CHECK(steps == 1 + CROWD / 4 * 10 + 1 + 2 && last_of_bob <= 4 && !one.to_serve);
}

TEST(of_many_that_follow_one_call_few_are_fed_at_once)
{
	struct book_call call = {0};

	set_up();
	links_init(&call.followers);
	for (size_t i = 0; i < CROWD; i++) {
		join(&crowd[i], &ann, 1);
		crowd[i].streaming = i != CROWD - 1;
		links_add(&call.followers, &crowd[i].follower);
	}
	feeding_all(&front, &call);
	CHECK(steps > 0 && steps < CROWD / 2);
	CHECK(call.held == 0);
	feeding_leave(&crowd[CROWD - 2]);
	feeding_leave(&crowd[CROWD - 2]);
	run_down();
	CHECK(steps == CROWD - 2);
	CHECK(polled == 1);
}
