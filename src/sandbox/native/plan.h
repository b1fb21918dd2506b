/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - what a slot is made of: filled in by the warden, inherited by its launcher. */
#ifndef NATIVE_PLAN_H
#define NATIVE_PLAN_H

#include <sched.h>
#include <sys/types.h>

#include "call/call.h"
#include "sandbox/native/programs.h"
#include "sandbox/native/sealing.h"
#include "sandbox/native/seccomp.h"

struct shelf;

struct plan {
	const struct profile *profile;
	bool once;         /* one box: its root is built in its own mount namespace */
	bool eager;        /* its launcher has time before it hears what for */
	bool keeps;        /* a box may be kept: its /proc is wanted */
	bool root_mode;    /* the slot has two host uids of its own */
	uid_t payload_uid; /* on the host */
	uid_t init_uid;
	int socket;                    /* the launcher's end */
	int lock;                      /* on the slot's uids: taken as long as the launcher lives */
	int init_program;              /* sealed memfd */
	int board_fd;                  /* of the board, for its children; -1: none */
	int devices;                   /* detached root with devices; -1: the host's nodes */
	int etc;                       /* a made-up /etc that is shared, locked; -1: none is */
	char etc_path[64];             /* and where it lies */
	int root;                      /* --root DIR, O_PATH; -1: the host */
	int grants[GRANTS_MAX];        /* detached mounts; in user mode files, at first */
	struct needed_list needed;     /* when programs are listed */
	struct shelf *shelf;           /* where the launcher finds that, and first; NULL: here */
	struct seccomp_options filter; /* what the launcher compiles */
	struct limits first;           /* size of the first box */
	cpu_set_t cpus;                /* that the launcher and what it bears may use */
};

/* One program, in the only box: the launcher's namespaces are the box's. */
static inline bool plan_is_single(const struct plan *plan)
{
	return plan->once && !plan->keeps;
}

/* Its launcher is at work before the files are known that its programs need (shelf.h). */
static inline bool plan_tells_late(const struct plan *plan)
{
	return plan_is_single(plan) && plan->profile->n_programs > 0;
}

/* And its process is born before that box is built (newborn.h). */
static inline bool plan_bears_early(const struct plan *plan)
{
	return plan_is_single(plan) && plan->profile->warm.kind == WARM_NOT;
}

#endif
