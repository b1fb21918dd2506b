/* SPDX-License-Identifier: Apache-2.0 */
/* gcra.h - a rate as arithmetic: one 64-bit time says all that a bucket has to remember.
 *
 * GCRA: each call moves the bucket's "theoretical arrival time" (tat) on by one
 * step; a call is too early while the tat would lie more than the room ahead of
 * now.  A tat in the past is a full bucket, the same as none at all.  In any
 * stretch of time t no more than burst + t / step calls are let through; there
 * is no window at whose edge twice as many fit.
 *
 * Nanoseconds, rounded up per step: a rate is never exceeded, at most missed by
 * a nanosecond a call.
 */
#ifndef POLICY_GCRA_H
#define POLICY_GCRA_H

#include <stdbool.h>
#include <stdint.h>

#include "call/rules.h"

#define NS_PER_MS 1000000ULL

/* No bucket is ever further ahead than that: ten years. */
#define GCRA_AHEAD_MAX_NS 315360000000000000ULL

struct gcra {
	uint64_t step_ns; /* of one call */
	uint64_t room_ns; /* burst steps */
};

/* Out of bounds comes out as the strictest thing that has this shape, never as a wider one. */
struct gcra gcra_of(const struct rate *r);
/* A tat further ahead than the room is of another rate: this bucket is then empty, no more. */
uint64_t gcra_settle(struct gcra g, uint64_t tat_ns, uint64_t now_ns);
/* 0: one call may pass now; else how long until it may. */
uint64_t gcra_wait_ns(struct gcra g, uint64_t tat_ns, uint64_t now_ns);
/* The tat after one call that may pass. */
uint64_t gcra_charge(struct gcra g, uint64_t tat_ns, uint64_t now_ns);
/* How many calls could pass at once now. */
uint64_t gcra_left(struct gcra g, uint64_t tat_ns, uint64_t now_ns);

#endif
