/* SPDX-License-Identifier: Apache-2.0 */
/* stuck.c - are there calls that wait for a box in vain, and nobody left who could serve others?
 *
 * Slots, or keepers, may be there and do nothing.  That shows only in what they
 * were given: a call whose slot does not answer its keeper, or that has not
 * begun for long.  If every keeper has one of these, nothing is left.  If some
 * have none, nobody knows how theirs are: they are doubted until a call has run
 * meanwhile, and not for ever, because without calls none ever would.
 */
#include "serve/api/pool.h"

static bool waits_for_box(const struct task *t)
{
	/* A copy of a session takes as long as there is something to copy. */
	if (t->request.kind == KEEP_OPEN)
		return t->request.number == 0;
	return t->request.kind == KEEP_CALL && t->runs;
}

/* Since when; 0: it does not. */
static uint64_t waits_in_vain_us(const struct task *t, uint64_t now_us)
{
	uint64_t late_us = t->sent_us + POOL_BEGIN_S * UINT64_C(1000000);

	if (t->silent_us)
		return t->silent_us;
	return waits_for_box(t) && !t->begun && now_us > late_us ? late_us : 0;
}

static bool could_serve(const struct pool *p, const struct keeper *k)
{
	return k->ready && !k->for_session && !k->retired && k->generation == p->limits.generation;
}

bool pool_is_stuck(const struct pool *p, uint64_t now_us)
{
	uint64_t sent_us = 0, since_us = 0; /* of the last one */
	size_t left = 0;

	EACH_LINK(at, &p->keepers)
	{
		const struct keeper *k = LINKED(at, struct keeper, all);
		bool stuck = false;

		EACH_LINK(in, &k->tasks)
		{
			const struct task *t = LINKED(in, struct task, in_keeper);
			uint64_t us = waits_in_vain_us(t, now_us);

			stuck = stuck || us;
			if (us > since_us)
				since_us = us, sent_us = t->sent_us;
		}
		left += !stuck && could_serve(p, k);
	}
	if (!since_us || !left)
		return since_us != 0;
	return p->ran_us < sent_us && now_us - since_us < POOL_DOUBT_S * UINT64_C(1000000);
}
