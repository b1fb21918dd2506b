/* SPDX-License-Identifier: Apache-2.0 */
/* startscribe.h - a scribe for a log that has none. */
#ifndef AUDIT_STARTSCRIBE_H
#define AUDIT_STARTSCRIBE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Returns a connection to it, or -1.  It needs no waiting for: what is sent is kept until it is
 * ready.  It outlives the caller; *ret_child only starts it, and ends then. */
int scribe_start(const char *program, const char *directory, uint32_t allow_degraded,
		 pid_t *ret_child, struct error *err);

#endif
