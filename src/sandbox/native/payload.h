/* SPDX-License-Identifier: Apache-2.0 */
/* payload.h - fills a box: a child joins it, seals itself and becomes the program. */
#ifndef NATIVE_PAYLOAD_H
#define NATIVE_PAYLOAD_H

#include "base/error.h"
#include "call/pack.h"
#include "sandbox/native/board.h"
#include "sandbox/native/box.h"
#include "sandbox/native/plan.h"
#include "sandbox/native/wire.h"

struct payload {
	const struct plan *plan;
	const struct box *box;
	const struct limits *limits;
	const struct words *words;
	struct board *board;
	const struct seccomp_program *filter;
	bool memory_by_rlimit;
	bool last;       /* the launcher makes no further box */
	const char *cwd; /* where the program begins; NULL: /work */
	int io[3];
	int v2_door;  /* -1: none */
	int doors[5]; /* v1 `tasks` files */
	size_t n_doors;
};

/* Returns when the program runs or could not be started; then err is the reason.  *ret_pid is the
 * child to wait for, also after a failure; 0: there is none. */
int payload_start(struct payload *p, pid_t *ret_pid, struct error *err);

#endif
