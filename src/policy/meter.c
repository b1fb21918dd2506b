/* SPDX-License-Identifier: Apache-2.0 */
/* meter.c - how often, how many at once, how much: buckets, places and budgets that outlive us.
 *
 * A call is asked about everything first (the rates of everybody, of its client,
 * of its tool; the client's budget; a place among those running) and charged
 * only if all of it says yes, in one piece under one lock.
 *
 * A bucket is found by what it is of, not by its numbers: a rate that is changed in
 * the policy goes on with the bucket as it is, at worst an empty one of the new
 * rate (but for one that several tools share: see tool_of).  A bucket that is
 * full again is forgotten: it is the same as none.
 *
 * A place is a lock on one byte far behind the end of the file, so the kernel
 * counts, and gives it back when the process ends, however it ends.
 */
#include "policy/meter.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "policy/gcra.h"
#include "policy/meterdir.h"
#include "policy/meterstore.h"
#include "policy/meterwhy.h"
#include "policy/sliding.h"

enum {
	WINDOW_PROBES = 16,
	PLACES_MAX = 1 << 16,
	RUNNING_MAX = 1 << 16,
	LEAVE_WAIT_MS = 10000, /* nobody is refused by it, but a cost would be lost */
};

struct ticket {
	uint64_t id;
	uint64_t place;
	bool has_place;
};

struct meter {
	struct store store;
	struct error error;
	struct ticket *tickets; /* calls of this process that run now */
	size_t n_tickets, room;
	uint64_t last_id;
};

/* The cache holds what one call may touch: the head, its rates, the budgets it looks for. */
static_assert(1 + 3 * RATES_MAX + 3 * WINDOW_PROBES <= STORE_CACHE, "a call fits");

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

/* What one call is charged with. */
struct bill {
	struct meter *m;
	const struct client *client;
	const struct tool *tool;
	struct rate_charge rates[3 * RATES_MAX];
	size_t n_rates;
	struct budget_charge budgets[3];
	size_t n_budgets;
	uint64_t now_ns;
	bool begun, has_place; /* the store is locked, or was tried to be; place is ours */
	uint64_t place;
};

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
	struct meter *m = b->m;
	union sector *x = store_load(&m->store, 1 + (uint32_t)(key.b % BUCKET_SECTORS), &m->error);
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
		(void)fail(&m->error, ERR_CONFIG, "the state file is full: too many rates in use");
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
	r->bucket = find_bucket(b, meter_key(b->m->store.head->secret, rule->what, rule->nth,
					     per_client ? b->client->name : NULL,
					     tool_of(b, rule->what, rate, shared, sizeof(shared))));
	if (!r->bucket)
		return -1;
	settled = gcra_settle(r->gcra, r->bucket->tat_ns, b->now_ns);
	if (settled != r->bucket->tat_ns) {
		r->bucket->tat_ns = settled;
		store_touch(&b->m->store, r->bucket); /* even if refused: it counts from now */
	}
	b->n_rates++;
	return 0;
}

static int add_rates(struct bill *b, enum meter_what what, const struct rates *rates)
{
	struct meter_rule rule = {
		.what = what, .client = b->client, .tool = b->tool, .of = rates->n};

	if (rates->n > RATES_MAX)
		return fail(&b->m->error, ERR_CONFIG, "more than %d rates in one rule", RATES_MAX);
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
		union sector *x = store_load(&b->m->store, 1 + BUCKET_SECTORS + at, &b->m->error);
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
		(void)fail(&b->m->error, ERR_CONFIG, "the state file is full: too many budgets");
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
		find_window(b, meter_key(b->m->store.head->secret, what, 0, b->client->name, NULL));
	if (!s->window)
		return -1;
	if (sliding_settle(s->window, b->client->budget.per_ms, b->now_ns))
		store_touch(&b->m->store, s->window);
	b->n_budgets++;
	return 0;
}

static int add_budgets(struct bill *b)
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
	return (wait_ns + NS_PER_MS - 1) / NS_PER_MS + b->m->store.behind_ms;
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

static bool is_held_here(const struct meter *m, uint64_t place)
{
	for (size_t i = 0; i < m->n_tickets; i++)
		if (m->tickets[i].has_place && m->tickets[i].place == place)
			return true;
	return false;
}

static enum answer ask_place(struct bill *b, struct why *why)
{
	uint64_t n = b->tool->concurrency < PLACES_MAX ? b->tool->concurrency : PLACES_MAX;
	struct meter *m = b->m;
	struct meter_key key;
	uint64_t first;

	if (b->tool->concurrency == 0)
		return ANSWER_ALLOW;
	key = meter_key(m->store.head->secret, METER_PLACES, 0, NULL, b->tool->name);
	first = (key.a >> 20) * PLACES_MAX; /* 60 bits: below the highest offset of a file */
	for (uint64_t i = 0; i < n; i++) {
		if (is_held_here(m, first + i) || !store_take_place(&m->store, first + i))
			continue;
		b->has_place = true;
		b->place = first + i;
		return ANSWER_ALLOW;
	}
	return meterwhy_places(why, b->tool);
}

static void give_back_place(struct bill *b)
{
	if (b->has_place)
		store_leave_place(&b->m->store, b->place);
	b->has_place = false;
}

static enum answer ask(struct bill *b, struct why *why)
{
	uint64_t longest = 0;
	enum answer rates = ask_rates(b, &longest, why);
	enum answer budgets = ask_budgets(b, &longest, why);

	if (rates != ANSWER_ALLOW || budgets != ANSWER_ALLOW)
		return ANSWER_DENY;
	return ask_place(b, why);
}

static void charge(struct bill *b)
{
	struct store *s = &b->m->store;

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

static void tell_budgets(const struct bill *b, struct remaining *ret)
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

static void tell_rates(const struct bill *b, struct remaining *ret)
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

static int keep_ticket(struct bill *b, uint64_t *ret_ticket)
{
	struct meter *m = b->m;

	if (m->n_tickets == m->room) {
		size_t room = m->room ? 2 * m->room : 8;
		struct ticket *more =
			room > RUNNING_MAX ? NULL : reallocarray(m->tickets, room, sizeof(*more));

		if (!more)
			return fail(&m->error, ERR_SYSTEM, "too many calls are running");
		m->tickets = more;
		m->room = room;
	}
	*ret_ticket = ++m->last_id;
	m->tickets[m->n_tickets++] =
		(struct ticket){.id = m->last_id, .has_place = b->has_place, .place = b->place};
	return 0;
}

static int begin(struct bill *b, uint64_t now_ms, uint64_t wait_ms)
{
	struct meter *m = b->m;

	m->error = (struct error){0};
	if (store_begin(&m->store, now_ms, wait_ms, &m->error) < 0)
		return -1;
	b->now_ns = m->store.head->time_ns;
	return 0;
}

static int draw_up(struct bill *b, const struct policy *p, uint64_t now_ms)
{
	if (begin(b, now_ms, STORE_WAIT_MS) < 0 || add_rates(b, METER_RATE_ALL, &p->rates) < 0 ||
	    add_rates(b, METER_RATE_CLIENT, &b->client->rates) < 0 ||
	    add_rates(b, METER_RATE_TOOL, &b->tool->rates) < 0)
		return -1;
	return add_budgets(b);
}

static bool has_budget(const struct client *c)
{
	return c->budget.calls || c->budget.cpu_ms || c->budget.output_bytes;
}

/* Nothing is counted for it, not even a place: then nobody needs to know what was before. */
static bool is_free(const struct bill *b, const struct policy *p)
{
	return p->rates.n == 0 && b->client->rates.n == 0 && b->tool->rates.n == 0 &&
	       b->tool->rates.unlimited && b->tool->concurrency == 0 && !has_budget(b->client);
}

static enum answer decide(struct bill *b, const struct policy *p, uint64_t now_ms,
			  uint64_t *ret_ticket, struct remaining *ret_left, struct why *why)
{
	uint64_t ticket = 0;
	enum answer answer;

	*ret_left = (struct remaining){0};
	if (is_free(b, p))
		return ret_ticket && keep_ticket(b, ret_ticket) < 0 ? meter_unusable(why)
								    : ANSWER_ALLOW;
	b->begun = true;
	if (draw_up(b, p, now_ms) < 0)
		return meter_unusable(why);
	answer = ask(b, why);
	if (answer == ANSWER_ALLOW && ret_ticket) {
		if (keep_ticket(b, &ticket) < 0)
			return meter_unusable(why);
		charge(b);
	}
	if (store_commit(&b->m->store, &b->m->error) < 0) {
		b->m->n_tickets -= ticket != 0;
		return meter_unusable(why);
	}
	tell_rates(b, ret_left);
	tell_budgets(b, ret_left);
	if (ticket) {
		b->has_place = false; /* it is the ticket's now */
		*ret_ticket = ticket;
	}
	return answer;
}

/* Large: only what is used is written. */
static void start_bill(struct bill *b, struct meter *m, const struct client *c,
		       const struct tool *t)
{
	assert(m && c);
	b->m = m;
	b->client = c;
	b->tool = t;
	b->n_rates = b->n_budgets = 0;
	b->has_place = b->begun = false;
}

static void end_bill(struct bill *b)
{
	give_back_place(b);
	if (b->begun)
		store_finish(&b->m->store);
}

/* NOLINTNEXTLINE(readability-function-size): a call has that many sides */
enum answer meter_admit(struct meter *m, const struct policy *p, const struct client *c,
			const struct tool *t, uint64_t now_ms, uint64_t *ret_ticket,
			struct remaining *ret_left, struct why *why)
{
	struct bill b;
	enum answer answer;

	assert(p && t && ret_ticket);
	start_bill(&b, m, c, t);
	answer = decide(&b, p, now_ms, ret_ticket, ret_left, why);
	end_bill(&b);
	return answer;
}

/* NOLINTNEXTLINE(readability-function-size) */
enum answer meter_peek(struct meter *m, const struct policy *p, const struct client *c,
		       const struct tool *t, uint64_t now_ms, struct remaining *ret_left,
		       struct why *why)
{
	struct bill b;
	enum answer answer;

	assert(p && t);
	start_bill(&b, m, c, t);
	answer = decide(&b, p, now_ms, NULL, ret_left, why);
	end_bill(&b);
	return answer;
}

static bool end_ticket(struct meter *m, uint64_t ticket)
{
	for (size_t i = 0; i < m->n_tickets; i++) {
		if (m->tickets[i].id != ticket)
			continue;
		if (m->tickets[i].has_place)
			store_leave_place(&m->store, m->tickets[i].place);
		m->tickets[i] = m->tickets[--m->n_tickets];
		return true;
	}
	return false;
}

static void charge_cost(struct bill *b, uint64_t cpu_ms, uint64_t output_bytes)
{
	for (size_t i = 0; i < b->n_budgets; i++) {
		enum meter_what what = b->budgets[i].rule.what;
		uint64_t cost = what == METER_CPU      ? cpu_ms
				: what == METER_OUTPUT ? output_bytes
						       : 0;

		if (cost == 0)
			continue;
		sliding_charge(b->budgets[i].window, cost);
		store_touch(&b->m->store, b->budgets[i].window);
	}
}

/* NOLINTNEXTLINE(readability-function-size) */
void meter_leave(struct meter *m, uint64_t ticket, const struct client *c, uint64_t now_ms,
		 uint64_t cpu_ms, uint64_t output_bytes, struct remaining *ret_left)
{
	struct bill b;

	if ((ticket && !end_ticket(m, ticket)) || !has_budget(c))
		return;
	start_bill(&b, m, c, NULL);
	b.begun = true;
	if (begin(&b, now_ms, LEAVE_WAIT_MS) == 0 && add_budgets(&b) == 0) {
		charge_cost(&b, cpu_ms, output_bytes);
		if (store_commit(&m->store, &m->error) == 0)
			tell_budgets(&b, ret_left);
	}
	end_bill(&b);
}

const struct error *meter_error(const struct meter *m)
{
	return &m->error;
}

struct meter *meter_open(const char *dir, struct error *err)
{
	own_meter m = calloc(1, sizeof(*m));
	int fd;

	if (!m) {
		(void)fail(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	m->store = (struct store){.dir = -1, .file = -1};
	fd = meterdir_open(dir, err);
	if (fd < 0 || store_open(&m->store, fd, err) < 0)
		return NULL;
	return TAKE(m);
}

struct meter *meter_open_memory(struct error *err)
{
	own_meter m = calloc(1, sizeof(*m));

	if (!m) {
		(void)fail(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	return store_open_memory(&m->store, err) < 0 ? NULL : TAKE(m);
}

int meter_file(const struct meter *m)
{
	return m->store.file;
}

void meter_close(struct meter *m)
{
	if (!m)
		return;
	store_done(&m->store);
	free(m->tickets);
	free(m);
}

void meter_end(struct meter **m)
{
	meter_close(*m);
}
