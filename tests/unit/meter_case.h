/* SPDX-License-Identifier: Apache-2.0 */
/* meter_case.h - small policies for the tests of the meter: clients, tools, rates from text. */
#ifndef TESTS_METER_CASE_H
#define TESTS_METER_CASE_H

#include <inttypes.h>

#include "base/own.h"
#include "policy/meter.h"
#include "tap.h"

enum { START_MS = 1000000 };

static inline struct rate rate_of(const char *text, unsigned key)
{
	struct rate r = {.key = key};
	struct error err = {0};
	bool unlimited;

	if (rate_parse(text, &r, &unlimited, &err) < 0 || unlimited) {
		printf("# %s: %s\n", text, err.text);
		_exit(99);
	}
	return r;
}

/* One client, one tool, a rate for the two; tests change what they want. */
struct meter_case {
	struct rate all, by_client, by_tool;
	struct policy policy;
	struct client client;
	struct tool tool;
	struct remaining left;
	struct why why;
	uint64_t ticket;
};

static inline void case_init(struct meter_case *c, const char *tool_rate)
{
	*c = (struct meter_case){.client.name = "research", .tool.name = "search"};
	c->policy.rates.unlimited = c->client.rates.unlimited = true;
	c->by_tool = rate_of(tool_rate, RATE_PER_CLIENT | RATE_PER_TOOL);
	c->tool.rates = (struct rates){.rate = &c->by_tool, .n = 1};
}

static inline bool admit(struct meter *m, struct meter_case *c, uint64_t now_ms)
{
	c->why = (struct why){0};
	return meter_admit(m, &c->policy, &c->client, &c->tool, now_ms, &c->ticket, &c->left,
			   &c->why) == ANSWER_ALLOW;
}

static inline bool peek(struct meter *m, struct meter_case *c, uint64_t now_ms)
{
	c->why = (struct why){0};
	return meter_peek(m, &c->policy, &c->client, &c->tool, now_ms, &c->left, &c->why) ==
	       ANSWER_ALLOW;
}

static inline void leave(struct meter *m, struct meter_case *c, uint64_t now_ms, uint64_t cpu_ms,
			 uint64_t output_bytes)
{
	meter_leave(m, c->ticket, &c->client, now_ms, cpu_ms, output_bytes, &c->left);
}

static inline unsigned admit_many(struct meter *m, struct meter_case *c, uint64_t now_ms,
				  unsigned tries)
{
	unsigned n = 0;

	for (unsigned i = 0; i < tries; i++)
		if (admit(m, c, now_ms)) {
			n++;
			leave(m, c, now_ms, 0, 0);
		}
	return n;
}

static inline struct meter *in_memory(void)
{
	struct error err = {0};
	struct meter *m = meter_open_memory(&err);

	if (!m) {
		printf("# %s\n", err.text);
		_exit(99);
	}
	return m;
}

static inline struct meter *in_file(const char *dir)
{
	struct error err = {0};
	struct meter *m = meter_open(dir, &err);

	if (!m) {
		printf("# %s\n", err.text);
		_exit(99);
	}
	return m;
}

#endif
