/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_build.h - compiles patterns into a database; needs all of vectorscan. */
#ifndef REDACT_PATTERN_BUILD_H
#define REDACT_PATTERN_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Pattern i has the id i; NULL: none has it.  lenient: what vectorscan cannot do is replaced by
 * something that finds more. */
int pattern_build(const char *const *finds, size_t n, bool lenient, uint64_t key, FILE *out,
		  struct error *err);

#endif
