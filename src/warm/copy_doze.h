/* SPDX-License-Identifier: Apache-2.0 */
/* copy_doze.h - what is left of a process that sleeps: a few pages in a hole. */
#ifndef WARM_COPY_DOZE_H
#define WARM_COPY_DOZE_H

#include <poll.h>

#include "warm/copy_image.h"

enum { DOZE_STREAM, DOZE_SIGNALS, DOZE_WAITS };

/* A mapping that is put away meanwhile. */
struct doze_move {
	uint64_t home, len;
	uint64_t away, away_len;
	uint64_t empties; /* no page of it is its own: all that are there can go */
};

/* Lies in the hole, and so does all that it points at. */
struct doze {
	struct pollfd fds[DOZE_WAITS];
	const uint32_t *differences, *differences_end; /* pagediff.h */
	const struct doze_move *moves;
	uint64_t n_moves;
	uint64_t rseq_at; /* 0: none, or it is not registered */
	uint32_t rseq_len;
	uint32_t pad;
};

/* The code that is copied into the hole: nothing of it refers to anything else.  Returns when there
 * is something to read, and everything is where and as it was. */
extern const char __start_doze_code[], __stop_doze_code[];
void doze_here(const struct doze *d);

#endif
