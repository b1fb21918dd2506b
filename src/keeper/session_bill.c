/* SPDX-License-Identifier: Apache-2.0 */
/* session_bill.c - what a box uses is charged while it is used, not only when a call ends.
 *
 * A snippet may run for an hour, or leave somebody who works on behind it: its
 * client's budget would be spent before anybody knew.  A look is one read of
 * the group's counter; a session that sleeps is woken for it seldom, and where
 * there is no budget never.
 *
 * When nothing is left of the budget no call is taken any more, and what works on behind all calls
 * is ended with its box at the second look that finds it at work: the first may have seen what
 * came after a call, such as an interpreter that puts its memory away.  While a call runs that
 * was taken in time, the box has as much more as one call may use.  Who only waits stays.
 */
#include <time.h>

#include "keeper/session_state.h"

enum { BILL_US = 5000000, SELDOM_US = 60000000, LEAST_US = 100000 };

void session_bill_begin(struct session *s, const struct client *c)
{
	s->payer = c && c->budget.cpu_ms && s->k->meter && s->kept.cpu >= 0 ? c : NULL;
	s->bill_us = s->opened_us + BILL_US;
}

static void judge(struct session *s, const struct remaining *left, bool busy)
{
	uint64_t leave_us = busy ? s->limits.cpu_ms * 1000 : 0;

	if (!left->has_cpu || left->cpu_ms > 0)
		s->over_us = 0;
	else if (s->over_us == 0)
		s->over_us = s->billed_us;
	else if (s->billed_us - s->over_us >= leave_us)
		s->end = SESSION_BUDGET;
}

static void charge(struct session *s, uint64_t all_us, bool busy)
{
	struct remaining left = {0};
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	meter_leave(s->k->meter, 0, s->payer,
		    (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000,
		    (all_us - s->billed_us) / 1000, 0, &left);
	/* What could not be charged is charged with the next look, or with a call. */
	if (meter_error(s->k->meter)->kind != ERR_NONE) {
		keeper_say(s->k, meter_error(s->k->meter));
		return;
	}
	s->billed_us = all_us;
	judge(s, &left, busy);
}

uint64_t session_bill(struct session *s, uint64_t now_us, bool busy)
{
	uint64_t all_us;

	if (!s->payer)
		return 0;
	if (!s->rests && s->bill_us > now_us + BILL_US)
		s->bill_us = now_us + BILL_US;
	if (now_us < s->bill_us)
		return s->bill_us;
	s->bill_us = now_us + SELDOM_US;
	if (kept_cpu_us(&s->kept, &all_us) == 0 && all_us >= s->billed_us + LEAST_US) {
		charge(s, all_us, busy);
		s->bill_us = now_us + BILL_US;
	}
	return s->bill_us;
}
