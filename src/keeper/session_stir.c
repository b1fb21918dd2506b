/* SPDX-License-Identifier: Apache-2.0 */
/* session_stir.c - what is done before a snippet comes, so that it is quick when it does.
 *
 * Between two snippets everybody sleeps, and others have the processors: to come to, and to find
 * again what a snippet needs, takes longer than the snippet.  The front hears of it first: while it
 * reads the request, the keeper and the interpreter wake up.  A wrong guess costs microseconds.
 */
#include <poll.h>

#include "base/clock.h"
#include "keeper/session_state.h"

enum {
	FRESH_US = 400, /* the interpreter is awake for longer */
	COMES_US = 150, /* in which the request was read, if there is one */
};

/* Python, as good as always: which one is meant is known when the body was read.  On one processor,
 * each of them would wait where the other wants to work. */
static void stir(struct session *s, bool alone)
{
	bool wanted = alone && !session_is_busy(s) && beside_has_others(&s->beside);

	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		s->drivers[i].stirred = false;
		if (wanted)
			driver_stir(&s->drivers[i]);
	}
	s->stirred_us = wanted ? clock_us() : 0;
}

void session_stir(struct session *s, bool alone)
{
	/* Unless they are awake because it was foretold. */
	if (!alone || clock_us() >= s->stirred_us + FRESH_US)
		stir(s, alone);
	s->stirred_us = 0; /* the next one finds them asleep again */
}

/* It is here before who sleeps would have woken. */
static void wait_awake(const struct session *s)
{
	struct pollfd front = {.fd = s->k->front, .events = POLLIN};
	uint64_t until = clock_us() + COMES_US;

	while (poll(&front, 1, 0) == 0 && clock_us() < until)
		;
}

void obey_stir(struct session *s, const struct keep_request *r, const struct buf *body)
{
	(void)r;
	(void)body;
	stir(s, s->k->audit.company == PUT_ALONE);
	if (s->stirred_us)
		wait_awake(s);
}
