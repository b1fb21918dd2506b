/* SPDX-License-Identifier: Apache-2.0 */
/* meterkey.h - whose bucket: names become 128-bit keys. */
#ifndef POLICY_METERKEY_H
#define POLICY_METERKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct meter_key {
	uint64_t a, b; /* both 0: nobody's */
};

/* What is counted, by which rule it is. */
enum meter_what {
	METER_RATE_ALL = 1, /* rate: */
	METER_RATE_CLIENT,  /* clients.NAME.rate */
	METER_RATE_TOOL,    /* tools.NAME.rate */
	METER_CALLS,        /* clients.NAME.budget.calls */
	METER_CPU,          /* clients.NAME.budget.cpu */
	METER_OUTPUT,       /* clients.NAME.budget.output */
	METER_PLACES,       /* tools.NAME.concurrency */
};

/* client or tool NULL: it belongs to all of them.  nth: of the rule's list. */
struct meter_key meter_key(const uint64_t secret[static 2], enum meter_what what, size_t nth,
			   const char *client, const char *tool);
/* SipHash-2-4 with 128 bits. */
struct meter_key meter_hash(const uint64_t secret[static 2], const void *data, size_t len);

static inline bool meter_key_same(struct meter_key x, struct meter_key y)
{
	return x.a == y.a && x.b == y.b;
}

#endif
