/* SPDX-License-Identifier: Apache-2.0 */
/* pour.h - one file of a box into one file of the host. */
#ifndef NATIVE_POUR_H
#define NATIVE_POUR_H

#include "call/call.h"
#include "sandbox/capture.h"

struct pour {
	int from, to;
	uint64_t most;               /* bytes, read as well as written */
	const struct filter *filter; /* text goes through it; NULL: nothing does */
};

/* Copies and hashes.  The artifact gets size and SHA-256 of what was written, or the reason why it
 * cannot be read.  ret_over: there was more than `most`, and size says how much.  -1: the host
 * failed. */
int pour(const struct pour *p, struct artifact *a, bool *ret_over, struct error *err);

#endif
