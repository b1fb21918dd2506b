/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h - one call from beginning to end: box, files in, program, output, files out. */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <poll.h>

#include "base/error.h"
#include "call/call.h"
#include "sandbox/capture.h"
#include "sandbox/feed.h"

enum { PUTS_MAX = 64, GETS_MAX = 64 };

struct put {
	const char *source; /* a regular file on the host; NULL: the bytes of data */
	const char *inside; /* relative to /work */
	const void *data;
	size_t len;
	bool executable; /* for data; a file says so itself */
};

struct get {
	const char *glob; /* relative to /work */
	const char *dir;  /* on the host; NULL: into memory (struct artifact, content) */
};

/* For files that go into memory; 0: what the box's disk holds. */
struct get_caps {
	uint64_t bytes; /* of all together */
	uint64_t files;
};

enum { ASIDE_FDS = 2 };

/* Somebody who may have something to say while the program runs: asked each time what to wait for
 * (-1: nothing), and told what came. */
struct aside {
	void (*wants)(void *context, struct pollfd fds[ASIDE_FDS]); /* NULL: nobody */
	void (*ready)(void *context, const struct pollfd fds[ASIDE_FDS]);
	void *context;
	/* Asked after that: a signal for the program; 0: none.  NULL: never. */
	int (*signal)(void *context);
	/* Told when whoever keeps the slot does not answer, and when it does again.  NULL: nobody
	 * wants to know. */
	void (*silent)(void *context, bool is_silent);
};

struct request {
	struct profile profile;
	struct job job;
	struct put puts[PUTS_MAX + 1]; /* one more: the code */
	size_t n_puts;
	struct get gets[GETS_MAX];
	size_t n_gets;
	struct get_caps get_caps;
	struct food food;               /* what the program reads from its standard input */
	struct live live_out, live_err; /* output goes there as it comes */
	struct filter files;            /* text that is copied out goes through it */
	int cancel_fds[2];              /* readable: kill the call; -1: nobody cancels */
	/* These three are for sandbox_run() only.  What can be done while the slot gets ready: -1,
	 * and nothing is started.  NULL: nothing. */
	int (*meanwhile)(void *context, struct error *err);
	/* Who is asked when everything is ready and the program is about to start: -1, and it does
	 * not.  NULL: nobody. */
	int (*at_start)(void *context, struct error *err);
	/* Who hears of the end before the slot is taken down, and may judge it once more.  NULL:
	 * nobody. */
	void (*after)(void *context, struct account *account);
	void *context;
	struct aside aside; /* heard while the program runs */
	/* For serve() with any slot: called when all is prepared and nothing was started; -1:
	 * nothing is.  NULL: nobody asks. */
	int (*begin)(void *context, struct error *err);
	/* The same, when it has been started, or could not be.  NULL: nobody asks. */
	void (*begun)(void *context);
	void *begin_context;
	/* Nobody listens: for so long after the start output stays in its pipes, or until the
	 * program has ended.  To be woken for each line would only hold it up. */
	uint32_t hush_ms;
	/* For sandbox_run(): the caller's process ends after it.  Large pages and descriptors that
	 * nobody else sees are left to that end, where they cost less. */
	bool only;
};

void request_init(struct request *r);
/* The same for one that is all zeros already. */
void request_set_defaults(struct request *r);

/* 0: ret says what happened, also if nothing could be started.  -1: our own failure. */
int sandbox_run(const struct request *r, struct account *ret, struct error *err);

struct slot;
/* The same in a slot that is there already; ret was prepared (serve_prepare). */
int sandbox_run_in(struct slot *slot, const struct request *r, struct account *ret,
		   struct error *err);

#endif
