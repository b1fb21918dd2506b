/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - reads what a program writes: keeps the first bytes, counts the rest, passes it on. */
#ifndef SANDBOX_CAPTURE_H
#define SANDBOX_CAPTURE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"

/* Takes what may be seen. */
typedef void filter_sink(void *to, const char *data, size_t len);

/* Changes output before it is kept, cut to its limit, or heard by anybody.  It may hold back what
 * it got, and give on more or less than that. */
struct filter {
	/* NULL: output is passed on as it is.  false: the program must be killed. */
	bool (*feed)(void *context, const char *data, size_t len, filter_sink *sink, void *to);
	/* The end: what was held back is given on.  false: that was not possible. */
	bool (*finish)(void *context, filter_sink *sink, void *to);
	void *context;
};

/* Who hears output as it comes: a descriptor, a function, both or nobody. */
struct live {
	int fd; /* -1: none */
	void (*hear)(void *context, const char *data, size_t len);
	void *context;
	struct filter filter;
};

struct capture {
	int fd; /* read end; -1 after the end */
	struct live live;
	struct stream *stream;
	char *held;          /* read, not passed on yet: nothing more is read meanwhile */
	struct buf filtered; /* the same behind a filter */
	size_t at, left;
	bool finished; /* the filter has given on all it had */
	bool stop;     /* the filter wants the program killed */
	int failed;    /* errno: live.fd takes no more */
};

/* A pipe: the write end is for the program, whose uid may open it again (/dev/stdout). */
int capture_open(struct capture *c, struct stream *stream, const struct live *live, uid_t uid,
		 int *ret_write, struct error *err);
void capture_close(struct capture *c);
/* Its room holds nothing: the kernel may have it back until there is something. */
void capture_idle(struct capture *c);
/* What to poll for: the program's end for reading or the listener's for writing; the other is -1.
 */
void capture_wants(const struct capture *c, int *ret_in, int *ret_out);
/* Moves what can be moved without waiting. */
void capture_move(struct capture *c);
/* The program is dead: takes what is left in the pipe, waiting no longer than until_us. */
void capture_drain(struct capture *c, uint64_t until_us);
/* Nothing more will come: what a filter held back is kept and can be moved. */
void capture_finish(struct capture *c);

#endif
