/* SPDX-License-Identifier: Apache-2.0 */
/* slotserver.h - what belljar slot is, for the files that serve its peer. */
#ifndef CLI_SLOTSERVER_H
#define CLI_SLOTSERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/pace.h"
#include "lib/talk.h"
#include "sandbox/native/slot.h"

struct server {
	int sock;
	int peer; /* pidfd of the library's process, or the leash: readable when we are to go */
	struct slot *slot;
	bool leashed; /* peer is a leash */
	bool has_most;
	struct limits most; /* that a call may ask for */
	bool running;
	uint32_t keep_work;
	bool spent;   /* once, and that was it */
	bool once;    /* its network carries packets, and remembers them: one call, one slot */
	bool single;  /* and our peer wants no more: a slot for one program (plan_is_single) */
	bool touched; /* the waiting box may hold files that were put in */
	struct error put_error; /* one that could not be, and nobody was told */
	uint64_t active_us;     /* when it was asked for something last */
	struct pace pace;       /* when to get ready for the next call */
	bool done;              /* nobody to serve, or nothing to serve with */
	int stayed;             /* /work of the last box, which our peer has us read; -1: none */
	struct limits stayed_limits;

	bool kept;       /* the box is kept */
	bool over;       /* and has ended */
	int events;      /* where ends of its programs are told */
	bool event_left; /* one that could not be sent yet */
	struct talk_reply event;
};

struct ask {
	const struct talk_request *request;
	const int *fds;
	size_t n_fds;
};

/* cmd_slot.c.  fds: at most SAY_FDS, -1 for none. */
int server_tell(struct server *s, enum talk_say say, struct talk_reply *reply,
		const int fds[SAY_FDS], struct error *err);
void server_fail(struct server *s, const struct error *why);
/* Answers with SAY_DONE. */
void server_done(struct server *s, struct talk_reply *reply, const int fds[SAY_FDS]);
/* The peer may not: pipes become the box's user's, who may open them again by name then. */
int server_give_pipes(const struct server *s, const struct ask *a, struct error *err);

/* slot_files.c: what asks for files of a box, before it runs, after it ran, or while it is kept. */
void server_put(struct server *s, const struct ask *a);
void server_collect(struct server *s, const struct ask *a);
void server_get(struct server *s, const struct ask *a);
void server_stat(struct server *s, const struct ask *a);
void server_list(struct server *s, const struct ask *a);
void server_mkdir(struct server *s, const struct ask *a);
void server_remove(struct server *s, const struct ask *a);

/* slot_kept.c: a box that is kept. */
void server_keep(struct server *s, const struct ask *a);
/* Anything that is asked of a kept box. */
void server_obey_kept(struct server *s, const struct ask *a);
/* Tells ends of programs, and last the box's. */
void server_tell_ends(struct server *s);

#endif
