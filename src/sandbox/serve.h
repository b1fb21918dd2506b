/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - one call in a slot, whoever keeps the slot: this process or a helper. */
#ifndef SANDBOX_SERVE_H
#define SANDBOX_SERVE_H

#include <sys/types.h>

#include "sandbox/sandbox.h"

/* What a slot can be asked for: slot.h says what each of these promises. */
struct runner_ops {
	int (*box)(void *slot, const struct limits *limits, int *ret_work, struct error *err);
	int (*start)(void *slot, const struct job *job, const int io[3], struct error *err);
	int (*fd)(const void *slot);
	int (*wait_ms)(const void *slot);
	void (*near_end)(const void *slot); /* the program has closed its output; or NULL */
	/* Until when (clock_us) it is better not to sleep while waiting; 0: sleep.  Or NULL */
	uint64_t (*awake_us)(const void *slot);
	bool (*step)(void *slot);
	bool (*is_silent)(const void *slot); /* it should have answered, and did not; or NULL */
	void (*kill)(void *slot, enum kill_reason reason);
	void (*signal)(void *slot, int signal); /* for the program */
	void (*finish)(void *slot, struct outcome *ret, int *ret_work);
	/* Both or none: whoever keeps the slot moves files in and out, because we may not.  Instead
	 * of box() and of what finish() gives.  source: -1, or what put says is read from there. */
	int (*put)(void *slot, const struct limits *limits, const struct put *put, int source,
		   struct error *err);
	/* Adds to the account, bytes in memory.  last: what is left of the box's files may go. */
	int (*collect)(void *slot, const char *glob, const struct get_caps *caps, bool last,
		       struct account *account, struct error *err);
};

struct runner {
	const struct runner_ops *ops;
	void *slot;
	uid_t uid; /* who owns the program's files on the host; -1: the slot gives them away */
	gid_t gid;
	bool root_mode;
};

/* Before a slot is made: an account, and whether what we promise of it can be kept. */
int serve_prepare(const struct request *r, struct account *ret, struct error *err);
/* Nothing ran, and err says why. */
void serve_refuse(struct account *account, const struct error *err);
/* Files in, the program, its output, files out.  0: the account says what happened, also if nothing
 * could be started.  -1: our own failure, and something may have run; the runner's call may not
 * have ended. */
int serve(const struct request *r, const struct runner *runner, struct account *account,
	  struct error *err);

#endif
