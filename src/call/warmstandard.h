/* SPDX-License-Identifier: Apache-2.0 */
/* warmstandard.h - what waits for code where nobody says otherwise. */
#ifndef CALL_WARMSTANDARD_H
#define CALL_WARMSTANDARD_H

#include "call/call.h"

enum { WARM_STANDARD_MODULES = 24, WARM_STANDARD_CALLS = 1000, WARM_STANDARD_AGE_MS = 600000 };

/* What Python imports ahead. */
extern const char *const warm_standard_modules[WARM_STANDARD_MODULES];
/* NULL for WARM_NOT. */
const char *warm_standard_program(enum warm_kind kind);
void warm_standard(enum warm_kind kind, struct warm *ret);

#endif
