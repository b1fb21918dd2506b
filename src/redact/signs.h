/* SPDX-License-Identifier: Apache-2.0 */
/* signs.h - what a "." a ":" or a "=" may be part of: addresses, and names with values. */
#ifndef REDACT_SIGNS_H
#define REDACT_SIGNS_H

#include "redact/cut.h"

/* Adds what is in the stretch. */
void signs_find(const struct redact_set *set, const struct stretch *in, struct spans *ret);

#endif
