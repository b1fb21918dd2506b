/* SPDX-License-Identifier: Apache-2.0 */
/* policy_words.h - a policy, or one decision of it, in plain words. */
#ifndef CLI_POLICY_WORDS_H
#define CLI_POLICY_WORDS_H

#include <stdio.h>

#include "gate/gate.h"

void words_policy(const struct policy *p, FILE *to);
void words_tool(const struct tool *t, FILE *to);
/* The rules that made the decision, in order, and where each is written. */
void words_decision(const struct passage *p, FILE *to);
/* Where a rule such as "tools.search.args.limit.max" is written; line 0: nowhere. */
struct place words_place(const struct policy *p, const char *rule);

#endif
