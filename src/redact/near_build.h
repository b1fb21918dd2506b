/* SPDX-License-Identifier: Apache-2.0 */
/* near_build.h - part of the build: reads words and values from patterns of NEAR(). */
#ifndef REDACT_NEAR_BUILD_H
#define REDACT_NEAR_BUILD_H

#include "redact/nearnames.h"
#include "redact/redact_rule.h"

/* true: it is NEAR() of redact_rule.h, with words and a value that can be compared by hand, and
 * was added.  false: somebody else must find it, and what was there before must be put back. */
bool near_build(struct nearnames *n, const struct redact_rule *rule, size_t entry);

#endif
