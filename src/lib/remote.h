/* SPDX-License-Identifier: Apache-2.0 */
/* remote.h - a slot that a helper process keeps for us. */
#ifndef LIB_REMOTE_H
#define LIB_REMOTE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"
#include "lib/talk.h"
#include "sandbox/serve.h"

struct remote {
	pid_t pid; /* of the helper; 0: there is none */
	int pidfd;
	int sock;
	struct runner runner; /* asks us; its ids are the helper's word */
	bool adopted;         /* started by somebody else, and we have no rights over its files */
	bool running;
	bool touched; /* files were put into a box that no program got: it must not serve another */
	bool lost;    /* it died, or does not make sense any more */
	bool unheard; /* it was gone before it heard anything of this call */
	bool unread;  /* it went and had not read what this call is; input may be lost with it */
	bool kill_sent;
	bool call_is_last;    /* nothing was said since the call was asked for */
	uint64_t answered_us; /* when a call ended last */
	uint64_t give_up_us;  /* it must have answered by then */
	bool pinged, silent;  /* it was asked whether it hears; and has not answered for long */
	uint64_t look_us;     /* when it is asked next, or is silent */
	int work;             /* of the box that waits or has ended; -1: not asked for */
	struct outcome outcome;
};

void remote_init(struct remote *r);
/* Starts the helper: a small process that has one socket of ours and nothing else.  limits: of the
 * first box. */
int remote_open(struct remote *r, const char *helper, const struct profile *profile,
		const struct limits *limits, struct error *err);
/* The same for one call, with these limits: it is ready sooner, and goes when that has ended. */
int remote_open_once(struct remote *r, const char *helper, const struct profile *profile,
		     const struct limits *limits, struct error *err);
/* For own(remote), and after fork(), when it is the parent's: lets go of it without a word.  One
 * that was asked for nothing goes when nobody has its socket any more. */
void remote_end(struct remote *r);
/* It has ended its call and serves no other: it is told to go, and is not waited for before
 * remote_close. */
void remote_leave(struct remote *r);
/* The socket of a slot that somebody else started for us, and the pidfd of its process: both are
 * ours from now on, also after a failure.  Waits until it is ready.  We may be sealed, so files of
 * its box are moved by the slot. */
int remote_adopt(struct remote *r, int sock, int pidfd, struct error *err);
/* Is a helper there, idle and alive?  Cheap: asked before each call. */
bool remote_is_ready(const struct remote *r);
/* Ends the helper and everything beneath it, and waits for it.  Safe on a closed one. */
void remote_close(struct remote *r);

/* A question that is answered at once (kept.c). */
struct exchange {
	enum talk_ask what;
	struct talk_request request;
	int fds[ASK_MORE + 1]; /* sent along; stay the caller's */
	size_t n_fds;
	struct talk_reply reply;
	int got[SAY_FDS]; /* came with the answer; -1: none */
};
void exchange_init(struct exchange *x, enum talk_ask what);
void exchange_end(struct exchange *x); /* for own(exchange) */
int remote_exchange(struct remote *r, struct exchange *x, struct error *err);

#endif
