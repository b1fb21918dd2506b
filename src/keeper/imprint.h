/* SPDX-License-Identifier: Apache-2.0 */
/* imprint.h - what all keepers of sessions had in their memory when they were made.
 *
 * A nursery lays it into a file and maps that in its place, and so do its copies.  A keeper that
 * waits for hours then gives back every page, and keeps only what differs.
 */
#ifndef KEEPER_IMPRINT_H
#define KEEPER_IMPRINT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { IMPRINT_PARTS = 8 };

struct imprint {
	size_t n; /* 0: there is none */
	struct imprint_part {
		uintptr_t start, end;
		uintptr_t as; /* where its contents can be read */
	} parts[IMPRINT_PARTS];
	uintptr_t grown_from; /* what malloc has there and beyond is the keeper's own */
	uintptr_t view, view_end;
};

/* Once, by the nursery, in which nobody has handlers for signals or threads.  *i must be static: it
 * is part of what is laid.  -1: there is none, and nothing has changed. */
int imprint_take(struct imprint *i, struct error *err);
/* As poll(); meanwhile everything is given back that can be had again. */
int imprint_poll(const struct imprint *i, struct pollfd *fds, size_t n, int wait_ms);

#endif
