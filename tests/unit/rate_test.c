/* SPDX-License-Identifier: Apache-2.0 */
/* rate_test.c - rates as text and the arithmetic of one bucket. */
#include <inttypes.h>

#include "base/own.h"
#include "policy/gcra.h"
#include "policy/meter.h"
#include "tap.h"

static uint64_t seed = 0x2545f4914f6cdd1d;

static uint64_t noise(void) /* xorshift64 */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static struct rate parsed(const char *text)
{
	struct rate r = {.key = 3};
	struct error err = {0};
	bool unlimited = true;

	if (rate_parse(text, &r, &unlimited, &err) < 0)
		printf("# %s: %s\n", text, err.text);
	CHECK(!unlimited);
	CHECK(r.key == 3);
	return r;
}

TEST(rates_are_read_as_people_write_them)
{
	static const struct {
		const char *text;
		uint64_t limit, per_ms, burst;
	} rows[] = {
		{"1/min", 1, 60000, 1},
		{"10/min burst 3", 10, 60000, 3},
		{"100/hour", 100, 3600000, 100},
		{"5/30s", 5, 30000, 5},
		{"7/s", 7, 1000, 7},
		{"7/sec", 7, 1000, 7},
		{"7/second", 7, 1000, 7},
		{"7/minute", 7, 60000, 7},
		{"7/m", 7, 60000, 7},
		{"7/h", 7, 3600000, 7},
		{"7/d", 7, 86400000, 7},
		{"7/day burst 30", 7, 86400000, 30},
		{"2/250ms", 2, 250, 2},
		{"1/2days", 1, 172800000, 1},
		{"1000000000/s", 1000000000, 1000, 1000000000},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rate r = parsed(rows[i].text);

		CHECK(r.limit == rows[i].limit);
		CHECK(r.per_ms == rows[i].per_ms);
		CHECK(r.burst == rows[i].burst);
	}
}

TEST(what_is_no_rate_is_refused_with_words_and_changes_nothing)
{
	static const char *const texts[] = {
		"",
		"10",
		"/min",
		"10/",
		"10/30",
		"10/fortnight",
		"10/MIN",
		"-1/min",
		"+1/min",
		" 1/min",
		"1/min ",
		"1 /min",
		"1/ min",
		"1.5/min",
		"0/min",
		"1/0s",
		"1/min burst 0",
		"1/min burst",
		"1/min burst x",
		"1/min burst 3 burst 4",
		"1/min burst -3",
		"1000000001/s",
		"1/min burst 1000000001",
		"1/367d",
		"99999999999999999999/min",
		"1/99999999999999999999s",
		"1/18446744073709551615d",
		"1/min/min",
		"1/d burst 3651",
		"1e3/min",
		"0x10/min",
		"1/min  burst 3",
		"Unlimited",
		"unlimited ",
		"1/1111111111111111111111111111111111111111111111111111111111111111111111111111s",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct rate r = {.limit = 42, .per_ms = 43, .burst = 44};
		struct error err = {0};
		bool unlimited = false;

		if (rate_parse(texts[i], &r, &unlimited, &err) == 0)
			printf("# accepted: '%s'\n", texts[i]), tap_failures++;
		CHECK(err.kind == ERR_CALLER && err.text[0]);
		CHECK(r.limit == 42 && r.per_ms == 43 && r.burst == 44 && !unlimited);
	}
}

TEST(unlimited_is_said_in_as_many_words)
{
	struct rate r = {0};
	struct error err = {0};
	bool unlimited = false;

	CHECK(rate_parse("unlimited", &r, &unlimited, &err) == 0);
	CHECK(unlimited && r.limit == 0);
}

TEST(a_rate_written_out_is_read_back_the_same)
{
	for (int i = 0; i < 20000; i++) {
		struct rate r = {.limit = noise() % 1000 + 1,
				 .per_ms = noise() % 1000 * (noise() % 2 ? 1 : 30000) + 1,
				 .burst = noise() % 50 + 1};
		struct rate back = {0};
		struct error err = {0};
		bool unlimited;
		char text[80];

		if (rate_check(&r, &err) < 0)
			continue;
		rate_text(&r, text, sizeof(text));
		CHECK(rate_parse(text, &back, &unlimited, &err) == 0);
		CHECK(back.limit == r.limit && back.per_ms == r.per_ms && back.burst == r.burst);
	}
	for (size_t i = 0; i < 4; i++) {
		static const char *const texts[] = {"1/min", "10/min burst 3", "5/30s", "9/hour"};
		struct rate r = parsed(texts[i]);
		char text[80];

		rate_text(&r, text, sizeof(text));
		CHECK_STR(text, texts[i]);
	}
}

TEST(one_a_minute_is_one_call_and_then_a_minute)
{
	struct rate r = parsed("1/min");
	struct gcra g = gcra_of(&r);
	uint64_t now = 5000 * NS_PER_MS, tat = 0;

	CHECK(gcra_wait_ns(g, tat, now) == 0);
	tat = gcra_charge(g, tat, now);
	CHECK(gcra_wait_ns(g, tat, now) == 60000 * NS_PER_MS);
	CHECK(gcra_wait_ns(g, tat, now + 59999 * NS_PER_MS) == NS_PER_MS);
	CHECK(gcra_wait_ns(g, tat, now + 60000 * NS_PER_MS - 1) == 1);
	CHECK(gcra_wait_ns(g, tat, now + 60000 * NS_PER_MS) == 0);
}

/* The edge of a fixed window lets twice the limit through; there is no edge here. */
TEST(sixty_a_minute_with_burst_ten_lets_ten_through_at_once)
{
	struct rate r = parsed("60/min burst 10");
	struct gcra g = gcra_of(&r);
	uint64_t now = 59900 * NS_PER_MS, tat = 0;
	int passed = 0;

	for (int i = 0; i < 120; i++, now += NS_PER_MS)
		if (gcra_wait_ns(g, tat, now) == 0) {
			tat = gcra_charge(g, tat, now);
			passed++;
		}
	CHECK(passed == 10);
}

enum { CALLS_MAX = 4000 };

/* Counted the slow way, over every pair of calls that passed. */
static bool any_stretch_is_within(const struct rate *r, const uint64_t *at_ms, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++) {
			unsigned __int128 refill =
				(unsigned __int128)(at_ms[k] - at_ms[i]) * r->limit / r->per_ms;

			if (k - i + 1 > r->burst + (uint64_t)refill)
				return false;
		}
	return true;
}

TEST(no_stretch_of_time_sees_more_than_burst_and_refill)
{
	static uint64_t at_ms[CALLS_MAX];

	for (int round = 0; round < 60; round++) {
		struct rate r = {.limit = noise() % 200 + 1,
				 .per_ms = noise() % 100000 + 1,
				 .burst = noise() % 30 + 1};
		struct gcra g = gcra_of(&r);
		uint64_t now = noise() % 100000, tat = 0, pace = r.per_ms / r.limit * 2 + 2;
		size_t n = 0;

		for (int i = 0; i < CALLS_MAX; i++) {
			uint64_t wait = gcra_wait_ns(g, tat, now * NS_PER_MS);

			CHECK((wait == 0) == (gcra_left(g, tat, now * NS_PER_MS) > 0));
			if (wait == 0) {
				tat = gcra_charge(g, tat, now * NS_PER_MS);
				at_ms[n++] = now;
			}
			now += noise() % 3 ? 0 : noise() % pace;
		}
		CHECK(n > r.burst);
		CHECK(any_stretch_is_within(&r, at_ms, n));
	}
}

TEST(a_steady_caller_gets_what_the_rate_says)
{
	static const char *const texts[] = {"7/min", "1000/min", "3/s", "100/hour", "13/day"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct rate r = parsed(texts[i]);
		struct gcra g = gcra_of(&r);
		uint64_t tat = 0, now = NS_PER_MS, n = 0;
		uint64_t end = now + 100 * r.per_ms * NS_PER_MS;

		while (now < end) {
			uint64_t wait = gcra_wait_ns(g, tat, now);

			if (wait == 0)
				tat = gcra_charge(g, tat, now), n++;
			now += wait;
		}
		/* What rounding up to nanoseconds costs is less than one call in a hundred periods.
		 */
		CHECK(n >= 101 * r.limit - 1 && n <= 101 * r.limit);
	}
}

TEST(numbers_out_of_bounds_never_make_a_wider_bucket)
{
	static const uint64_t edges[] = {0, 1, 2, 1000, RATE_LIMIT_MAX, UINT64_MAX / 2, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_LEN(edges); i++)
		for (size_t k = 0; k < ARRAY_LEN(edges); k++)
			for (size_t l = 0; l < ARRAY_LEN(edges); l++) {
				struct rate r = {edges[i], edges[k], edges[l], 0, {0}};
				struct gcra g = gcra_of(&r);

				CHECK(g.step_ns > 0 && g.step_ns <= GCRA_AHEAD_MAX_NS);
				CHECK(g.room_ns >= g.step_ns && g.room_ns <= GCRA_AHEAD_MAX_NS);
			}
}

TEST(a_tat_of_a_wider_rate_is_an_empty_bucket_of_this_one)
{
	struct rate r = parsed("10/min");
	struct gcra g = gcra_of(&r);
	uint64_t now = 1000000 * NS_PER_MS;
	uint64_t tat = gcra_settle(g, now + GCRA_AHEAD_MAX_NS, now);

	CHECK(gcra_left(g, tat, now) == 0);
	CHECK(gcra_wait_ns(g, tat, now) == 6000 * NS_PER_MS);
	CHECK(gcra_settle(g, now + 1, now) == now + 1);
	CHECK(gcra_settle(g, 5, now) == 5);
}
