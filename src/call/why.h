/* SPDX-License-Identifier: Apache-2.0 */
/* why.h - every refusal has one shape, whoever refuses.
 *
 * It is read by a model: what it says must be something to act on.  It never
 * carries a secret or a path of the host that the caller did not name itself.
 */
#ifndef CALL_WHY_H
#define CALL_WHY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/jsonout.h"

enum why_layer {
	WHY_NONE = 0, /* nothing was refused */
	WHY_REQUEST,  /* the bytes that came were no call */
	WHY_POLICY,   /* who, which tool, which arguments */
	WHY_SCREEN,   /* what is written in the code or command */
	WHY_LIMIT,    /* how often, how many at once, how much */
	WHY_FILE,     /* a file or directory */
	WHY_EGRESS,   /* the network */
	WHY_KERNEL,   /* the box could not be made, or the kernel refused */
	WHY_OUTPUT,   /* what came out: the call was allowed, and ended for it */
	WHY_COUNT
};

/* A yes or no whose forgotten assignment is no. */
enum answer { ANSWER_DENY = 0, ANSWER_ALLOW };

struct why {
	enum why_layer layer;
	char rule[128];          /* which rule, as a path: "tools.search.args.limit.max" */
	char what[320];          /* what was wrong, one sentence without a full stop */
	bool permanent;          /* the same call can never succeed under this policy */
	uint64_t retry_after_ms; /* 0: not known, or of no use */
	char hint[320];          /* the nearest thing that is allowed; empty: none */
};

const char *why_layer_name(enum why_layer layer);
/* Fills in layer, rule and what; permanent is true, the rest empty.  Control characters of foreign
 * text are escaped, too long text is cut.  Returns ANSWER_DENY. */
enum answer why_deny(struct why *w, enum why_layer layer, const char *rule, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void why_hint(struct why *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Not permanent: worth another try after that time (0: some time). */
void why_retry(struct why *w, uint64_t after_ms);
/* For a refusal because of our own failure: err's text is kept out of it, it may name host paths.
 */
enum answer why_internal(struct why *w, const struct error *err);
/* The documented object; null when nothing was refused. */
void why_json(const struct why *w, struct jsonout *j, const char *key);

#endif
