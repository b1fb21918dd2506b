/* SPDX-License-Identifier: Apache-2.0 */
/* runset.h - what belljar run must not print. */
#ifndef GATE_RUNSET_H
#define GATE_RUNSET_H

#include "gate/gate.h"

/* By the policy's run.redact; policy NULL: the standard groups.  NULL: err. */
struct redact_set *run_redact_set(const struct policy *p, const struct redact_means *means,
				  struct error *err);

#endif
