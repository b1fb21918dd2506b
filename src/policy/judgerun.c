/* SPDX-License-Identifier: Apache-2.0 */
/* judgerun.c - what the policy says to belljar run. */
#include "policy/judgerun.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call/limits.h"

static void limits_put(struct limits *l, const struct limit_row *row, uint64_t value)
{
	memcpy((char *)l + row->offset, &value, sizeof(value));
}

static bool may_use(const struct run_policy *r, const char *name)
{
	for (size_t i = 0; i < r->may.n; i++)
		if (strcmp(r->may.word[i], name) == 0)
			return true;
	return !r->has_may;
}

static enum answer judge_uses(const struct run_policy *r, uint32_t uses, struct why *why)
{
	for (unsigned i = 0; i < RUN_USE_COUNT; i++)
		if ((uses & 1u << i) && !may_use(r, run_use_names[i])) {
			(void)why_deny(why, WHY_POLICY, "run.may", "the policy does not allow '%s'",
				       run_use_names[i]);
			why_hint(why, "leave that option out; belljar-policy(5), run, lists them");
			return ANSWER_DENY;
		}
	/* A bit that nobody knows is nothing that anybody allowed. */
	if (uses >> RUN_USE_COUNT)
		return why_deny(why, WHY_POLICY, "run.may", "an option that is not known here");
	return ANSWER_ALLOW;
}

/* Whoever wants the standard has not asked for it: that is lowered, more is refused. */
static enum answer judge_limits(const struct limits *most, struct limits *asked, struct why *why)
{
	for (size_t i = 0; i < limit_row_count; i++) {
		const struct limit_row *row = &limit_rows[i];
		uint64_t ceiling = limits_get(most, row), value = limits_get(asked, row);
		char rule[64];

		if (ceiling == 0 || value <= ceiling)
			continue;
		if (value == row->standard) {
			limits_put(asked, row, ceiling);
			continue;
		}
		(void)snprintf(rule, sizeof(rule), "run.limits.%s", row->name);
		(void)why_deny(why, WHY_POLICY, rule, "--%s %" PRIu64 " is more than %" PRIu64,
			       row->name, value, ceiling);
		why_hint(why, "at most --%s %" PRIu64, row->name, ceiling);
		return ANSWER_DENY;
	}
	return ANSWER_ALLOW;
}

static enum run_redact redact_mode(const struct redact_policy *r)
{
	if (r->off)
		return RUN_REDACT_OFF;
	if (r->n_own)
		return RUN_REDACT_ALL;
	for (size_t i = 0; r->has_groups && i < r->groups.n; i++) {
		static const char *const beyond[] = {"all", "email", "phone", "card"};

		for (size_t k = 0; k < sizeof(beyond) / sizeof(beyond[0]); k++)
			if (strcmp(r->groups.word[i], beyond[k]) == 0)
				return RUN_REDACT_ALL;
	}
	return RUN_REDACT_STANDARD;
}

void policy_judge_run(const struct policy *p, const struct run_ask *ask, struct run_rules *ret)
{
	const struct run_policy *r = &p->run;

	*ret = (struct run_rules){
		.limits = ask->limits,
		.redact = redact_mode(&r->redact),
		.audit_off = p->audit.off,
		.audit_always = p->audit.always,
		.audit_bodies = p->audit.bodies,
		.allow_degraded = p->allow_degraded,
	};
	(void)snprintf(ret->audit_directory, sizeof(ret->audit_directory), "%s",
		       p->audit.directory ? p->audit.directory : "");
	(void)snprintf(ret->policy_sha256, sizeof(ret->policy_sha256), "%s", p->sha256);
	(void)snprintf(ret->policy_source, sizeof(ret->policy_source), "%s", p->source);
	if (r->off) {
		ret->answer = why_deny(&ret->why, WHY_POLICY, "run.mode",
				       "the policy does not allow belljar run");
		why_hint(&ret->why, "belljar call runs the tools that the policy names");
		return;
	}
	ret->answer = judge_uses(r, ask->uses, &ret->why);
	if (ret->answer == ANSWER_ALLOW)
		ret->answer = judge_limits(&r->most, &ret->limits, &ret->why);
}
