/* SPDX-License-Identifier: Apache-2.0 */
/* feed.h - hands our standard input on to the program, through a pipe of its own. */
#ifndef SANDBOX_FEED_H
#define SANDBOX_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* The program never gets the descriptor itself: it might be a terminal, a socket, or a file open
 * for writing. */
struct feed {
	int source; /* -1: at its end */
	int pipe;   /* write end; -1: nobody reads any more */
	char *chunk;
	size_t from, to; /* read, not written yet */
};

/* source -1: *ret_read is /dev/null. */
int feed_open(struct feed *f, int source, uid_t uid, int *ret_read, struct error *err);
void feed_close(struct feed *f);
/* What to poll for: a descriptor for reading or one for writing; the other is -1. */
void feed_wants(const struct feed *f, int *ret_in, int *ret_out);
void feed_move(struct feed *f);

#endif
