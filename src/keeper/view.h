/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what the other roles of the service need to know of a policy. */
#ifndef KEEPER_VIEW_H
#define KEEPER_VIEW_H

#include <jansson.h>

#include "base/buf.h"
#include "policy/policy.h"

/* One object: settings of the service, clients, tools, and the ceiling.  NULL: err. */
json_t *view_make(const struct policy *p, struct error *err);
/* The most that any tool can ask for, as the warden reads it (sandbox/ceiling.h). */
int view_ceiling(const struct policy *p, struct buf *ret, struct error *err);
/* The length of a mount's source up to its last directory before the first special character: a
 * pattern stands for what is beneath. */
size_t view_fixed_part(const char *source);
/* How many calls are served at once: what is written, or what the processors suggest. */
uint64_t view_concurrency(const struct policy *p);
/* How many wait for a session to be opened: none where no tool has any. */
uint64_t view_sessions_ready(const struct policy *p);

#endif
