/* SPDX-License-Identifier: Apache-2.0 */
/* runrules.c - what holds for belljar run where there is no policy file. */
#include "call/runrules.h"

#include <stdio.h>

const char *const run_use_names[] = {
	[RUN_USE_READ] = "read",     [RUN_USE_WRITE] = "write",       [RUN_USE_PUT] = "put",
	[RUN_USE_GET] = "get",       [RUN_USE_ENV] = "env",           [RUN_USE_STDIN] = "stdin",
	[RUN_USE_ROOT] = "root",     [RUN_USE_LOOPBACK] = "loopback", [RUN_USE_PROC] = "proc",
	[RUN_USE_CGROUP] = "cgroup", [RUN_USE_DEGRADED] = "degraded", [RUN_USE_RAW] = "raw",
	[RUN_USE_COUNT] = NULL,
};

void run_rules_builtin(struct run_rules *ret)
{
	ret->answer = ANSWER_ALLOW;
	ret->redact = RUN_REDACT_STANDARD;
	ret->audit_bodies = 1; /* hashes */
	(void)snprintf(ret->policy_sha256, sizeof(ret->policy_sha256), "%s", builtin_policy_sha256);
	(void)snprintf(ret->policy_source, sizeof(ret->policy_source), "built in");
}
