/* SPDX-License-Identifier: Apache-2.0 */
/* meterbill.h - what one call is asked about and charged with: its buckets and its client's
 * windows. */
#ifndef POLICY_METERBILL_H
#define POLICY_METERBILL_H

#include "policy/gcra.h"
#include "policy/meter.h"
#include "policy/meterstore.h"
#include "policy/meterwhy.h"

struct rate_charge {
	struct meter_rule rule;
	const struct rate *rate;
	struct gcra gcra;
	struct bucket *bucket;
};

struct budget_charge {
	struct meter_rule rule;
	uint64_t limit;
	struct window *window;
};

/* Large: only what is used is written. */
struct bill {
	struct store *store; /* begun */
	struct error *err;
	const struct client *client;
	const struct tool *tool;
	struct rate_charge rates[3 * RATES_MAX];
	size_t n_rates;
	struct budget_charge budgets[3];
	size_t n_budgets;
	uint64_t now_ns;
};

/* Between store_begin() and store_finish(); err is where all below say what is wrong with the
 * store.
 */
void bill_start(struct bill *b, struct store *store, const struct client *c, const struct tool *t,
		struct error *err);
/* Of everybody, of the client, of the tool. */
int bill_add_rates(struct bill *b, const struct policy *p);
int bill_add_budgets(struct bill *b);
enum answer bill_ask(const struct bill *b, struct why *why);
/* One call; what it cost is known when it is over. */
void bill_charge(struct bill *b);
void bill_charge_cost(struct bill *b, uint64_t cpu_ms, uint64_t output_bytes);
void bill_tell_rates(const struct bill *b, struct remaining *ret);
void bill_tell_budgets(const struct bill *b, struct remaining *ret);

#endif
