/* SPDX-License-Identifier: Apache-2.0 */
/* runtimes.h - what runs code: the runtimes that exist without being written, and what waits. */
#ifndef POLICY_RUNTIMES_H
#define POLICY_RUNTIMES_H

#include "call/rules.h"

/* Of a language's name; WARM_NOT: it has no runtimes (bash). */
enum warm_kind runtime_kind(const char *language);
/* The one that nobody has to write; NULL for WARM_NOT. */
const struct runtime *runtime_builtin(enum warm_kind kind);
/* What waits for the calls that it runs.  Points at the words of the runtime. */
void runtime_warm(const struct runtime *r, struct warm *ret);

#endif
