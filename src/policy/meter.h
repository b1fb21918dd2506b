/* SPDX-License-Identifier: Apache-2.0 */
/* meter.h - how often, how many at once, how much: buckets, places and budgets that outlive us. */
#ifndef POLICY_METER_H
#define POLICY_METER_H

#include "policy/policy.h"

/* What a rate may be at most; a rule may hold RATES_MAX of them (checked at load). */
#define RATE_LIMIT_MAX  1000000000ULL
#define RATE_PER_MAX_MS (366ULL * 86400 * 1000)
enum { RATES_MAX = 8 };

/* "1/min", "10/min burst 3", "100/hour", "5/30s", "unlimited" (ret_unlimited).  Without burst it is
 * the limit.  key and place are left alone. */
int rate_parse(const char *text, struct rate *ret, bool *ret_unlimited, struct error *err);
/* For a rate that came in parts: limit, per and burst (0 is an error: put the limit in). */
int rate_check(const struct rate *r, struct error *err);
/* As rate_parse takes it. */
void rate_text(const struct rate *r, char *ret, size_t room);

/* An open state file.  Not to be used by a child after fork(): it would share its parent's locks.
 */
struct meter;

/* What is left for this client after this call; in every answer, refused or not. */
struct remaining {
	bool has_calls, has_cpu, has_output;
	uint64_t calls, cpu_ms, output_bytes; /* of the budget's window */
	bool has_rate;
	uint64_t rate_calls;    /* that could be made at once now, by the tightest bucket */
	uint64_t rate_reset_ms; /* until that bucket is full again */
};

/* dir NULL: $BELLJAR_STATE, /var/lib/belljar for root, else $XDG_STATE_HOME/belljar or
 * ~/.local/state/belljar.  Made if it is not there.  NULL: err tells the operator what to do, and
 * the caller is answered with meter_unusable(). */
struct meter *meter_open(const char *dir, struct error *err);
/* Nothing persists: for dry runs and tests. */
struct meter *meter_open_memory(struct error *err);
void meter_close(struct meter *m);
void meter_end(struct meter **m);
#define own_meter __attribute__((cleanup(meter_end))) struct meter *
/* Its file, open; -1: it has none. */
int meter_file(const struct meter *m);
/* The caller's half of a state that cannot be read or written: layer limit, rule "state". */
enum answer meter_unusable(struct why *why);
/* The operator's half, of what was asked last: after a refusal by rule "state", or a cost that
 * could not be charged.  kind ERR_NONE: nothing is wrong. */
const struct error *meter_error(const struct meter *m);

/* All buckets of this call (global, client, tool, client and tool), its place among those running
 * at once, and the client's budget: all are charged or none.  ret_ticket is given back with what
 * the call used.  now_ms: wall clock; going backwards never refills. */
enum answer meter_admit(struct meter *m, const struct policy *p, const struct client *c,
			const struct tool *t, uint64_t now_ms, uint64_t *ret_ticket,
			struct remaining *ret_left, struct why *why);
/* The same question without charging anything. */
enum answer meter_peek(struct meter *m, const struct policy *p, const struct client *c,
		       const struct tool *t, uint64_t now_ms, struct remaining *ret_left,
		       struct why *why);
/* The call ended: its place is free, its cost is charged (once; an unknown ticket is nothing, and
 * 0 stands for what was used beside all calls).
 * Renews the budget's part of ret_left and leaves the rate's alone. */
void meter_leave(struct meter *m, uint64_t ticket, const struct client *c, uint64_t now_ms,
		 uint64_t cpu_ms, uint64_t output_bytes, struct remaining *ret_left);

#endif
