/* SPDX-License-Identifier: Apache-2.0 */
/* viewrun.h - belljar-gate reads the policy for us; we take what it prints. */
#ifndef SERVE_ROLES_VIEWRUN_H
#define SERVE_ROLES_VIEWRUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "serve/loop.h"
#include "serve/roles/rolespawn.h"

struct viewrun {
	struct loop *loop;
	pid_t pid; /* 0: none is running */
	int pidfd, out;
	struct loop_watch end, news;
	struct loop_timer deadline;
	struct buf text;
	const char *why; /* it was killed; NULL: not by us */
	/* Exactly once for each start.  text: what it printed, NULL if it failed and why says how
	 * (what is wrong with the policy it has said itself, on its standard error). */
	void (*done)(void *context, const struct buf *text, const char *why);
	void *context;
};

enum { VIEW_WAIT_MS = 60000 };

/* s: the program; its standard output is ours. */
int viewrun_start(struct viewrun *v, struct loop *l, const struct spawn *s, struct error *err);
void viewrun_cancel(struct viewrun *v);

#endif
