/* SPDX-License-Identifier: Apache-2.0 */
/* scribe.h - the process that holds the log and its key.
 *
 * One thread, one loop: what has come from all callers is one batch, which is
 * written at once and answered.  Nothing else writes the log.
 */
#ifndef SCRIBE_SCRIBE_H
#define SCRIBE_SCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct scribe_options {
	const char *directory;
	int first;               /* a connection that is there already; -1: none */
	uint32_t allow_degraded; /* seals that may be missing */
	bool leash;              /* first is told when we are up, and we stay while it is there */
	bool stay;               /* until a signal, however idle */
	unsigned idle_ms;        /* else: ends after so long without anybody */
};

/* Until it is idle or told to end.  -1: it could not begin; callers have been told. */
int scribe_run(const struct scribe_options *options, struct error *err);

#endif
