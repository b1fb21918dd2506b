/* SPDX-License-Identifier: Apache-2.0 */
/* overdue.c - a program that its warden does not end is ended by its launcher, a little later.
 *
 * The warden keeps the deadlines.  One that somebody has stopped does not, nor
 * does belljar itself while it stands still before a terminal that takes no
 * more.  What the warden makes of such an end: slot_news.c.
 */
#include "sandbox/native/overdue.h"

#include <limits.h>
#include <signal.h>
#include <sys/pidfd.h>

#include "base/clock.h"

enum { LATER_MS = 1000 };

void overdue_begin(struct launcher *l, const struct limits *limits)
{
	l->overdue_us = clock_us() + (limits->wall_ms + LATER_MS) * 1000ULL;
}

int overdue_wait_ms(const struct launcher *l, int ms)
{
	uint64_t now = clock_us(), left;

	if (!l->program || !l->overdue_us)
		return ms;
	left = l->overdue_us > now ? (l->overdue_us - now) / 1000 + 1 : 0;
	if (ms >= 0 && (uint64_t)ms < left)
		return ms;
	return left < INT_MAX ? (int)left : INT_MAX;
}

void overdue_end(struct launcher *l)
{
	if (!l->program || !l->overdue_us || clock_us() < l->overdue_us)
		return;
	l->overdue_us = 0;
	l->kill_ordered = true; /* that pid 1 of the box dies is our doing */
	(void)pidfd_send_signal(l->box.pidfd, SIGKILL, NULL, 0);
}
