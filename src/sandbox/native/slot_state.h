/* SPDX-License-Identifier: Apache-2.0 */
/* slot_state.h - what a slot is, for the files that build it and serve it. */
#ifndef NATIVE_SLOT_STATE_H
#define NATIVE_SLOT_STATE_H

#include "sandbox/native/board.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/plan.h"
#include "sandbox/native/slot.h"
#include "sandbox/native/watch.h"

enum {
	SETUP_MS = 10000, /* until a program runs; more means that the host is in trouble */
	KILL_MS = 2000,   /* from the order to kill until the end; more means a stuck process */
};

enum phase { PHASE_IDLE = 0, PHASE_STARTING, PHASE_RUNNING, PHASE_ENDED };

struct slot {
	int (*before)(void *context, struct error *err); /* asked before each start; NULL: nobody */
	void *context;
	struct profile profile;
	struct plan plan;
	struct board *board;
	bool resident;
	bool dead;   /* the launcher is gone or cannot be trusted any more */
	bool mapped; /* its user namespace has its maps: it takes other orders now */
	int lock;
	int socket;
	pid_t launcher;
	int launcher_fd;

	struct cgroup_host host;
	struct cgroup_slot groups;
	bool groups_open;
	bool swept;
	unsigned calls;

	int work; /* of the waiting or running box */
	bool box_waits;
	struct limits box_limits;

	enum phase phase;
	uint64_t asked_us; /* when the first call or the current one was asked for */
	uint64_t give_up_us;
	bool kill_sent;
	bool ending; /* it said so */
	struct watch watch;
	struct outcome outcome;
};

/* slotbuild.c: everything until the launcher runs; slot_close ends what a failure leaves. */
int slot_build(struct slot *s, struct error *err);
/* What of the plan only the launcher needs. */
void slot_drop_plan(struct slot *s);
/* Takes news until *done; what the launcher dies of, if it does, is in err then. */
int slot_wait_until(struct slot *s, const bool *done, struct error *err);

#endif
