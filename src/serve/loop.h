/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - one epoll loop: descriptors, timers, and nothing that waits. */
#ifndef SERVE_LOOP_H
#define SERVE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct loop;

/* events: EPOLLIN, EPOLLOUT, EPOLLHUP...  May remove any watch, itself too. */
typedef void loop_ready(void *context, uint32_t events);
typedef void loop_due(void *context);

/* Owned by whoever embeds it; all zeros: not in the loop.  Once removed it may be freed at once. */
struct loop_watch {
	int fd;
	uint32_t events;
	loop_ready *ready;
	void *context;
	bool in;
};

struct loop_timer {
	uint64_t due_us; /* monotonic */
	loop_due *due;
	void *context;
	size_t place; /* in the loop's heap, from 1; 0: not set */
};

struct loop *loop_new(struct error *err);
void loop_free(struct loop *l);
int loop_add(struct loop *l, struct loop_watch *w, struct error *err);
int loop_change(struct loop *l, struct loop_watch *w, uint32_t events, struct error *err);
/* Before its descriptor is closed. */
void loop_remove(struct loop *l, struct loop_watch *w);
/* Setting one that is set moves it, which never fails.  It goes off once. */
int loop_set(struct loop *l, struct loop_timer *t, uint64_t due_us, struct error *err);
void loop_unset(struct loop *l, struct loop_timer *t);
/* Until loop_stop(). */
int loop_run(struct loop *l, struct error *err);
/* Something will be ready within so many microseconds: it does not sleep before that, or until
 * then.  0: it does. */
void loop_hurry(struct loop *l, uint64_t us);
/* Once, before it sleeps the next time: when everything is done that somebody waits for.  The last
 * one who asks is told.  NULL: nobody. */
void loop_when_it_rests(struct loop *l, loop_due *due, void *context);
/* One round: what is ready, then what is due.  wait_ms -1: until something happens. */
int loop_turn(struct loop *l, int wait_ms, struct error *err);
void loop_stop(struct loop *l);
uint64_t loop_now_us(const struct loop *l); /* of this round */

#endif
