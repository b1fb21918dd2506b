/* SPDX-License-Identifier: Apache-2.0 */
/* runrules.h - what belljar run is asked to do, and what the policy says to it.
 *
 * Fixed sizes: both travel between belljar, which has no parser of YAML, and belljar-gate.
 */
#ifndef CALL_RUNRULES_H
#define CALL_RUNRULES_H

#include "call/call.h"
#include "call/why.h"

/* Options of belljar run that reach out of the box, or loosen something. */
enum run_use {
	RUN_USE_READ,
	RUN_USE_WRITE,
	RUN_USE_PUT,
	RUN_USE_GET,
	RUN_USE_ENV,
	RUN_USE_STDIN,
	RUN_USE_ROOT,
	RUN_USE_LOOPBACK,
	RUN_USE_PROC,
	RUN_USE_CGROUP,
	RUN_USE_DEGRADED,
	RUN_USE_RAW, /* output as it is, --no-redact */
	RUN_USE_COUNT
};

struct run_ask {
	struct limits limits;
	uint32_t uses; /* one bit per enum run_use */
};

enum run_redact {
	RUN_REDACT_ALL = 0,  /* whatever comes out is looked at with all rules */
	RUN_REDACT_STANDARD, /* built-in rules only: what is innocent needs no further look */
	RUN_REDACT_OFF,
};

struct run_rules {
	enum answer answer;
	struct why why;
	struct limits limits; /* as asked for, or lower where nobody asked */
	enum run_redact redact;
	bool audit_off;
	bool audit_always;
	int audit_bodies;           /* as enum blob_mode counts */
	char audit_directory[4096]; /* empty: the caller may choose */
	uint32_t allow_degraded;    /* seals that a new scribe may lack */
	char policy_sha256[65];     /* */
	char policy_source[512];    /* */
};

/* The words of the policy file's run.may; NULL beyond the last. */
extern const char *const run_use_names[RUN_USE_COUNT + 1];

/* Of the built-in policy: made when belljar is built. */
extern const char builtin_policy_sha256[];

/* What holds where there is no policy file: the built-in policy has no word about runs, so all of
 * its standards. */
void run_rules_builtin(struct run_rules *ret);

#endif
