/* SPDX-License-Identifier: Apache-2.0 */
/* when.h - the times that people write: "2h" (ago), "2026-11-15", "2026-11-15T10:00+02:00". */
#ifndef AUDITREAD_WHEN_H
#define AUDITREAD_WHEN_H

#include <stdint.h>

#include "base/error.h"

/* Milliseconds since 1970, of which now is one.  A date alone is its first moment; without a zone
 * it is UTC, as everything is that is printed. */
int when_parse(const char *text, uint64_t now_ms, uint64_t *ret_ms, struct error *err);
/* The clock that records are stamped with. */
uint64_t when_now(void);

#endif
