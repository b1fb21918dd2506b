/* SPDX-License-Identifier: Apache-2.0 */
/* stopping.c - the service ends, in an order that loses no record.
 *
 * The front accepts no more and lets calls end; then it goes, and with it the
 * keepers, whose last records the scribe still takes; then the warden and its
 * slots; the scribe is the last.  Whoever does not go in time is killed.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/own.h"
#include "serve/roles/supervise.h"

enum { DRAIN_GRACE_MS = 2000 };

/* Its socket closes, and it sees that; a keeper's closes with its front. */
static void let_go(struct single *one)
{
	if (!one->pid)
		return;
	loop_remove(one->all->loop, &one->news);
	if (one->control >= 0)
		(void)close(take_fd(&one->control));
}

static void insist(struct single *one)
{
	if (one->pid)
		(void)kill(one->pid, SIGKILL);
}

/* What each step of the end waits for, and what it does when that does not come. */
static bool is_over(const struct supervisor *s)
{
	switch (s->stopping) {
	case STOP_DRAIN:
		return !s->singles[ROLE_FRONT].pid;
	case STOP_KEEPERS:
		return !s->singles[ROLE_FRONT].pid && !s->keepers && !s->nursery.pid;
	case STOP_WARDEN:
		return !s->singles[ROLE_WARDEN].pid && !s->singles[ROLE_AUDITOR].pid;
	case STOP_SCRIBE:
		return !s->singles[ROLE_SCRIBE].pid;
	case STOP_NOT:
	case STOP_DONE:
		break;
	}
	return true;
}

static void force(struct supervisor *s)
{
	switch (s->stopping) {
	case STOP_DRAIN:
	case STOP_KEEPERS:
		insist(&s->singles[ROLE_FRONT]);
		keepers_kill(s);
		nursing_kill(s);
		break;
	case STOP_WARDEN:
		insist(&s->singles[ROLE_WARDEN]);
		insist(&s->singles[ROLE_AUDITOR]);
		break;
	case STOP_SCRIBE:
		insist(&s->singles[ROLE_SCRIBE]);
		break;
	case STOP_NOT:
	case STOP_DONE:
		break;
	}
}

static void enter(struct supervisor *s, enum stopping step)
{
	s->stopping = step;
	switch (step) {
	case STOP_KEEPERS:
		let_go(&s->singles[ROLE_FRONT]);
		nursing_end(s);
		templating_end(s);
		break;
	case STOP_WARDEN:
		let_go(&s->singles[ROLE_WARDEN]);
		break;
	case STOP_SCRIBE:
		if (s->singles[ROLE_SCRIBE].pid)
			(void)kill(s->singles[ROLE_SCRIBE].pid, SIGTERM);
		break;
	case STOP_DONE:
		loop_stop(s->loop);
		break;
	case STOP_NOT:
	case STOP_DRAIN:
		break;
	}
}

static void set_timer(struct supervisor *s, uint64_t ms)
{
	struct error err;

	if (loop_set(s->loop, &s->stop_timer, loop_now_us(s->loop) + ms * 1000, &err) < 0)
		force(s);
}

void stopping_advance(struct supervisor *s)
{
	while (s->stopping != STOP_DONE && is_over(s)) {
		enter(s, s->stopping + 1);
		set_timer(s, LEAVE_MS);
	}
}

void stopping_step(struct supervisor *s)
{
	/* Everything has been answered: the front need not be waited for. */
	if (s->stopping == STOP_DRAIN) {
		enter(s, STOP_KEEPERS);
		set_timer(s, LEAVE_MS);
	}
	stopping_advance(s);
}

static void take_time(void *context)
{
	struct supervisor *s = context;

	force(s);
	set_timer(s, LEAVE_MS);
}

void stopping_begin(struct supervisor *s)
{
	s->stop_timer =
		(struct loop_timer){.due = take_time, .context = s, .place = s->stop_timer.place};
	if (s->stopping == STOP_NOT) {
		notify_say(&s->notify, "STOPPING=1\nSTATUS=draining");
		viewrun_cancel(&s->viewrun);
		selftest_cancel(s);
		s->stopping = STOP_DRAIN;
		if (!s->failed && s->singles[ROLE_FRONT].pid &&
		    front_tell(s, ROLE_DRAIN, s->plan.drain_ms, -1) == 0) {
			supervisor_say("draining: calls have %" PRIu64 " s to end; the same signal "
				       "again ends them now",
				       s->plan.drain_ms / 1000);
			set_timer(s, s->plan.drain_ms + DRAIN_GRACE_MS);
			return;
		}
	}
	/* Now: what runs is killed, and its record says so. */
	if (s->stopping <= STOP_KEEPERS)
		insist(&s->singles[ROLE_FRONT]);
	if (s->stopping == STOP_DRAIN)
		stopping_step(s);
	else
		stopping_advance(s);
}
