/* SPDX-License-Identifier: Apache-2.0 */
/* signs.h - what a "." a ":" or a "=" may be part of: addresses, and names with values. */
#ifndef REDACT_SIGNS_H
#define REDACT_SIGNS_H

#include "redact/cut.h"

/* A name begins at text[floor + at], with a value near it that needs a closer look.  false: enough.
 */
typedef bool signs_named(void *context, size_t at, size_t entry);
/* Adds what is in the stretch.  false: named() had enough. */
bool signs_find(const struct redact_set *set, const struct stretch *in, signs_named *named,
		void *context, struct spans *ret);

#endif
