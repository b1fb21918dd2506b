/* SPDX-License-Identifier: Apache-2.0 */
/* feed.h - hands input on to the program, through a pipe of its own. */
#ifndef SANDBOX_FEED_H
#define SANDBOX_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* What the program reads: bytes, then a descriptor until its end.  Neither: /dev/null. */
struct food {
	const char *data;
	size_t len;
	int fd;          /* -1: none */
	const int *null; /* of the caller's; NULL: it is opened for each call */
};

/* The program never gets the descriptor itself: it might be a terminal, a socket, or a file open
 * for writing.  We keep the pipe's read end, too: a pipe with a reader never raises SIGPIPE, and
 * whether that signal is blocked is not always ours to say. */
struct feed {
	int source; /* -1: at its end */
	int pipe;   /* write end; -1: all was written */
	int reader;
	const char *at; /* read, not written yet */
	size_t left;
	char *chunk; /* NULL: there is no source */
};

void feed_init(struct feed *f);
int feed_open(struct feed *f, const struct food *food, uid_t uid, int *ret_read, struct error *err);
void feed_close(struct feed *f);
/* What to poll for: a descriptor for reading or one for writing; the other is -1. */
void feed_wants(const struct feed *f, int *ret_in, int *ret_out);
void feed_move(struct feed *f);

#endif
