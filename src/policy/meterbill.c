/* SPDX-License-Identifier: Apache-2.0 */
/* meterbill.c - what one call is asked about and charged with: its buckets and its client's
 * windows.
 *
 * A bucket is found by what it is of, not by its numbers: a rate that is changed in
 * the policy goes on with the bucket as it is, at worst an empty one of the new
 * rate (but for one that several tools share: see tool_of).  A bucket that is
 * full again is forgotten: it is the same as none.
 */
#include "policy/meterbill.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "policy/meterwhy.h"
#include "policy/sliding.h"

enum { WINDOW_PROBES = 16 };

/* The cache holds what one call may touch: the head, its rates, the budgets it looks for. */
static_assert(1 + 3 * RATES_MAX + 3 * WINDOW_PROBES <= STORE_CACHE, "a call fits");

/* For a tool whose policy says nothing; policy_load() puts it in, too. */
static const struct rate standard_rate = {
	.limit = 10, .per_ms = 60000, .burst = 10, .key = RATE_PER_CLIENT | RATE_PER_TOOL};

static bool is_billed(const struct bill *b, const struct bucket *bucket)
{
	for (size_t i = 0; i < b->n_rates; i++)
		if (b->rates[i].bucket == bucket)
			return true;
	return false;
}

/* The bucket of that key: its own, or one that nobody misses. */
static struct bucket *find_bucket(struct bill *b, struct meter_key key)
{
	union sector *x = store_load(b->store, 1 + (uint32_t)(key.b % BUCKET_SECTORS), b->err);
	struct bucket *free_one = NULL;

	if (!x)
		return NULL;
	for (size_t i = 0; i < SECTOR_BUCKETS; i++) {
		struct bucket *bucket = &x->buckets.bucket[i];

		if (meter_key_same(bucket->key, key))
			return bucket;
		if (!free_one && bucket->tat_ns <= b->now_ns && !is_billed(b, bucket))
			free_one = bucket;
	}
	if (!free_one) {
		(void)fail(b->err, ERR_CONFIG, "the state file is full: too many rates in use");
		return NULL;
	}
	*free_one = (struct bucket){.key = key};
	return free_one;
}

/* The tool that a bucket is of; NULL: all of them.  Rates of tools that share a count do so only
 * with their like, else the wider one would let the narrower begin anew. */
static const char *tool_of(const struct bill *b, enum meter_what what, const struct rate *rate,
			   char *ret, size_t room)
{
	if (rate->key & RATE_PER_TOOL)
		return b->tool->name;
	if (what != METER_RATE_TOOL)
		return NULL;
	/* No tool has a slash in its name. */
	(void)snprintf(ret, room, "/%" PRIu64 "/%" PRIu64 "/%" PRIu64, rate->limit, rate->per_ms,
		       rate->burst);
	return ret;
}

static int add_rate(struct bill *b, const struct meter_rule *rule, const struct rate *rate)
{
	struct rate_charge *r = &b->rates[b->n_rates];
	bool per_client = rate->key & RATE_PER_CLIENT || rule->what == METER_RATE_CLIENT;
	char shared[80];
	uint64_t settled;

	*r = (struct rate_charge){.rule = *rule, .rate = rate, .gcra = gcra_of(rate)};
	r->bucket = find_bucket(b, meter_key(b->store->head->secret, rule->what, rule->nth,
					     per_client ? b->client->name : NULL,
					     tool_of(b, rule->what, rate, shared, sizeof(shared))));
	if (!r->bucket)
		return -1;
	settled = gcra_settle(r->gcra, r->bucket->tat_ns, b->now_ns);
	if (settled != r->bucket->tat_ns) {
		r->bucket->tat_ns = settled;
		store_touch(b->store, r->bucket); /* even if refused: it counts from now */
	}
	b->n_rates++;
	return 0;
}

static int add_rates(struct bill *b, enum meter_what what, const struct rates *rates)
{
	struct meter_rule rule = {
		.what = what, .client = b->client, .tool = b->tool, .of = rates->n};

	if (rates->n > RATES_MAX)
		return fail(b->err, ERR_CONFIG, "more than %d rates in one rule", RATES_MAX);
	if (rates->n == 0 && !rates->unlimited && what == METER_RATE_TOOL)
		return add_rate(b, &rule, &standard_rate);
	for (; rule.nth < rates->n; rule.nth++)
		if (add_rate(b, &rule, &rates->rate[rule.nth]) < 0)
			return -1;
	return 0;
}

/* A sector once used is never blank again, so that nothing of ours lies behind a blank one.  One
 * that this call found already is as of now, and so not idle. */
static struct window *find_window(struct bill *b, struct meter_key key)
{
	struct window *free_one = NULL;

	for (uint64_t i = 0; i < WINDOW_PROBES; i++) {
		uint32_t at = (uint32_t)((key.b + i) % WINDOW_SECTORS);
		union sector *x = store_load(b->store, 1 + BUCKET_SECTORS + at, b->err);
		struct window *w;

		if (!x)
			return NULL;
		w = &x->window;
		if (meter_key_same(w->key, key))
			return w;
		if (!free_one && sliding_is_idle(w, b->now_ns))
			free_one = w;
		if (w->key.a == 0 && w->key.b == 0)
			break;
	}
	if (!free_one) {
		(void)fail(b->err, ERR_CONFIG, "the state file is full: too many budgets");
		return NULL;
	}
	*free_one = (struct window){.key = key};
	return free_one;
}

static int add_budget(struct bill *b, enum meter_what what, uint64_t limit)
{
	struct budget_charge *s = &b->budgets[b->n_budgets];

	if (limit == 0)
		return 0;
	*s = (struct budget_charge){.rule = {.what = what, .client = b->client}, .limit = limit};
	s->window =
		find_window(b, meter_key(b->store->head->secret, what, 0, b->client->name, NULL));
	if (!s->window)
		return -1;
	if (sliding_settle(s->window, b->client->budget.per_ms, b->now_ns))
		store_touch(b->store, s->window);
	b->n_budgets++;
	return 0;
}

int bill_add_rates(struct bill *b, const struct policy *p)
{
	if (add_rates(b, METER_RATE_ALL, &p->rates) < 0 ||
	    add_rates(b, METER_RATE_CLIENT, &b->client->rates) < 0)
		return -1;
	return add_rates(b, METER_RATE_TOOL, &b->tool->rates);
}

int bill_add_budgets(struct bill *b)
{
	const struct budget *budget = &b->client->budget;

	if (add_budget(b, METER_CALLS, budget->calls) < 0 ||
	    add_budget(b, METER_CPU, budget->cpu_ms) < 0)
		return -1;
	return add_budget(b, METER_OUTPUT, budget->output_bytes);
}

static uint64_t wait_ms_of(const struct bill *b, uint64_t wait_ns)
{
	if (wait_ns == 0)
		return 0;
	return (wait_ns + NS_PER_MS - 1) / NS_PER_MS + b->store->behind_ms;
}

/* The longest wait is the one to name: after it none of the others is left. */
static enum answer ask_rates(const struct bill *b, uint64_t *longest, struct why *why)
{
	const struct rate_charge *worst = NULL;

	for (size_t i = 0; i < b->n_rates; i++) {
		const struct rate_charge *r = &b->rates[i];
		uint64_t wait = wait_ms_of(b, gcra_wait_ns(r->gcra, r->bucket->tat_ns, b->now_ns));

		if (wait > *longest) {
			*longest = wait;
			worst = r;
		}
	}
	return worst ? meterwhy_rate(why, &worst->rule, worst->rate, *longest) : ANSWER_ALLOW;
}

static enum answer ask_budgets(const struct bill *b, uint64_t *longest, struct why *why)
{
	const struct budget_charge *worst = NULL;

	for (size_t i = 0; i < b->n_budgets; i++) {
		const struct budget_charge *s = &b->budgets[i];
		/* Room for one call, or for anything at all: its cost is not known before. */
		uint64_t wait = wait_ms_of(b, sliding_wait_ns(s->window, s->limit - 1, b->now_ns));

		if (wait > *longest) {
			*longest = wait;
			worst = s;
		}
	}
	if (!worst)
		return ANSWER_ALLOW;
	return meterwhy_budget(why, &worst->rule, worst->limit, b->client->budget.per_ms, *longest);
}

enum answer bill_ask(const struct bill *b, struct why *why)
{
	uint64_t longest = 0;
	enum answer rates = ask_rates(b, &longest, why);
	enum answer budgets = ask_budgets(b, &longest, why);

	return rates == ANSWER_ALLOW && budgets == ANSWER_ALLOW ? ANSWER_ALLOW : ANSWER_DENY;
}

void bill_charge(struct bill *b)
{
	struct store *s = b->store;

	for (size_t i = 0; i < b->n_rates; i++) {
		struct rate_charge *r = &b->rates[i];

		r->bucket->tat_ns = gcra_charge(r->gcra, r->bucket->tat_ns, b->now_ns);
		store_touch(s, r->bucket);
	}
	for (size_t i = 0; i < b->n_budgets; i++) {
		if (b->budgets[i].rule.what != METER_CALLS)
			continue;
		sliding_charge(b->budgets[i].window, 1);
		store_touch(s, b->budgets[i].window);
	}
}

void bill_tell_budgets(const struct bill *b, struct remaining *ret)
{
	for (size_t i = 0; i < b->n_budgets; i++) {
		const struct budget_charge *s = &b->budgets[i];
		uint64_t used = sliding_used(s->window);
		uint64_t left = used < s->limit ? s->limit - used : 0;

		if (s->rule.what == METER_CALLS) {
			ret->has_calls = true;
			ret->calls = left;
		} else if (s->rule.what == METER_CPU) {
			ret->has_cpu = true;
			ret->cpu_ms = left;
		} else {
			ret->has_output = true;
			ret->output_bytes = left;
		}
	}
}

void bill_tell_rates(const struct bill *b, struct remaining *ret)
{
	for (size_t i = 0; i < b->n_rates; i++) {
		const struct rate_charge *r = &b->rates[i];
		uint64_t left = gcra_left(r->gcra, r->bucket->tat_ns, b->now_ns);
		uint64_t tat = r->bucket->tat_ns;
		uint64_t full = wait_ms_of(b, tat > b->now_ns ? tat - b->now_ns : 0);

		if (ret->has_rate && (left > ret->rate_calls ||
				      (left == ret->rate_calls && full <= ret->rate_reset_ms)))
			continue;
		ret->has_rate = true;
		ret->rate_calls = left;
		ret->rate_reset_ms = full;
	}
}

void bill_charge_cost(struct bill *b, uint64_t cpu_ms, uint64_t output_bytes)
{
	for (size_t i = 0; i < b->n_budgets; i++) {
		enum meter_what what = b->budgets[i].rule.what;
		uint64_t cost = what == METER_CPU      ? cpu_ms
				: what == METER_OUTPUT ? output_bytes
						       : 0;

		if (cost == 0)
			continue;
		sliding_charge(b->budgets[i].window, cost);
		store_touch(b->store, b->budgets[i].window);
	}
}

void bill_start(struct bill *b, struct store *store, const struct client *c, const struct tool *t,
		struct error *err)
{
	b->store = store;
	b->err = err;
	b->client = c;
	b->tool = t;
	b->n_rates = b->n_budgets = 0;
	b->now_ns = store->head->time_ns;
}
