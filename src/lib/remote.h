/* SPDX-License-Identifier: Apache-2.0 */
/* remote.h - a slot that a helper process keeps for us. */
#ifndef LIB_REMOTE_H
#define LIB_REMOTE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"
#include "sandbox/serve.h"

struct remote {
	pid_t pid; /* of the helper; 0: there is none */
	int pidfd;
	int sock;
	struct runner runner; /* asks us; its ids are the helper's word */
	bool running;
	bool touched; /* files were put into a box that no program got: it must not serve another */
	bool lost;    /* it died, or does not make sense any more */
	bool unheard; /* it was gone before it heard anything of this call */
	bool kill_sent;
	uint64_t give_up_us; /* it must have answered by then */
	int work;            /* of the box that waits or has ended; -1: not asked for */
	struct outcome outcome;
};

void remote_init(struct remote *r);
/* Starts the helper: a small process that has one socket of ours and nothing else.  limits: of the
 * first box. */
int remote_open(struct remote *r, const char *helper, const struct profile *profile,
		const struct limits *limits, struct error *err);
/* Is a helper there, idle and alive?  Cheap: asked before each call. */
bool remote_is_ready(const struct remote *r);
/* Ends the helper and everything beneath it, and waits for it.  Safe on a closed one. */
void remote_close(struct remote *r);
/* After fork(): lets go of it without touching it; it is the parent's. */
void remote_forget(struct remote *r);

#endif
