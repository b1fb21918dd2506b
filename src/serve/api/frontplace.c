/* SPDX-License-Identifier: Apache-2.0 */
/* frontplace.c - where the front is, and whether it sleeps, while a snippet is worked on.
 *
 * Nothing but time depends on it.
 */
#include "serve/api/frontplace.h"

#include "base/clock.h"

enum { AWAKE_US = 200 }; /* more than it takes to write an end down */

void frontplace_free(struct pool *p)
{
	loop_when_it_rests(p->loop, NULL, NULL);
	beside_stay(&p->beside, 0);
}

/* So that it is not woken there, where it would take the keeper's time. */
void frontplace_sent(struct pool *p, bool apart)
{
	if (apart)
		beside_leave(&p->beside, p->place);
	else
		frontplace_free(p);
}

/* Who waits for a snippet's answer that is a moment away stays awake; in the end it is where it
 * likes, and so it is if that takes longer. */
void frontplace_note(struct pool *p, const struct task *t, const struct keep_reply *r)
{
	bool soon = r->kind == KEEP_BEGUN && r->place && p->beside.apart && !t->begun;
	uint64_t now = clock_us();

	if (r->place)
		p->place = r->place;
	if (soon)
		p->awake_us = now + AWAKE_US;
	else if (r->kind != KEEP_OUTPUT) /* which comes between */
		p->awake_us = 0;
	loop_hurry(p->loop, p->awake_us > now ? p->awake_us - now : 0);
	if (r->kind == KEEP_BEGUN && !soon)
		frontplace_free(p);
}

static void leave(void *context)
{
	struct pool *p = context;

	beside_leave(&p->beside, p->place);
}

/* Another snippet is likely: who is then where the keepers are not can wake one while it reads.  To
 * go there takes as long as a tenth of a snippet: not before its answer is on its way. */
void frontplace_settle(struct pool *p, bool alone)
{
	if (alone)
		loop_when_it_rests(p->loop, leave, p);
	else
		frontplace_free(p);
}
