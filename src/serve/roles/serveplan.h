/* SPDX-License-Identifier: Apache-2.0 */
/* serveplan.h - what the supervisor takes from the view of a policy. */
#ifndef SERVE_ROLES_SERVEPLAN_H
#define SERVE_ROLES_SERVEPLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PLAN_BYTES_MAX = 16 << 20 };

/* Texts live in view. */
struct plan {
	json_t *view;
	const char *policy_sha256;
	const char *policy_file;                        /* NULL: built in */
	const json_t *listen;                           /* a list of texts, at least one */
	const char *tls_cert, *tls_key, *tls_client_ca; /* NULL: none */
	bool plaintext, loopback_without_key;
	uint64_t concurrency, sessions, sessions_ready, drain_ms, warm_node;
	bool audit_off;
	const char *audit_directory;  /* NULL: it does not say */
	const json_t *allow_degraded; /* a list of texts */
	const char *ceiling;
};

/* From the text of belljar-gate view; ret is written on success only. */
int plan_read(const char *text, size_t len, struct plan *ret, struct error *err);
void plan_done(struct plan *p);
void plan_end(struct plan *p); /* for own(plan) */

#endif
