/* SPDX-License-Identifier: Apache-2.0 */
/* meterroom_test.c - whose bucket it is, what is kept and what makes room, and what it costs. */
#include "meter_case.h"

#include <time.h>

#include "policy/gcra.h"
#include "policy/sliding.h"
#include "scratch.h"

TEST(the_hash_is_siphash_2_4_128)
{
	static const uint64_t secret[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
	struct meter_key k = meter_hash(secret, "", 0);

	CHECK(k.a == 0xe6a825ba047f81a3 && k.b == 0x930255c71472f66d);
	k = meter_hash(secret, "\0", 1);
	CHECK(k.a == 0x44af996bd8c187da && k.b == 0x45fc229b11597634);
}

TEST(names_do_not_run_into_each_other)
{
	static const uint64_t s[2] = {1, 2};
	struct meter_key k[] = {
		meter_key(s, METER_RATE_TOOL, 0, "ab", "c"),
		meter_key(s, METER_RATE_TOOL, 0, "a", "bc"),
		meter_key(s, METER_RATE_TOOL, 0, "abc", NULL),
		meter_key(s, METER_RATE_TOOL, 0, NULL, "abc"),
		meter_key(s, METER_RATE_TOOL, 0, "abc", ""),
		meter_key(s, METER_RATE_TOOL, 1, "ab", "c"),
		meter_key(s, METER_RATE_CLIENT, 0, "ab", "c"),
		meter_key(s, METER_RATE_TOOL, 0, NULL, NULL),
	};

	for (size_t i = 0; i < ARRAY_LEN(k); i++)
		for (size_t j = 0; j < i; j++)
			CHECK(!meter_key_same(k[i], k[j]));
}

/* Many names come and go; those in use are never forgotten. */
TEST(idle_buckets_make_room_and_busy_ones_stay)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	struct meter_case busy, c;
	char name[16];

	case_init(&busy, "1/day");
	CHECK(admit(m, &busy, START_MS));
	case_init(&c, "1/s");
	c.client.budget = (struct budget){.per_ms = 1000, .calls = 100};
	for (unsigned i = 0; i < 60000; i++) {
		(void)snprintf(name, sizeof(name), "c%u", i);
		c.client.name = name;
		if (!admit(m, &c, START_MS + i)) {
			printf("# %u: %s %s\n", i, c.why.rule, meter_error(m)->text);
			CHECK(false);
			break;
		}
		leave(m, &c, START_MS + i, 0, 0);
	}
	CHECK(!admit(m, &busy, START_MS + 60000));
}

TEST(busy_budgets_are_never_forgotten)
{
	own_meter m = in_memory();
	struct meter_case c;
	char name[16];

	case_init(&c, "1/s");
	c.tool.rates = (struct rates){.unlimited = true};
	c.client.budget = (struct budget){.per_ms = 86400000, .calls = 1};
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 3000; i++) {
			(void)snprintf(name, sizeof(name), "c%u", i);
			c.client.name = name;
			CHECK(admit(m, &c, START_MS + (uint64_t)i * 10000) == (round == 0));
		}
}

/* In memory the secret is zeros, so that names can be looked for. */
static void find_clash(char *name, size_t room, struct meter_key (*first)(const char *),
		       struct meter_key (*second)(const char *), uint64_t sectors)
{
	for (unsigned i = 0; i < 1000000; i++) {
		(void)snprintf(name, room, "c%u", i);
		if (first(name).b % sectors == second(name).b % sectors)
			return;
	}
	_exit(99);
}

static const uint64_t zeros[2];

static struct meter_key all_key(const char *name)
{
	(void)name;
	return meter_key(zeros, METER_RATE_ALL, 0, NULL, NULL);
}

static struct meter_key client_key(const char *name)
{
	return meter_key(zeros, METER_RATE_CLIENT, 0, name, NULL);
}

static struct meter_key calls_key(const char *name)
{
	return meter_key(zeros, METER_CALLS, 0, name, NULL);
}

static struct meter_key cpu_key(const char *name)
{
	return meter_key(zeros, METER_CPU, 0, name, NULL);
}

TEST(two_rules_of_one_call_in_one_sector_are_both_counted)
{
	own_meter m = in_memory();
	struct meter_case c;
	char name[16];

	case_init(&c, "100/min");
	c.all = rate_of("2/min", 0);
	c.by_client = rate_of("50/min", RATE_PER_CLIENT);
	c.policy.rates = (struct rates){.rate = &c.all, .n = 1};
	c.client.rates = (struct rates){.rate = &c.by_client, .n = 1};
	c.client.name = name;
	find_clash(name, sizeof(name), all_key, client_key, BUCKET_SECTORS);
	CHECK(admit_many(m, &c, START_MS, 9) == 2);

	case_init(&c, "100/min");
	c.client.name = name;
	c.client.budget = (struct budget){.per_ms = 60000, .calls = 3, .cpu_ms = 1000};
	find_clash(name, sizeof(name), calls_key, cpu_key, WINDOW_SECTORS);
	CHECK(admit_many(m, &c, START_MS, 9) == 3);
	CHECK(c.left.cpu_ms == 1000);
}

TEST(a_window_forgets_all_of_it)
{
	struct window w = {0};
	uint64_t now = 1ULL << 50;

	for (int i = 0; i < 200; i++, now += 20 * NS_PER_MS) {
		(void)sliding_settle(&w, 1000, now);
		sliding_charge(&w, 1);
	}
	CHECK(sliding_used(&w) >= 50 && sliding_used(&w) <= 52);
	(void)sliding_settle(&w, 1000, now + 3600000 * NS_PER_MS);
	CHECK(sliding_used(&w) == 0);
}

TEST(too_many_busy_buckets_are_a_refusal)
{
	own_meter m = in_memory();
	struct meter_case c;
	unsigned refused = 0;
	char name[16];

	case_init(&c, "1/day");
	for (unsigned i = 0; i < 50000; i++) {
		(void)snprintf(name, sizeof(name), "c%u", i);
		c.client.name = name;
		if (!admit(m, &c, START_MS)) {
			CHECK_STR(c.why.rule, "state");
			CHECK(strstr(meter_error(m)->text, "full"));
			refused++;
		}
	}
	CHECK(refused >= 50000 - 43008);
}

/* Of this process: its neighbours' work does not count. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void measure(const char *what, struct meter *m, unsigned n)
{
	struct rate list[1] = {rate_of("1000000000/s", RATE_PER_CLIENT)};
	struct meter_case c;
	uint64_t from;

	for (int full = 0; full < 2; full++) {
		case_init(&c, "1000000000/s");
		if (full) {
			c.all = rate_of("1000000000/s", 0);
			c.policy.rates = (struct rates){.rate = &c.all, .n = 1};
			c.client.rates = (struct rates){.rate = list, .n = 1};
			c.client.budget = (struct budget){.per_ms = 3600000,
							  .calls = UINT64_MAX,
							  .cpu_ms = UINT64_MAX,
							  .output_bytes = UINT64_MAX};
		}
		CHECK(admit(m, &c, START_MS));
		from = cpu_ns();
		for (unsigned i = 0; i < n; i++)
			(void)peek(m, &c, START_MS + i / 1000);
		printf("# %s, %s: looking %" PRIu64 " ns", what,
		       full ? "3 rates and 3 budgets" : "1 rate", (cpu_ns() - from) / n);
		from = cpu_ns();
		for (unsigned i = 0; i < n; i++)
			CHECK(admit(m, &c, START_MS + i / 1000));
		printf(", charging %" PRIu64 " ns\n", (cpu_ns() - from) / n);
	}
}

TEST(what_it_costs)
{
	own(scratch) s = scratch_make();
	own_meter memory = in_memory();
	own_meter file = in_file(s.path);

	measure("in memory", memory, 20000);
	measure("in a file", file, 5000);
}
