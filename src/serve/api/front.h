/* SPDX-License-Identifier: Apache-2.0 */
/* front.h - the API's inside: the front, its visits, and which file does what with them.
 *
 * A visit is an exchange as the API sees it: who asks, which row of the table,
 * what it waits for.  It begins with the head of a request and ends when the
 * HTTP server says that the exchange is over; the server never says so from
 * inside of a call of ours.
 */
#ifndef SERVE_API_FRONT_H
#define SERVE_API_FRONT_H

#include "base/jsonout.h"
#include "serve/api/accept.h"
#include "serve/api/api.h"
#include "serve/api/byterange.h"
#include "serve/api/callbook.h"
#include "serve/api/frontview.h"
#include "serve/api/idempotency.h"
#include "serve/api/metrics.h"
#include "serve/api/party.h"
#include "serve/api/pool.h"
#include "serve/api/problem.h"
#include "serve/api/requestid.h"
#include "serve/api/routes.h"
#include "serve/api/sessiontable.h"
#include "serve/api/throttle.h"

enum {
	BODIES_MAX = 256 << 20,  /* of requests that are being taken, together */
	SENDING_MAX = 256 << 20, /* of answers being sent, together; one client: half */
	SMALL_ANSWER = 64 << 10, /* is always sent */
	PENDING_BYTES = 256 << 10,
	BEAT_MS = 15000, /* a stream that has nothing to say says so */
	WAIT_MAX_S = 60, /* of ?wait= */
	READER_MAX = 64, /* requests that wait for the reader */
	LOG_FAILS_S =
		5, /* so long the log counts as not writable, after a call that was not written */
	READER_S = 120,    /* and for how long */
	RELOAD_MS = 55000, /* who reads the policy is given up after 60 s */
};

struct visit {
	struct links all;
	struct front *front;
	struct http_exchange *x;
	struct route_match match;
	struct party *party; /* NULL: nobody said who they are */
	uint32_t scopes;     /* MAY_... of whoever asks */
	uint64_t max_concurrent;
	char request_id[REQUEST_ID_ROOM];
	uint64_t begun_us;
	int status;        /* of the answer; 0: none yet */
	size_t reserved;   /* bytes of its body, of the front's budget */
	size_t sending;    /* bytes of its answer, of the front's budget */
	struct task *task; /* what it waits for */
	bool replayed;     /* what is answered was kept from an earlier request */
	/* Events, or waiting for output */
	enum form form;
	struct book_call *call;
	struct links follower;
	struct links hungry;    /* of its client's that wait to be fed */
	bool to_serve;          /* it waits there to be served at all */
	bool streaming;         /* http_begin() was called */
	bool wants[2];          /* stdout, stderr */
	uint64_t at[2];         /* the next offset of each */
	bool with_result;       /* the answer comes at the end */
	uint64_t beat_us;       /* the last sign of life */
	uint64_t wait_until_us; /* of a long poll; 0: none */
	/* A file */
	struct byte_range range;
	uint64_t file_at, file_left, file_total;
	/* The log */
	uint64_t read_serial; /* 0: not waiting for the reader */
	/* The policy */
	uint64_t reload; /* which reading of it is waited for; 0: none */
};

struct reader {
	struct loop_watch watch; /* fd -1: there is none */
	bool ready;
	uint64_t serial;
	size_t pending;
};

struct front {
	struct loop *loop;
	struct api_config config;
	struct http *http;
	struct http_handler handler;
	struct view *view;
	struct parties parties;
	struct pool pool;
	struct callbook book;
	struct sessiontable sessions;
	struct once_store *once;
	struct throttle throttle;
	struct metrics metrics;
	struct reader reader;
	struct links visits;
	size_t n_visits, body_bytes, sending_bytes;
	uint64_t state;        /* ROLE_UP_... */
	uint64_t reloads;      /* asked for */
	uint64_t log_fails_us; /* when a call could last not be written down; 0: never */
	struct loop_timer tick, drain_timer;
	struct links feeding; /* clients that have followers to be fed */
	struct loop_timer feed;
	uint64_t started_us, swept_us;
	bool draining, cancelling, drained;
	struct buf openapi; /* empty: nobody asked yet */
	int statm;          /* /proc/self/statm, opened before the seal; -1: none */
};

/* What goes with an answer beside its body. */
struct response {
	int status;
	const char *type; /* NULL: application/json */
	const void *body;
	size_t len;
	uint32_t retry_after_s;     /* 0: none */
	struct http_header more[4]; /* up to a NULL name */
	bool must;                  /* what it tells has happened, and nobody can ask again */
};

/* visit.c: the handler of the HTTP server. */
void visit_handler(struct front *f);
/* Nothing is waited for any more. */
void visit_let_go(struct visit *v);
/* Its request is whole, and it is its turn. */
void visit_serve(struct visit *v);

/* revisit.c: another policy counts from now on. */
void revisit_all(struct front *f);

/* respond.c */
void respond(struct visit *v, const struct response *a);
void respond_json(struct visit *v, int status, struct buf *body);
void respond_problem(struct visit *v, enum problem p, const char *detail);
void respond_problem_more(struct visit *v, enum problem p, const char *detail,
			  const struct http_header *more);
/* May this client be sent so much now?  One that reads nothing has its share, not everybody's. */
bool respond_fits(const struct visit *v, size_t len);
/* So much more is on its way to it. */
void respond_count(struct visit *v, size_t len);
/* Begins a stream. */
void respond_begin(struct visit *v, const char *type);
/* How long somebody should wait who is turned away. */
uint32_t respond_retry_after(const struct front *f);
/* A member that is a time, as RFC 3339 writes it. */
void respond_time(struct jsonout *j, const char *key, uint64_t unix_ms);

/* asking.c: requests for keepers, and what comes of them. */
extern const struct pool_events asking_events;
/* A task of this visit, with everything but what its kind needs.  NULL: answered. */
struct task *asking_task(struct visit *v, enum keep_ask kind);
/* To a keeper of the pool, or to k; answers if that does not work. */
void asking_submit(struct visit *v, struct task *t, struct keeper *k);
void asking_pool(struct visit *v);

/* unknown.c: the answer to a call whose end nobody saw. */
struct unknown {
	bool tool_shape;
	const char *id; /* of the call; NULL: it had none yet, or it is not known */
	const char *request_id, *what;
	uint64_t us; /* since it was asked for; 0: not known */
};
int unknown_write(const struct unknown *u, struct buf *out, struct error *err);

/* stream.c */
void stream_attach(struct visit *v, struct book_call *c);
void stream_detach(struct visit *v);
/* Sends some of what there is, as far as the client takes it.  True: there may be more. */
bool stream_step(struct visit *v);
void stream_beat(struct visit *v, uint64_t now_us);
/* feeding.c: who follows a call gets what there is, now or when its turn comes. */
void feeding_init(struct front *f);
void feeding_now(struct visit *v);
void feeding_want(struct visit *v);
void feeding_all(struct front *f, struct book_call *c);
void feeding_leave(struct visit *v);
/* An answer that was kept, as events. */
void stream_replay(struct visit *v, const void *body, size_t len);

/* once.c: Idempotency-Key.  True: go on; false: answered, and t is still the caller's. */
bool once_begin(struct visit *v, struct task *t);
/* What t was answered: kept if it may have run, forgotten if it cannot have. */
void once_end(struct front *f, struct task *t, int status, const struct buf *body);
/* t did not run. */
void once_forget(struct front *f, struct task *t);

/* callroutes.c, sessionroutes.c, fileroutes.c, auditroutes.c, health.c, openapi.c */
void callroutes_serve(struct visit *v);
void callroutes_poll(struct visit *v); /* a long poll: is there something now? */
void sessionroutes_serve(struct visit *v);
/* Something comes from whoever last sent a snippet for this session. */
void sessionroutes_expected(struct front *f, const char *id);
void sessionroutes_open(struct visit *v);
void sessionroutes_list(struct visit *v);
/* A session's answer; true: it was dealt with. */
void sessionroutes_opened(struct front *f, struct task *t, const struct keep_reply *r,
			  const struct buf *body);
void sessionroutes_closed(struct front *f, struct task *t, const struct keep_reply *r);
void sessionroutes_not_opened(struct front *f, struct task *t);
void sessionroutes_over(struct front *f, struct keeper *k, const struct keep_reply *r,
			const struct buf *body);
/* The session in the path, if it is this client's and open.  NULL: answered. */
struct session *sessionroutes_find(struct visit *v);
/* forkroutes.c: a copy of a session, and what its keeper says when it is under way. */
void forkroutes_serve(struct visit *v);
void forkroutes_begun(struct task *t, const struct keep_reply *r, const struct buf *body);
bool fileroutes_prepare(struct visit *v, struct task *t, const char *path, size_t len);
void fileroutes_answer(struct visit *v, const struct keep_reply *r, const struct buf *body);
void fileroutes_more(struct visit *v);
void auditroutes_serve(struct visit *v);
void auditroutes_set_reader(struct front *f, int fd);
void auditroutes_left(struct visit *v);
void health_serve(struct visit *v);
/* reloading.c */
void reloading_serve(struct visit *v);
void reloading_late(struct visit *v);
void reloading_drain(struct front *f);
int openapi_write(struct buf *out, struct error *err);
/* drain.c */
void drain_begin(struct front *f, uint64_t within_ms);
void drain_check(struct front *f);

/* The text of a parameter, NUL-terminated; false: it does not fit. */
bool visit_param(const struct visit *v, size_t n, char *ret, size_t room);
/* May whoever asks see what is party's? */
bool visit_owns(const struct visit *v, const struct party *party);
/* ?name, ?name=1, ?name=true */
bool visit_says(const struct visit *v, const char *name);

#endif
