/* SPDX-License-Identifier: Apache-2.0 */
/* signs.h - what a "." a ":" or a "=" may be part of: addresses, and names with values. */
#ifndef REDACT_SIGNS_H
#define REDACT_SIGNS_H

#include "redact/cut.h"

/* Adds what is in the stretch.  named: a pattern may match at text[at], behind which a sign is;
 * false: it had enough.  Returns false then. */
bool signs_find(const struct redact_set *set, const struct stretch *in,
		bool (*named)(void *context, size_t at, size_t rule), void *context,
		struct spans *ret);

#endif
