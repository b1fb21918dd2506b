/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - keepers, and who is next for one.
 *
 * A task is one request for a keeper: it waits in its client's line, is sent,
 * and ends with exactly one of answered, lost or refused, after which it is no
 * more.  Keepers of sessions take tasks beside that, as they come.
 */
#ifndef SERVE_API_POOL_H
#define SERVE_API_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/beside.h"
#include "keeper/keeptalk.h"
#include "serve/api/links.h"
#include "serve/api/party.h"
#include "serve/api/problem.h"
#include "serve/loop.h"

enum {
	POOL_TASKS_MAX = 64, /* of one session at once */
	POOL_CANCEL_S = 10,  /* a keeper that does not end what was cancelled is let go */
	POOL_QUICK_S = 60,   /* and one that takes so long for what runs no program */
	POOL_BEGIN_S = 10,   /* a call that has not begun by then waits in vain */
	POOL_DOUBT_S = 30,   /* so long keepers are doubted that nobody has tried */
	POOL_SPARE_MAX = 2,  /* keepers for sessions that nobody waits for any more */
};

struct keeper;
struct session;
struct visit;
struct book_call;

struct task {
	struct links in_all;    /* the pool's, in the order they came, while it waits */
	struct links in_line;   /* of its client, while it waits */
	struct links in_keeper; /* while a keeper has it */
	struct keep_request request;
	const struct buf *body; /* whose is the submitter's, until it is sent */
	struct party *party;
	struct keeper *keeper; /* that has it; NULL: none, or none any more */
	struct keeper *on;     /* answered(): the keeper that had it */
	uint64_t submitted_us, sent_us, cancelled_us;
	uint64_t silent_us; /* since when its slot does not answer; 0: it does */
	bool runs;          /* a program: may take as long as the policy says */
	bool counts;        /* in party->open */
	bool cancel;        /* wanted */
	bool cancel_sent;
	bool begun;
	/* The submitter's. */
	struct visit *visit;     /* NULL: nobody waits for the answer */
	struct book_call *call;  /* NULL: not in the book */
	struct session *session; /* NULL: none */
	char *once_key;          /* Idempotency-Key; NULL: none */
	/* Its own, until it ends. */
	int stream; /* KEEP_FORK: came with its beginning; KEEP_OPEN: goes with it; or -1 */
	struct buf *own_body; /* NULL: body is somebody else's */
};

struct keeper {
	struct links all;
	struct pool *pool;
	struct loop_watch watch;
	bool for_session, ready;
	bool retired; /* gets nothing more, and ends when nothing is left */
	uint32_t generation;
	struct links tasks;
	size_t n_tasks;
	struct session *session; /* the submitter's */
};

/* What the pool tells its owner. */
struct pool_events {
	void (*begun)(void *context, struct task *t, const struct keep_reply *r,
		      const struct buf *body);
	void (*output)(void *context, struct task *t, const struct keep_reply *r,
		       const struct buf *body);
	/* body may be taken. */
	void (*answered)(void *context, struct task *t, const struct keep_reply *r,
			 struct buf *body);
	void (*lost)(void *context, struct task *t); /* its keeper died */
	/* It never reached a keeper. */
	void (*refused)(void *context, struct task *t, enum problem p, const char *detail);
	/* A session's keeper says that it is over, or is gone; r is NULL then.  k may not be used
	 * after this. */
	void (*over)(void *context, struct keeper *k, const struct keep_reply *r,
		     const struct buf *body);
	void (*want)(void *context, bool for_session);
	void *context;
};

struct pool_limits {
	uint32_t generation;
	size_t keepers, queue;
	size_t session_keepers; /* that wait for whoever opens the next session */
	uint64_t queue_wait_ms;
};

struct pool {
	struct loop *loop;
	struct pool_events events;
	struct pool_limits limits;
	struct links keepers;
	struct links waiting; /* tasks */
	struct links opening; /* tasks that wait for a session's keeper */
	struct links turns;   /* clients with tasks that wait; the first is next */
	size_t n_keepers, n_session_keepers, n_waiting, n_opening, n_busy;
	size_t n_given;                 /* tasks that keepers have, those of sessions, too */
	size_t wanted, wanted_sessions; /* asked for, and not come yet */
	bool stopping;                  /* no more keepers are asked for */
	uint64_t serial;
	uint64_t deaths;
	uint64_t ran_us; /* when somebody last had a box, and it was seen that they did */
	struct loop_timer wait_timer, retry_timer;
	struct beside beside; /* while one works for a snippet, the front is elsewhere */
	uint32_t place;       /* where keepers of sessions were; 0: that is not known */
	uint64_t awake_us;    /* until then an answer is not slept for */
};

void pool_init(struct pool *p, struct loop *l, const struct pool_events *e);
void pool_done(struct pool *p);
/* Keepers of other generations are let go as soon as they have nothing to do. */
void pool_set_limits(struct pool *p, const struct pool_limits *limits);
/* fd: the pool's from now on; -1: it could not be started. */
int pool_add(struct pool *p, int fd, bool for_session, uint32_t generation, struct error *err);
/* Keepers that are ready and of this generation, busy or not. */
size_t pool_ready(const struct pool *p);

/* stuck.c: is there nobody left, as far as calls have seen, in whose boxes they run? */
bool pool_is_stuck(const struct pool *p, uint64_t now_us);

/* A task, zeroed but for its links, serial and stream; NULL: no memory.  pool_drop() if it is not
 * submitted. */
struct task *pool_task(struct pool *p);
void pool_drop(struct task *t);
/* Into its client's line.  PROBLEM_NONE: it is the pool's now, and may have ended already.
 * Else it still is the caller's.  most: of its client's at once, 0: any. */
enum problem pool_submit(struct pool *p, struct task *t, uint64_t most);
/* To this keeper at once.  As above. */
enum problem pool_send(struct pool *p, struct keeper *k, struct task *t, uint64_t most);
/* A word to a keeper for which nothing waits; what cannot be sent now is lost. */
void pool_tell(struct keeper *k, struct keep_request *r);
/* Nobody waits for it any more: one that waits in line is refused without a word (it is no more
 * after this); one that was sent is cancelled if it runs a program. */
void pool_abandon(struct pool *p, struct task *t);
void pool_cancel(struct pool *p, struct task *t);
/* It ends as soon as its last task has. */
void pool_retire(struct keeper *k);
/* Ends a keeper: its tasks are lost, its session is over. */
void pool_end_keeper(struct pool *p, struct keeper *k);
/* Once a second or so. */
void pool_tick(struct pool *p, uint64_t now_us);

#endif
