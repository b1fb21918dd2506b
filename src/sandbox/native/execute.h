/* SPDX-License-Identifier: Apache-2.0 */
/* execute.h - a process becomes a program, found as a shell finds it. */
#ifndef NATIVE_EXECUTE_H
#define NATIVE_EXECUTE_H

#include <stdint.h>

#include "base/error.h"

/* Returns only if it cannot; err says why.  start_us: the time just before, of the last try. */
void execute(char *const *argv, char *const *env, uint64_t *start_us, struct error *err);

#endif
