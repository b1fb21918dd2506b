/* SPDX-License-Identifier: Apache-2.0 */
/* sealing.h - what a process goes through before it may run anything of a caller's.
 *
 * One list of steps for every way to fill a box: a program started for its call
 * (payload.c), a process that waits for one (ahead.c), and the child of a warm
 * interpreter, into which this file is loaded (src/warm).
 */
#ifndef NATIVE_SEALING_H
#define NATIVE_SEALING_H

#include <sched.h>

#include "base/error.h"
#include "call/call.h"
#include "sandbox/native/board.h"
#include "sandbox/native/seccomp.h"

/* Ids inside the box.  pid 1 has another one than the program where there are two to be had. */
enum { INSIDE_UID = 1000, INSIDE_GID = 1000 };

enum { SEALING_DOORS = 5 };

struct sealing {
	bool root_mode; /* the slot has host uids of its own */
	bool later;     /* by birth its turns come later than others' (turns.h) */
	bool marks;     /* whose process it is, is wanted */
	bool newborn;   /* the box's network is still being made, and descriptors are the launcher's
			   until it is there (newborn.h) */
	int pidfd;      /* of the box's pid 1; -1: we were born in the box */
	int root;       /* of the box, O_PATH */
	int rules;      /* -1: Landlock is not in force */
	const cpu_set_t *cpus; /* of the slot, for who is bound to one of them */
	const struct limits *limits;
	struct board *board;
	const struct seccomp_program *filter;
	struct seccomp_halves halves; /* the same in two; without length: there are none */
	bool memory_by_rlimit;
	const char *cwd;          /* where the program begins; NULL: /work */
	bool called;              /* it was, to one processor: sealing_wait() says so */
	bool has_null;            /* the box's null device is at 0 already */
	int io[3];                /* for 0, 1 and 2; unused if there is a door */
	int door;                 /* where it waits for them (door.h); -1: nowhere */
	int library;              /* one more for who waits; -1: none */
	int more;                 /* one more for the program; -1: none.  With a door: none */
	int v2_door;              /* -1: none */
	int doors[SEALING_DOORS]; /* v1 `tasks` files */
	size_t n_doors;
	/* Called by the newborn while its network is still being made; NULL: there is nothing. */
	void (*meanwhile)(const char *program);
	const char *program;
};

/* 0: this process is sealed.  -1: it must end; the board says why. */
int sealing_take(struct sealing *s);
/* Waits at the door, sealed: 0, 1 and 2 are placed then and nothing else is open but the door and
 * the words that come back.  -1: as above. */
int sealing_wait(struct sealing *s, int *ret_words);

#endif
