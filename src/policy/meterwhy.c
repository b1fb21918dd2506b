/* SPDX-License-Identifier: Apache-2.0 */
/* meterwhy.c - the words of a refusal by rate, place or budget. */
#include "policy/meterwhy.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "policy/meter.h"

static void rule_path(const struct meter_rule *r, char *ret, size_t room)
{
	char nth[24] = "";

	if (r->of > 1)
		(void)snprintf(nth, sizeof(nth), "[%zu]", r->nth);
	switch (r->what) {
	case METER_RATE_ALL:
		(void)snprintf(ret, room, "rate%s", nth);
		break;
	case METER_RATE_CLIENT:
		(void)snprintf(ret, room, "clients.%s.rate%s", r->client->name, nth);
		break;
	case METER_RATE_TOOL:
		(void)snprintf(ret, room, "tools.%s.rate%s", r->tool->name, nth);
		break;
	case METER_CALLS:
		(void)snprintf(ret, room, "clients.%s.budget.calls", r->client->name);
		break;
	case METER_CPU:
		(void)snprintf(ret, room, "clients.%s.budget.cpu", r->client->name);
		break;
	case METER_OUTPUT:
		(void)snprintf(ret, room, "clients.%s.budget.output", r->client->name);
		break;
	case METER_PLACES:
		(void)snprintf(ret, room, "tools.%s.concurrency", r->tool->name);
		break;
	}
}

/* Rounded up: who waits as long as we say is let through. */
static void duration_text(uint64_t ms, char *ret, size_t room)
{
	uint64_t s = ms / 1000 + (ms % 1000 != 0), min = s / 60 + (s % 60 != 0);

	if (ms < 1000)
		(void)snprintf(ret, room, "%" PRIu64 " ms", ms);
	else if (s < 120)
		(void)snprintf(ret, room, "%" PRIu64 " s", s);
	else if (min < 120)
		(void)snprintf(ret, room, "%" PRIu64 " min", min);
	else
		(void)snprintf(ret, room, "%" PRIu64 " h", min / 60 + (min % 60 != 0));
}

static enum answer come_back(struct why *why, uint64_t wait_ms)
{
	char when[32];

	duration_text(wait_ms, when, sizeof(when));
	why_hint(why, "the same call will be accepted in %s", when);
	why_retry(why, wait_ms);
	return ANSWER_DENY;
}

enum answer meterwhy_rate(struct why *why, const struct meter_rule *rule, const struct rate *r,
			  uint64_t wait_ms)
{
	const char *of = rule->what == METER_RATE_TOOL ? rule->tool->name : "calls";
	bool per_client = r->key & RATE_PER_CLIENT || rule->what == METER_RATE_CLIENT;
	const char *whose = per_client ? "this client" : "all clients together";
	char path[sizeof(why->rule)], text[80];

	rule_path(rule, path, sizeof(path));
	rate_text(r, text, sizeof(text));
	(void)why_deny(why, WHY_LIMIT, path,
		       "the rate of %s for %s is %s, and it is used up for now", of, whose, text);
	return come_back(why, wait_ms);
}

static void amount_text(enum meter_what what, uint64_t limit, char *ret, size_t room)
{
	char size[32];

	if (what == METER_CALLS) {
		(void)snprintf(ret, room, "%" PRIu64 " calls", limit);
	} else if (what == METER_CPU) {
		(void)snprintf(ret, room, "%" PRIu64 ".%03" PRIu64 " s of CPU time", limit / 1000,
			       limit % 1000);
	} else {
		text_human_bytes(limit, size, sizeof(size));
		(void)snprintf(ret, room, "%s of output", size);
	}
}

enum answer meterwhy_budget(struct why *why, const struct meter_rule *rule, uint64_t limit,
			    uint64_t per_ms, uint64_t wait_ms)
{
	char path[sizeof(why->rule)], amount[80], period[32];

	rule_path(rule, path, sizeof(path));
	amount_text(rule->what, limit, amount, sizeof(amount));
	duration_text(per_ms, period, sizeof(period));
	(void)why_deny(why, WHY_LIMIT, path,
		       "the budget of this client is %s in %s, and it is used up", amount, period);
	return come_back(why, wait_ms);
}

enum answer meterwhy_places(struct why *why, const struct tool *tool)
{
	struct meter_rule rule = {.what = METER_PLACES, .tool = tool};
	char path[sizeof(why->rule)];

	rule_path(&rule, path, sizeof(path));
	(void)why_deny(why, WHY_LIMIT, path,
		       "%" PRIu64 " calls of %s are running, and no more may at the same time",
		       tool->concurrency, tool->name);
	why_hint(why, "wait until one of them has ended");
	why_retry(why, 0);
	return ANSWER_DENY;
}

enum answer meter_unusable(struct why *why)
{
	(void)why_deny(why, WHY_LIMIT, "state",
		       "belljar cannot tell how many calls were made before, so it makes none");
	why_hint(why, "only the operator can mend this; belljar has told them what to do");
	why_retry(why, 0);
	return ANSWER_DENY;
}
