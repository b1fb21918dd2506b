/* SPDX-License-Identifier: Apache-2.0 */
/* rate.c - how often: "10/min burst 3" as text, as numbers, and as the arithmetic of a bucket.
 *
 * Without "burst" the burst is the limit: 10/min lets ten calls come at once and
 * then one every six seconds; 1/min is one call, then a minute of waiting.  A
 * smaller burst spreads the calls out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/gcra.h"
#include "policy/meter.h"

enum { RATE_TEXT_MAX = 64 };

struct period {
	const char *name;
	uint64_t ms;
};

/* The first name of each length is the one that is written. */
static const struct period periods[] = {
	{"day", 86400000},  {"hour", 3600000},  {"min", 60000},     {"s", 1000},
	{"ms", 1},          {"d", 86400000},    {"days", 86400000}, {"h", 3600000},
	{"hours", 3600000}, {"m", 60000}, /* as in limits: "2m" is two minutes everywhere */
	{"minute", 60000},  {"minutes", 60000}, {"sec", 1000},      {"second", 1000},
	{"seconds", 1000},
};

static uint64_t period_ms(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(periods); i++)
		if (strcmp(name, periods[i].name) == 0)
			return periods[i].ms;
	return 0;
}

/* "min", "30s". */
static int parse_period(const char *text, uint64_t *ret_ms, struct error *err)
{
	size_t digits = strspn(text, "0123456789");
	char number[RATE_TEXT_MAX];
	uint64_t n = 1, unit = period_ms(text + digits);

	if (digits > 0) {
		(void)snprintf(number, sizeof(number), "%.*s", (int)digits, text);
		if (text_parse_uint(number, &n, err) < 0)
			return -1;
	}
	if (unit == 0)
		return fail(err, ERR_CALLER, "'%.40s' is no period: s, min, hour, day or 30s, 2h",
			    text);
	if (__builtin_mul_overflow(n, unit, ret_ms))
		return fail(err, ERR_CALLER, "'%.40s' is too long", text);
	return 0;
}

/* Cuts text at the first separator; what follows it, or NULL without one. */
static char *cut_at(char *text, const char *separator)
{
	char *at = strstr(text, separator);

	if (!at)
		return NULL;
	*at = '\0';
	return at + strlen(separator);
}

static int parse_parts(char *text, struct rate *ret, struct error *err)
{
	char *burst = cut_at(text, " burst ");
	char *period = cut_at(text, "/");

	if (!period)
		return fail(err, ERR_CALLER, "a rate looks like 10/min or 10/min burst 3");
	if (text_parse_uint(text, &ret->limit, err) < 0 ||
	    parse_period(period, &ret->per_ms, err) < 0)
		return -1;
	ret->burst = ret->limit;
	return burst ? text_parse_uint(burst, &ret->burst, err) : 0;
}

int rate_check(const struct rate *r, struct error *err)
{
	unsigned __int128 ahead = (unsigned __int128)r->burst * r->per_ms * NS_PER_MS;

	if (r->limit == 0 || r->burst == 0)
		return fail(err, ERR_CALLER,
			    "a rate of 0 lets nothing pass: to refuse a tool write decision: deny");
	if (r->limit > RATE_LIMIT_MAX || r->burst > RATE_LIMIT_MAX)
		return fail(err, ERR_CALLER, "more than %" PRIu64 " calls: write unlimited",
			    (uint64_t)RATE_LIMIT_MAX);
	if (r->per_ms == 0 || r->per_ms > RATE_PER_MAX_MS)
		return fail(err, ERR_CALLER, "a period is 1ms to 366 days");
	if (ahead / r->limit > GCRA_AHEAD_MAX_NS)
		return fail(err, ERR_CALLER,
			    "a burst of %" PRIu64 " would take more than ten "
			    "years to come back",
			    r->burst);
	return 0;
}

int rate_parse(const char *text, struct rate *ret, bool *ret_unlimited, struct error *err)
{
	struct rate r = *ret;
	char copy[RATE_TEXT_MAX];

	if (strcmp(text, "unlimited") == 0) {
		*ret_unlimited = true;
		return 0;
	}
	if (strlen(text) >= sizeof(copy))
		return fail(err, ERR_CALLER, "a rate looks like 10/min or 10/min burst 3");
	(void)snprintf(copy, sizeof(copy), "%s", text);
	if (parse_parts(copy, &r, err) < 0 || rate_check(&r, err) < 0)
		return fail_in(err, "'%.60s'", text);
	*ret = r;
	*ret_unlimited = false;
	return 0;
}

static void period_text(uint64_t per_ms, char *ret, size_t room)
{
	size_t i = 0;

	while (per_ms % periods[i].ms != 0)
		i++; /* ends at the millisecond */
	if (per_ms == periods[i].ms)
		(void)snprintf(ret, room, "%s", periods[i].name);
	else
		(void)snprintf(ret, room, "%" PRIu64 "%s", per_ms / periods[i].ms, periods[i].name);
}

void rate_text(const struct rate *r, char *ret, size_t room)
{
	char period[40];

	period_text(r->per_ms, period, sizeof(period));
	if (r->burst == r->limit)
		(void)snprintf(ret, room, "%" PRIu64 "/%s", r->limit, period);
	else
		(void)snprintf(ret, room, "%" PRIu64 "/%s burst %" PRIu64, r->limit, period,
			       r->burst);
}

struct gcra gcra_of(const struct rate *r)
{
	uint64_t limit = r->limit ? r->limit : 1, burst = r->burst ? r->burst : 1;
	uint64_t per_ms = r->per_ms ? r->per_ms : UINT64_MAX;
	unsigned __int128 step = ((unsigned __int128)per_ms * NS_PER_MS + limit - 1) / limit;
	unsigned __int128 room;
	struct gcra g;

	g.step_ns = step < GCRA_AHEAD_MAX_NS ? (uint64_t)step : GCRA_AHEAD_MAX_NS;
	room = (unsigned __int128)g.step_ns * burst;
	g.room_ns = room < GCRA_AHEAD_MAX_NS ? (uint64_t)room : GCRA_AHEAD_MAX_NS;
	return g;
}

static uint64_t ahead_ns(uint64_t tat_ns, uint64_t now_ns)
{
	return tat_ns > now_ns ? tat_ns - now_ns : 0;
}

uint64_t gcra_settle(struct gcra g, uint64_t tat_ns, uint64_t now_ns)
{
	return ahead_ns(tat_ns, now_ns) > g.room_ns ? now_ns + g.room_ns : tat_ns;
}

uint64_t gcra_wait_ns(struct gcra g, uint64_t tat_ns, uint64_t now_ns)
{
	uint64_t after = ahead_ns(tat_ns, now_ns) + g.step_ns;

	return after > g.room_ns ? after - g.room_ns : 0;
}

uint64_t gcra_charge(struct gcra g, uint64_t tat_ns, uint64_t now_ns)
{
	return (tat_ns > now_ns ? tat_ns : now_ns) + g.step_ns;
}

uint64_t gcra_left(struct gcra g, uint64_t tat_ns, uint64_t now_ns)
{
	uint64_t ahead = ahead_ns(tat_ns, now_ns);

	return ahead < g.room_ns ? (g.room_ns - ahead) / g.step_ns : 0;
}
