/* SPDX-License-Identifier: Apache-2.0 */
/* launcher_state.h - what a launcher is, for the files that it is made of. */
#ifndef NATIVE_LAUNCHER_STATE_H
#define NATIVE_LAUNCHER_STATE_H

#include <poll.h>

#include "sandbox/native/board.h"
#include "sandbox/native/box.h"
#include "sandbox/native/execs.h"
#include "sandbox/native/netspace.h"
#include "sandbox/native/newborn.h"
#include "sandbox/native/payload.h"
#include "sandbox/native/plan.h"
#include "sandbox/native/wire.h"

/* A warm interpreter that lives in the slot. */
struct zygote {
	pid_t pid; /* 0: there is none */
	int control;
	bool ready;
	uint64_t since_us;
	uint64_t resident;
	uint64_t children;
};

/* A process that waits in the box for the call it is for. */
struct ahead {
	pid_t pid; /* 0: there is none */
	int pidfd;
	int door;
	enum start_how how; /* when it begins */
	bool begins_itself; /* it says so at the door: not our code */
	struct limits limits;
	bool memory_by_rlimit;
	uint64_t since_us;
	bool told_old; /* the warden knows that it has waited long */
};

struct launcher {
	struct plan *plan;
	struct board *board;
	struct netspace network; /* while it is being made */
	uint64_t overdue_us; /* the program is to be dead by then, whatever the warden does; 0: none
			      */
	int network_fd, network_socket; /* single, eager: it is made, and what led to it */
	struct box box;
	struct newborn newborn; /* single: until the program has begun */
	pid_t program;          /* 0: none runs */
	int program_fd;
	int unseen; /* the door of one that was let in and not seen to begin; -1: none */
	bool kill_ordered;
	bool another;   /* prepare the next box when this one ends */
	bool box_due;   /* it is to be made */
	bool beside;    /* we are bound to the warden's processor */
	bool later;     /* and take it from nobody: turns_later() */
	bool clear_due; /* the program has ended, its box is there */
	bool untold;    /* the warden has not heard of it yet */
	bool kept;      /* the box stays when a program ends, and is the last */
	bool foresees;  /* single: what the program will look for next is known */
	bool rests;     /* kept, and memory that holds nothing was given back */
	struct execs execs;
	struct limits next;
	struct ahead ahead;
	struct zygote zygote, young; /* young: takes its place when it is ready */
	uint64_t zygotes;            /* that were started */
	uint64_t retry_us;           /* no further one before */
	int library;                 /* for who begins itself; -1: not made yet */
	char trouble[80];            /* why there is none */
	struct start start;          /* of the program that began last */
	/* Large, and last: what is above lies on one page.  The second: no group limits memory.
	 * Then the halves: a zygote has the first, and its children take the other. */
	struct seccomp_program filter, filter_by_rlimit, filter_first, filter_second;
	struct few_words room;   /* single: the program's; warm: while one is started */
	struct to_warden ending; /* what was said of the program that has ended */
};

/* To the warden. */
__attribute__((noreturn)) void launcher_give_up(struct launcher *l, const struct error *err);
int launcher_tell(struct launcher *l, struct to_warden *news, const int *fds, size_t n_fds);

/* launcher_enter.c */
void launcher_forget_environment(void);
int launcher_enter(struct launcher *l, struct error *err);
int launcher_enter_network(struct launcher *l, struct error *err);

/* launcher.c */
/* One way for every program, in a box of its own or in one that is kept. */
int launcher_start(struct launcher *l, const struct to_launcher *order, const int *fds,
		   pid_t *ret_pid, struct error *err);
bool launcher_fits_order(const struct to_launcher *order, size_t n_fds);
/* Whatever happened, there is no program and no box any more. */
bool launcher_clear_box(struct launcher *l);

/* launcher_kept.c */
/* A program more; whatever becomes of it, the box goes on. */
void launcher_run_beside(struct launcher *l, const struct to_launcher *order, const int *fds,
			 size_t n_fds);
/* Everything in the box dies, each program's end is told, and last the box's. */
__attribute__((noreturn)) void launcher_end_kept(struct launcher *l);
/* Which of the programs have ended?  And does the box itself live? */
void launcher_look_after_kept(struct launcher *l, const struct pollfd *fds, size_t n_execs);
/* It has nothing to do, and gives back what it does not need meanwhile. */
void launcher_rest(struct launcher *l);

/* A child that is not wanted is killed and waited for: as a zombie it would keep the box alive. */
void launcher_bury(pid_t child);
/* We and what we bear may be on every processor again, and take turns as everybody does. */
void launcher_part(struct launcher *l);
/* What an order and its descriptors ask for. */
void launcher_fill(struct launcher *l, const struct to_launcher *order, const int *fds,
		   struct payload *ret);

#endif
