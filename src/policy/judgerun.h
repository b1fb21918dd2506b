/* SPDX-License-Identifier: Apache-2.0 */
/* judgerun.h - what the policy says to belljar run. */
#ifndef POLICY_JUDGERUN_H
#define POLICY_JUDGERUN_H

#include "call/runrules.h"
#include "policy/policy.h"

void policy_judge_run(const struct policy *p, const struct run_ask *ask, struct run_rules *ret);

#endif
