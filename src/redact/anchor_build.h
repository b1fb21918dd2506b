/* SPDX-License-Identifier: Apache-2.0 */
/* anchor_build.h - part of the build: reads anchors, and what is around them, from patterns. */
#ifndef REDACT_ANCHOR_BUILD_H
#define REDACT_ANCHOR_BUILD_H

#include "redact/wordanchors.h"
#include "redact/redact_rule.h"

/* true: it has an anchor, what is around it can be compared by hand, and it was added.  false:
 * somebody else must find it, and what was there before must be put back. */
bool anchor_build(struct anchors *a, const struct redact_rule *rule, size_t entry);

#endif
