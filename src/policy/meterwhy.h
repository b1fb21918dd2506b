/* SPDX-License-Identifier: Apache-2.0 */
/* meterwhy.h - the words of a refusal by rate, place or budget. */
#ifndef POLICY_METERWHY_H
#define POLICY_METERWHY_H

#include "call/rules.h"
#include "call/why.h"
#include "policy/meterkey.h"

/* One rule of a call, for its path: nth of the list of "of". */
struct meter_rule {
	enum meter_what what;
	const struct client *client;
	const struct tool *tool;
	size_t nth, of;
};

enum answer meterwhy_rate(struct why *why, const struct meter_rule *rule, const struct rate *r,
			  uint64_t wait_ms);
enum answer meterwhy_budget(struct why *why, const struct meter_rule *rule, uint64_t limit,
			    uint64_t per_ms, uint64_t wait_ms);
enum answer meterwhy_places(struct why *why, const struct tool *tool);

#endif
