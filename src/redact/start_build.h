/* SPDX-License-Identifier: Apache-2.0 */
/* start_build.h - part of the build: the words that patterns begin with, and what may follow them.
 */
#ifndef REDACT_START_BUILD_H
#define REDACT_START_BUILD_H

#include "base/error.h"
#include "redact/redact_rule.h"
#include "redact/starts.h"

int start_build(struct starts *s, const struct redact_rule *rule, size_t entry, struct error *err);

#endif
