/* SPDX-License-Identifier: Apache-2.0 */
/* sliding.h - how much was used in the last hour: one sliding window of a budget.
 *
 * The window is cut into slices; a slice leaves as a whole when all of it is old
 * enough.  So whatever stretch of that length one looks at, no more than the
 * budget was granted in it; what was used is remembered a fiftieth too long at
 * most.  It counts units, not time: a budget that is changed applies at once.
 */
#ifndef POLICY_SLIDING_H
#define POLICY_SLIDING_H

#include "policy/meterstore.h"

/* Makes w a window of that length as of now.  What it holds of another length counts as used now;
 * true: that was so, and must be written down, or it would count from now for ever. */
bool sliding_settle(struct window *w, uint64_t per_ms, uint64_t now_ns);
uint64_t sliding_used(const struct window *w);
/* After sliding_settle(). */
void sliding_charge(struct window *w, uint64_t cost);
/* How long until no more than allowed is still counted; 0: already so. */
uint64_t sliding_wait_ns(const struct window *w, uint64_t allowed, uint64_t now_ns);
/* Nothing in it counts any more: as good as none. */
bool sliding_is_idle(const struct window *w, uint64_t now_ns);

#endif
