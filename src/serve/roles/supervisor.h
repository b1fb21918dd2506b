/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor.h - starts the roles of the service, restarts, reloads and drains them. */
#ifndef SERVE_ROLES_SUPERVISOR_H
#define SERVE_ROLES_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SERVE_LISTEN_MAX = 16 };

struct serve_config {
	const char *policy;                   /* absolute; NULL: the standard one */
	const char *listen[SERVE_LISTEN_MAX]; /* instead of the policy's */
	size_t n_listen;
	const char *state, *audit; /* absolute; NULL: the standard ones */
	bool json;
	/* Programs, by absolute paths. */
	const char *self, *belljar, *gate, *scribe, *auditor;
};

/* Until somebody ends it.  0: in order; -1: err says what to do about it. */
int supervisor_run(const struct serve_config *config, struct error *err);

#endif
