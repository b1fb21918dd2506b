/* SPDX-License-Identifier: Apache-2.0 */
/* slot_state.h - what a slot is, for the files that build it and serve it. */
#ifndef NATIVE_SLOT_STATE_H
#define NATIVE_SLOT_STATE_H

#include "sandbox/native/board.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/plan.h"
#include "sandbox/native/session.h"
#include "sandbox/native/slot.h"
#include "sandbox/native/watch.h"
#include "sandbox/native/wire.h"

enum {
	SETUP_MS = 10000, /* until a program runs; more means that the host is in trouble */
	KILL_MS = 2000,   /* from the order to kill until the end; more means a stuck process */
};

enum phase { PHASE_IDLE = 0, PHASE_STARTING, PHASE_RUNNING, PHASE_KEPT, PHASE_ENDED };

struct slot {
	int (*before)(void *context, struct error *err); /* asked before each start; NULL: nobody */
	void *context;
	struct profile profile;
	struct plan plan;
	struct board *board;
	bool resident;
	bool only;   /* our process ends after it */
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

	int work;                /* of the waiting or running box */
	int proc;                /* its /proc; -1: none, or not wanted */
	struct session *session; /* NULL: no box is kept */
	bool box_waits;
	bool called; /* we are bound to the processor of whoever asked */
	bool later;  /* we take the processor from nobody meanwhile (turns.h) */
	bool beside; /* the next call is expected to be short, and alone (closeby.h) */
	bool ahead;  /* somebody waits in the box, or is on his way */
	bool left;   /* nobody does: it was ordered */
	bool warm;   /* an interpreter became ready at some time */
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
/* The same in two: what the profile of a listed program without anything else needs, and what
 * depends on which one it is. */
int slot_build_early(struct slot *s, struct error *err);
int slot_build_rest(struct slot *s, struct error *err);
/* What of the plan only the launcher needs. */
void slot_drop_plan(struct slot *s);
/* A box of this size, or the one that waits has it. */
int slot_want_box(struct slot *s, const struct limits *limits, struct error *err);
/* ORDER_RUN or ORDER_EXEC, with the doors of the box's groups.  more: a descriptor for the program;
 * -1: none. */
int slot_send_run(struct slot *s, struct to_launcher *order, const int io[3], int words, int more,
		  struct error *err);
/* What a belljar left that was killed; once. */
void slot_sweep(struct slot *s);

/* slot_news.c: takes what the launcher said. */
void slot_take_news(struct slot *s, struct to_warden *news, int *fds, size_t n_fds);

/* A call that is not short, or not alone: as everybody's. */
void slot_turns_as_ever(struct slot *s);

/* slot_ahead.c */
/* Between calls: the process of the next one is made, in its groups. */
void slot_order_ahead(struct slot *s);
/* Before a call with these limits: who waits for another one goes. */
int slot_leave_ahead(struct slot *s, const struct limits *limits, struct error *err);
/* Adds the descriptors of the doors; returns how many. */
size_t slot_add_doors(const struct cgroup *group, struct to_launcher *order, int *fds);
/* The launcher is of no more use; what it leaves undone is not to be guessed. */
void slot_lose(struct slot *s, struct error *err);
/* false: it is not dead in time. */
bool slot_end_launcher(struct slot *s, int wait_ms);
/* The call, or the kept box, has ended. */
void slot_end_call(struct slot *s, enum end end);
/* Takes one message if there is one within wait_ms.  Returns whether there was. */
bool slot_take_one(struct slot *s, int wait_ms);
/* Takes news until *done; what the launcher dies of, if it does, is in err then. */
int slot_wait_until(struct slot *s, const bool *done, struct error *err);

#endif
