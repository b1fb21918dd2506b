/* SPDX-License-Identifier: Apache-2.0 */
/* sliding.c - how much was used in the last hour: one sliding window of a budget. */
#include "policy/sliding.h"

#include <string.h>

#include "policy/gcra.h"

/* One more slot than slices: the newest is not over yet. */
enum { SLICES = WINDOW_SLOTS - 1 };

static uint64_t plus(uint64_t x, uint64_t y)
{
	uint64_t sum;

	return __builtin_add_overflow(x, y, &sum) ? UINT64_MAX : sum;
}

/* No length is the longest: a budget without one must not be a budget without effect. */
static uint64_t slice_of(uint64_t per_ms)
{
	uint64_t most_ms = GCRA_AHEAD_MAX_NS / NS_PER_MS;
	uint64_t per_ns = (per_ms && per_ms < most_ms ? per_ms : most_ms) * NS_PER_MS;

	return (per_ns + SLICES - 1) / SLICES;
}

uint64_t sliding_used(const struct window *w)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < WINDOW_SLOTS; i++)
		sum = plus(sum, w->used[i]);
	return sum;
}

/* Slots between the newest and now hold what has left the window. */
static void forget_old(struct window *w, uint64_t now)
{
	uint64_t steps = now - w->newest;

	if (steps > WINDOW_SLOTS)
		steps = WINDOW_SLOTS;
	for (uint64_t i = 0; i < steps; i++)
		w->used[(now - i) % WINDOW_SLOTS] = 0;
	w->newest = now;
}

bool sliding_settle(struct window *w, uint64_t per_ms, uint64_t now_ns)
{
	uint64_t slice_ns = slice_of(per_ms), now = now_ns / slice_ns, used;

	if (w->slice_ns == slice_ns && w->newest <= now) {
		forget_old(w, now);
		return false;
	}
	if (w->slice_ns && w->newest <= now_ns / w->slice_ns)
		forget_old(w, now_ns / w->slice_ns);
	used = sliding_used(w);
	memset(w->used, 0, sizeof(w->used));
	w->slice_ns = slice_ns;
	w->newest = now;
	w->used[now % WINDOW_SLOTS] = used;
	return used > 0;
}

void sliding_charge(struct window *w, uint64_t cost)
{
	uint64_t *slot = &w->used[w->newest % WINDOW_SLOTS];

	*slot = plus(*slot, cost);
}

uint64_t sliding_wait_ns(const struct window *w, uint64_t allowed, uint64_t now_ns)
{
	uint64_t left = 0, slice = w->newest;

	/* From the newest back: the first slice that does not fit any more must have left, and with
	 * it all that are older. */
	for (size_t i = 0; i < WINDOW_SLOTS; i++, slice--) {
		left = plus(left, w->used[slice % WINDOW_SLOTS]);
		if (left > allowed)
			return (slice + WINDOW_SLOTS) * w->slice_ns - now_ns;
		if (slice == 0)
			break;
	}
	return 0;
}

bool sliding_is_idle(const struct window *w, uint64_t now_ns)
{
	return w->slice_ns == 0 || now_ns / w->slice_ns >= plus(w->newest, WINDOW_SLOTS);
}
