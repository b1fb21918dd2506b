/* SPDX-License-Identifier: Apache-2.0 */
/* board.h - where the processes of a slot write down which layers stand and what went wrong.
 *
 * One page of shared memory: the launcher's children have no other way to
 * speak once their descriptors are closed.
 */
#ifndef NATIVE_BOARD_H
#define NATIVE_BOARD_H

#include "call/call.h"

enum turn {
	TURN_OPEN,
	TURN_READY,   /* the launcher waits for the order */
	TURN_ORDERED, /* the order is there in a moment */
};

struct board {
	struct layer_report layers[LAYER_COUNT];
	struct error error;
	struct error init_error; /* why there is no pid 1 */
	uint64_t start_us;       /* just before the program's exec */
	uint64_t mark; /* of its cgroup namespace: whatever it starts has the same; 0: unknown */
	uint64_t used_user_us, used_system_us; /* by the process while it waited for its call */
	uint32_t became_cold; /* 1: the child of a warm interpreter went on as a fresh one, by exec
			       */
	uint32_t allow_degraded;
	uint32_t maker; /* 1: who makes the box has our memory; the kernel writes 0 when it is pid 1
			   of the box, or dead; a futex */
	uint32_t left;  /* 1: it has let go of the host's root and of all rights; pid 1 is next */
	uint32_t room;  /* 1: there was a free processor when the slot was made */
	uint32_t turn;  /* enum turn: who was first, the launcher or the program's order */
	uint32_t cpu;   /* where the program was about to begin */
	uint32_t leave; /* 1: the program may begin; a futex.  The warden says so each time */
	/* For who is born before its box is built (newborn.h): */
	uint32_t built;   /* 1: the box is; a futex */
	uint32_t named;   /* 1: what it is to become; a futex */
	uint32_t network; /* 1 + the descriptor of its namespace, in the launcher's table; a futex
			   */
	uint32_t program; /* 1: it has the launcher's memory; the kernel writes 0 when it has begun
			     or is dead; a futex */
};

/* ret_fd: of the memory it is in, for a process that is not cloned from here; NULL: there is none.
 */
struct board *board_new(uint32_t allow_degraded, int *ret_fd, struct error *err);

void layer_stands(struct board *b, enum layer layer, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A layer could not be put up; err says why.  Returns 0 and clears err if the caller of the run
 * allows to go on without it, else -1 with what to do added.  instead: what stands in, or NULL. */
int layer_missing(struct board *b, enum layer layer, const char *instead, struct error *err);

#endif
