/* SPDX-License-Identifier: Apache-2.0 */
/* meter_test.c - buckets, places and budgets under a clock of our own. */
#include "meter_case.h"

#include "scratch.h"

static uint64_t seed = 0x853c49e6748fea9b;

static uint64_t noise(void) /* xorshift64 */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

TEST(one_a_minute_is_refused_with_the_time_to_come_back)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "1/min");
	c.tool.name = "delete_user";
	CHECK(admit(m, &c, START_MS));
	CHECK(c.left.has_rate && c.left.rate_calls == 0 && c.left.rate_reset_ms == 60000);
	CHECK(!admit(m, &c, START_MS + 18000));
	CHECK(c.why.layer == WHY_LIMIT);
	CHECK_STR(c.why.rule, "tools.delete_user.rate");
	CHECK_STR(c.why.what,
		  "the rate of delete_user for this client is 1/min, and it is used up for now");
	CHECK_STR(c.why.hint, "the same call will be accepted in 42 s");
	CHECK(!c.why.permanent && c.why.retry_after_ms == 42000);
	CHECK(!admit(m, &c, START_MS + 59999));
	CHECK(c.why.retry_after_ms == 1);
	CHECK(admit(m, &c, START_MS + 60000));
}

TEST(each_rule_is_named_when_it_refuses)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "100/min");
	c.all = rate_of("3/min", 0);
	c.policy.rates = (struct rates){.rate = &c.all, .n = 1};
	c.by_client = rate_of("2/min", 0); /* the client's without saying so */
	c.client.rates = (struct rates){.rate = &c.by_client, .n = 1};
	CHECK(admit_many(m, &c, START_MS, 9) == 2);
	CHECK_STR(c.why.rule, "clients.research.rate");
	CHECK_STR(c.why.what,
		  "the rate of calls for this client is 2/min, and it is used up for now");
	c.client.name = "other";
	CHECK(admit_many(m, &c, START_MS, 9) == 1);
	CHECK_STR(c.why.rule, "rate");
	CHECK_STR(c.why.what,
		  "the rate of calls for all clients together is 3/min, and it is used up for now");
}

TEST(a_tool_without_a_rate_has_ten_a_minute)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "1/min");
	c.tool.rates = (struct rates){0};
	CHECK(admit_many(m, &c, START_MS, 100) == 10);
	CHECK(admit_many(m, &c, START_MS + 6000, 100) == 1);
	c.tool.rates.unlimited = true;
	CHECK(admit_many(m, &c, START_MS + 6000, 1000) == 1000);
	CHECK(!c.left.has_rate);
}

TEST(buckets_belong_to_whom_their_key_says)
{
	static const struct {
		unsigned key;
		bool other_client, other_tool; /* has it a bucket of its own? */
	} rows[] = {
		{RATE_PER_CLIENT | RATE_PER_TOOL, true, true},
		{RATE_PER_CLIENT, true, false},
		{RATE_PER_TOOL, false, true},
		{0, false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		own_meter m = in_memory();
		struct meter_case c;

		case_init(&c, "1/min");
		c.by_tool.key = rows[i].key;
		CHECK(admit(m, &c, START_MS));
		CHECK(!peek(m, &c, START_MS));
		c.client.name = "other";
		CHECK(peek(m, &c, START_MS) == rows[i].other_client);
		c.client.name = "research";
		c.tool.name = "other";
		CHECK(peek(m, &c, START_MS) == rows[i].other_tool);
	}
}

TEST(a_wide_rate_of_one_tool_does_not_refill_a_narrow_one_of_another)
{
	static const unsigned keys[] = {0, RATE_PER_CLIENT};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		own_meter m = in_memory();
		struct meter_case narrow, wide, like;

		case_init(&narrow, "1/hour");
		case_init(&wide, "1000/s");
		case_init(&like, "1/hour");
		wide.tool.name = "other";
		like.tool.name = "third";
		narrow.by_tool.key = wide.by_tool.key = like.by_tool.key = keys[i];
		CHECK(admit(m, &narrow, START_MS));
		CHECK(admit(m, &wide, START_MS + 1));
		CHECK(!admit(m, &narrow, START_MS + 5000));
		CHECK(!admit(m, &like, START_MS + 5000)); /* the same rate is one count */
	}
}

TEST(the_longest_wait_is_named_and_is_enough)
{
	own_meter m = in_memory();
	struct rate list[2] = {rate_of("1/s", RATE_PER_CLIENT), rate_of("1/min", RATE_PER_CLIENT)};
	struct meter_case c;

	case_init(&c, "1/30s");
	c.client.rates = (struct rates){.rate = list, .n = 2};
	CHECK(admit(m, &c, START_MS));
	CHECK(!admit(m, &c, START_MS + 100));
	CHECK_STR(c.why.rule, "clients.research.rate[1]");
	CHECK(c.why.retry_after_ms == 59900);
	CHECK(admit(m, &c, START_MS + 60000));
}

TEST(a_refused_call_is_charged_nowhere)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "1/min");
	c.by_client = rate_of("5/min", RATE_PER_CLIENT);
	c.client.rates = (struct rates){.rate = &c.by_client, .n = 1};
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 5};
	c.tool.concurrency = 2;
	CHECK(admit_many(m, &c, START_MS, 50) == 1);
	CHECK(c.left.calls == 4 && c.left.rate_calls == 0);
	c.tool.name = "other";
	CHECK(admit(m, &c, START_MS));
	c.tool.name = "third";
	CHECK(admit(m, &c, START_MS));
	c.tool.name = "fourth";
	CHECK(admit(m, &c, START_MS));
	c.tool.name = "fifth";
	CHECK(admit(m, &c, START_MS));
	c.tool.name = "sixth";
	CHECK(!admit(m, &c, START_MS));
}

TEST(looking_charges_nothing)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "1/min");
	c.tool.concurrency = 1;
	for (int i = 0; i < 100; i++)
		CHECK(peek(m, &c, START_MS));
	CHECK(c.left.rate_calls == 1 && c.left.rate_reset_ms == 0);
	CHECK(admit(m, &c, START_MS));
	CHECK(!peek(m, &c, START_MS));
	CHECK_STR(c.why.rule, "tools.search.rate");
}

/* The slow and exact way: tokens in fractions of 1/per, one log per bucket. */
struct model_bucket {
	const struct rate *rate;
	unsigned __int128 level; /* of burst * per */
	uint64_t at_ms;
	bool known;
};

static bool model_has(struct model_bucket *b, const struct rate *r, uint64_t now_ms)
{
	unsigned __int128 full = (unsigned __int128)r->burst * r->per_ms;

	if (!b->known)
		*b = (struct model_bucket){
			.rate = r, .level = full, .at_ms = now_ms, .known = true};
	b->level += (unsigned __int128)(now_ms - b->at_ms) * r->limit;
	b->at_ms = now_ms;
	if (b->level > full)
		b->level = full;
	return b->level >= r->per_ms;
}

enum { CLIENTS = 3, TOOLS = 4 };

struct model {
	struct model_bucket all, client[CLIENTS], tool[TOOLS], both[CLIENTS][TOOLS];
};

static bool model_admit(struct model *x, struct meter_case *c, size_t client, size_t tool,
			uint64_t now_ms)
{
	struct model_bucket *b[] = {&x->all, &x->client[client], &x->tool[tool],
				    &x->both[client][tool]};
	const struct rate *r[] = {&c->all, &c->by_client, &c->tool.rates.rate[0],
				  &c->tool.rates.rate[1]};
	bool all = true;

	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		all &= model_has(b[i], r[i], now_ms);
	for (size_t i = 0; all && i < ARRAY_LEN(b); i++)
		b[i]->level -= r[i]->per_ms;
	return all;
}

static void play_against_model(struct meter *m, const char *const texts[4], int calls)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct rate list[2] = {rate_of(texts[2], RATE_PER_TOOL),
			       rate_of(texts[3], RATE_PER_CLIENT | RATE_PER_TOOL)};
	struct model model = {0};
	struct meter_case c;
	uint64_t now = START_MS;

	case_init(&c, "1/s");
	c.all = rate_of(texts[0], 0);
	c.by_client = rate_of(texts[1], RATE_PER_CLIENT);
	c.policy.rates = (struct rates){.rate = &c.all, .n = 1};
	c.client.rates = (struct rates){.rate = &c.by_client, .n = 1};
	c.tool.rates = (struct rates){.rate = list, .n = 2};
	for (int i = 0; i < calls; i++) {
		size_t client = noise() % CLIENTS, tool = noise() % TOOLS;
		bool passed;

		c.client.name = names[client];
		c.tool.name = names[tool];
		passed = admit(m, &c, now);
		CHECK(passed == model_admit(&model, &c, client, tool, now));
		if (passed)
			leave(m, &c, now, 0, 0);
		else if (noise() % 8 == 0) /* sometimes as told, to the millisecond */
			now += c.why.retry_after_ms - noise() % 2;
		now += noise() % 3 ? 0 : noise() % 900;
		if (noise() % 1000 == 0)
			now += 3600000;
	}
}

TEST(random_calls_are_judged_as_by_exact_arithmetic)
{
	static const char *const sets[][4] = {
		{"1000/min", "60/min burst 10", "50/min", "10/min burst 3"},
		{"2/s burst 5", "1/s burst 5", "1/s", "1/2s"},
		{"100/hour burst 20", "60/hour", "40/hour", "30/hour burst 2"},
		{"500/s", "250/s burst 2", "200/s burst 3", "100/s burst 1"},
	};

	for (int round = 0; round < 12; round++) {
		own_meter m = in_memory();

		play_against_model(m, sets[round % 4], 20000);
	}
}

TEST(the_time_to_come_back_is_exact)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path); /* where looking ahead leaves no trace */
	struct rate list[2] = {rate_of("7/min burst 2", RATE_PER_TOOL), rate_of("3/7s", 0)};
	uint64_t now = START_MS;
	struct meter_case c;
	int refused = 0;

	case_init(&c, "11/min burst 4");
	c.tool.rates = (struct rates){.rate = list, .n = 2};
	c.client.budget = (struct budget){.per_ms = 61000, .calls = 5, .cpu_ms = 700};
	for (int i = 0; i < 3000; i++, now += noise() % 2500) {
		uint64_t wait;

		if (admit(m, &c, now)) {
			leave(m, &c, now, noise() % 300, 0);
			continue;
		}
		wait = c.why.retry_after_ms;
		refused++;
		CHECK(wait > 0 && !c.why.permanent);
		CHECK(!peek(m, &c, now + wait - 1));
		CHECK(c.why.retry_after_ms == 1);
		CHECK(peek(m, &c, now + wait));
	}
	CHECK(refused > 500);
}

enum { LOG_MAX = 8000 };

TEST(no_stretch_of_the_window_sees_more_than_the_budget)
{
	static uint64_t at[LOG_MAX], cost[LOG_MAX];

	for (int round = 0; round < 20; round++) {
		own_meter m = in_memory();
		uint64_t now = START_MS, per = noise() % 100000 + 60, n = 0;
		struct meter_case c;

		case_init(&c, "1/s");
		c.tool.rates = (struct rates){.unlimited = true};
		c.client.budget = (struct budget){.per_ms = per,
						  .calls = noise() % 40 + 1,
						  .output_bytes = noise() % 5000 + 1};
		for (int i = 0; i < LOG_MAX; i++, now += noise() % 4 ? 0 : noise() % (per / 20 + 1))
			if (admit(m, &c, now)) {
				at[n] = now;
				cost[n] = noise() % 300;
				leave(m, &c, now, 0, cost[n++]);
			}
		CHECK(n > c.client.budget.calls);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t calls = 0, bytes = 0;

			for (uint64_t k = i; k < n && at[k] < at[i] + per; k++) {
				/* Until it is spent; the last call may cost more than was left. */
				CHECK(bytes < c.client.budget.output_bytes);
				bytes += cost[k];
				calls++;
			}
			CHECK(calls <= c.client.budget.calls);
		}
	}
}

TEST(a_budget_comes_back_within_a_fiftieth_of_its_window)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "1/s");
	c.tool.rates = (struct rates){.unlimited = true};
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 1000, .cpu_ms = 600000};
	CHECK(admit_many(m, &c, START_MS, 2000) == 1000);
	CHECK_STR(c.why.rule, "clients.research.budget.calls");
	CHECK_STR(c.why.what,
		  "the budget of this client is 1000 calls in 60 min, and it is used up");
	CHECK(c.why.retry_after_ms >= 3600000 && c.why.retry_after_ms <= 3600000 + 3600000 / 50);
	CHECK(c.left.has_calls && c.left.calls == 0 && c.left.has_cpu && c.left.cpu_ms == 600000);
	CHECK(!c.left.has_output);
	CHECK(admit_many(m, &c, START_MS + c.why.retry_after_ms, 2000) == 1000);
}

TEST(a_cost_is_charged_afterwards_and_more_than_is_left_is_remembered)
{
	own_meter m = in_memory();
	struct meter_case c;

	case_init(&c, "1/s");
	c.tool.rates = (struct rates){.unlimited = true};
	c.client.budget = (struct budget){.per_ms = 60000, .cpu_ms = 1000, .output_bytes = 500};
	CHECK(admit(m, &c, START_MS));
	leave(m, &c, START_MS, 400, 100);
	CHECK(c.left.cpu_ms == 600 && c.left.output_bytes == 400);
	leave(m, &c, START_MS, 400, 100); /* once is enough */
	CHECK(c.left.cpu_ms == 600);
	CHECK(admit(m, &c, START_MS));
	leave(m, &c, START_MS, 5000, UINT64_MAX);
	CHECK(c.left.cpu_ms == 0 && c.left.output_bytes == 0);
	CHECK(!admit(m, &c, START_MS + 1000));
	CHECK(strncmp(c.why.rule, "clients.research.budget.", 24) == 0);
	CHECK(!admit(m, &c, START_MS + 59999));
	CHECK(admit(m, &c, START_MS + 62000));
}

TEST(a_changed_budget_applies_at_once_and_forgets_nothing)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	struct meter_case c;

	case_init(&c, "1/s");
	c.tool.rates = (struct rates){.unlimited = true};
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 10};
	CHECK(admit_many(m, &c, START_MS, 100) == 10);
	c.client.budget.calls = 15; /* more */
	CHECK(admit_many(m, &c, START_MS + 1, 100) == 5);
	c.client.budget.per_ms = 60000; /* another length: all of it counts as now */
	CHECK(!admit(m, &c, START_MS + 2));
	CHECK(c.why.retry_after_ms <= 62000);
	CHECK(!admit(m, &c, START_MS + 30000));
	CHECK(admit(m, &c, START_MS + 2 + 62000));
}

TEST(a_changed_rate_goes_on_with_its_bucket)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	struct meter_case c;

	case_init(&c, "1/day");
	CHECK(admit(m, &c, START_MS));
	c.by_tool = rate_of("60/min", 3); /* not a day of waiting any more, but an empty bucket */
	CHECK(!admit(m, &c, START_MS));
	CHECK(c.why.retry_after_ms == 1000);
	CHECK(!admit(m, &c, START_MS + 999));
	CHECK(admit(m, &c, START_MS + 1000));
	CHECK(!admit(m, &c, START_MS + 1000));
	c.by_tool = rate_of("1/hour", 3);
	CHECK(!admit(m, &c, START_MS + 1000));
	CHECK(c.why.retry_after_ms <= 3600000);
}

TEST(a_clock_that_goes_back_refills_nothing)
{
	static const uint64_t steps[] = {1, 5000, 60000, 60001, 3600000, 900000000};

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		own(scratch) s = scratch_make();
		own_meter m = in_file(s.path);
		uint64_t now = 1000000000, wait;
		struct meter_case c;

		case_init(&c, "10/min");
		c.client.budget = (struct budget){.per_ms = 60000, .calls = 10};
		CHECK(admit_many(m, &c, now, 20) == 10);
		now -= steps[i];
		CHECK(admit_many(m, &c, now, 20) == 0);
		wait = c.why.retry_after_ms;
		/* ... and blocks nobody: a small step is waited for, a large one is forgotten. */
		CHECK(wait > 0 && wait <= 60000 + 62000);
		CHECK(!admit(m, &c, now + wait - 1));
		CHECK(admit_many(m, &c, now + wait, 20) > 0);
	}
}

TEST(a_clock_that_was_once_years_ahead_blocks_nobody)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	uint64_t now = 1800000000000;
	struct meter_case c;

	case_init(&c, "10/min");
	c.client.budget = (struct budget){.per_ms = 60000, .calls = 100};
	CHECK(admit_many(m, &c, now, 20) == 10);
	CHECK(admit_many(m, &c, now * 2, 20) == 10);
	CHECK(admit_many(m, &c, UINT64_MAX, 20) == 10);
	CHECK(admit_many(m, &c, now, 20) == 0);
	CHECK(admit_many(m, &c, now + 6000, 20) == 1);
	CHECK(admit_many(m, &c, 0, 20) == 0);
	CHECK(admit_many(m, &c, 60000, 20) == 10);
}

TEST(processes_that_read_the_clock_in_another_order_gain_nothing)
{
	own_meter m = in_memory();
	struct meter_case c;
	unsigned n = 0;

	case_init(&c, "60/min burst 1");
	for (int i = 0; i < 1000; i++) { /* ten seconds, back and forth by 50 ms */
		uint64_t now = START_MS + (uint64_t)i * 10;

		n += admit_many(m, &c, now + 50, 1);
		n += admit_many(m, &c, now, 1);
	}
	CHECK(n >= 10 && n <= 11);
}

TEST(places_are_counted_and_given_back)
{
	own(scratch) s = scratch_make();
	own_meter first = in_file(s.path);
	own_meter second = NULL;
	struct meter_case c;
	uint64_t held[3];

	case_init(&c, "1000/s");
	c.tool.concurrency = 3;
	for (int i = 0; i < 3; i++) {
		CHECK(admit(first, &c, START_MS));
		held[i] = c.ticket;
	}
	CHECK(!admit(first, &c, START_MS));
	CHECK_STR(c.why.rule, "tools.search.concurrency");
	CHECK_STR(c.why.what, "3 calls of search are running, and no more may at the same time");
	CHECK(!c.why.permanent);
	second = in_file(s.path);
	CHECK(!admit(second, &c, START_MS));
	CHECK(!peek(second, &c, START_MS));
	meter_leave(first, held[1], &c.client, START_MS, 0, 0, &c.left);
	CHECK(peek(second, &c, START_MS));
	CHECK(admit(second, &c, START_MS));
	CHECK(!admit(first, &c, START_MS));
	c.tool.name = "other"; /* has places of its own */
	CHECK(admit(first, &c, START_MS));
	c.tool.name = "search";
	meter_close(first);
	first = in_file(s.path);
	CHECK(admit(first, &c, START_MS));
	CHECK(admit(first, &c, START_MS));
	CHECK(!admit(first, &c, START_MS));
}
