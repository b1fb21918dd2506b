/* SPDX-License-Identifier: Apache-2.0 */
/* pace.c - when a slot gets ready for its next call: as calls have come so far.
 *
 * An answer is on its way through other processes, which need the processor
 * first.  But who asks for the next call meanwhile finds nothing prepared: where
 * calls come one after another, nobody is to wait for it.
 */
#include "cli/pace.h"

void pace_asked(struct pace *p, uint64_t now_us)
{
	p->busy = now_us - p->answered_us < PACE_BUSY_US;
}

void pace_answered(struct pace *p, uint64_t now_us)
{
	p->answered_us = now_us;
	p->tidy_us = now_us + (p->busy ? 0 : PACE_TIDY_US);
}

bool pace_is_due(struct pace *p, uint64_t now_us)
{
	if (p->tidy_us == 0 || now_us < p->tidy_us)
		return false;
	p->tidy_us = 0;
	return true;
}

int pace_wait_ms(const struct pace *p, uint64_t now_us)
{
	if (p->tidy_us == 0)
		return -1;
	return now_us < p->tidy_us ? 1 : 0;
}
