/* SPDX-License-Identifier: Apache-2.0 */
/* httpconn.h - connections and exchanges as the files of this folder see them.
 *
 * A connection that is idle has no buffers: what a request needs comes with its
 * first byte and goes with its answer.  No callback of the handler is called
 * from inside of a function that the handler called: those only note what is to
 * be done, and the connection settles it afterwards (conn_settle).
 */
#ifndef SERVE_HTTP_HTTPCONN_H
#define SERVE_HTTP_HTTPCONN_H

#include <sys/queue.h>

#include "serve/http/answer.h"
#include "serve/http/chunked.h"
#include "serve/http/framing.h"
#include "serve/http/http.h"
#include "serve/http/peercount.h"
#include "serve/http/refusal.h"
#include "serve/http/second.h"
#include "serve/http/target.h"
#include "serve/http/tlsconn.h"

enum {
	SCRATCH_BYTES = 64 << 10,
	LINGER_MS = 2000,         /* for a client to see why it was refused */
	LINGER_BYTES = 8 << 20,   /* that we throw away for it meanwhile */
	OUT_MAX = 256 << 20,      /* of one answer: above it the connection is cut */
	WRITE_PROGRESS = 4 << 10, /* a client that takes less than this in write_ms is cut */
};

enum conn_state {
	CONN_SHAKING = 0, /* TLS */
	CONN_IDLE,        /* no byte of a request yet */
	CONN_HEAD,
	CONN_BODY,
	CONN_WORKING, /* the request is whole, the handler has it */
	CONN_ANSWERING,
	CONN_LINGERING, /* answered; what still comes is thrown away */
};

struct http_exchange {
	struct conn *conn;
	struct buf bytes; /* of the head */
	struct head head;
	struct target target;
	struct buf body;
	size_t body_cap;
	struct chunked chunked;
	struct second_body *second; /* of a chunked body */
	bool streaming;             /* http_begin() was called */
	bool chunks;                /* and each piece is a chunk */
	bool mute;                  /* HEAD: the answer has no body */
	bool answered;              /* the whole answer is in the connection's out */
	bool full;                  /* more is pending than should be: room() is owed */
	bool cut;
	char id[REFUSAL_ID_MAX + 1]; /* empty: none was set */
	void *user;
};

struct conn {
	struct http *server;
	struct loop_watch watch;
	struct loop_timer timer;
	uint64_t deadline_us; /* 0: none.  The timer may be earlier, never later */
	enum conn_state state;
	bool busy;      /* inside of a callback of the handler */
	bool close;     /* behind this answer */
	bool linger;    /* bytes of the client may be on their way */
	bool behind;    /* bytes came behind the request before its answer */
	bool hurry;     /* what is sent to it may hold us up */
	bool scheduled; /* in the server's list of those to settle */
	struct tls_conn *tls;
	struct peer_count *count;
	struct buf in; /* the beginning of a head */
	struct head_scan scan;
	struct http_exchange *x;
	struct buf out;
	size_t sent;     /* of out */
	size_t progress; /* sent since the deadline for writing was set */
	size_t thrown;   /* while lingering */
	struct http_peer peer;
	char expected[HTTP_EXPECT_MAX + 1]; /* empty: nothing */
	TAILQ_ENTRY(conn) all, idle, settle;
};
TAILQ_HEAD(conn_list, conn);

struct listener {
	struct http *server;
	struct loop_watch watch;
	struct http_tls *tls;
	TAILQ_ENTRY(listener) next;
};
TAILQ_HEAD(listener_list, listener);

struct http {
	struct loop *loop;
	struct http_caps caps;
	struct http_handler handler;
	struct listener_list listeners;
	struct loop_timer retry; /* accepting failed for want of something */
	struct conn_list all;
	struct conn_list idle; /* the longest idle first */
	struct conn_list settle;
	struct loop_timer settling;
	size_t n_conns;
	size_t held; /* bytes of bodies, of all exchanges */
	struct peer_counts *counts;
	struct answer_date date;
	bool draining;
	char scratch[SCRATCH_BYTES];
};

/* Takes fd and count; peer is filled in but for the certificate.  NULL: no memory, nothing is
 * taken. */
struct conn *conn_new(struct http *s, int fd, struct http_tls *tls, const struct http_peer *peer,
		      struct peer_count *count);
/* Ends its exchange, too: over(false). */
void conn_free(struct conn *c);
/* leastneeded.c: who may go for a newcomer, of this peer or of all (NULL); NULL: nobody. */
struct conn *conn_least_needed(const struct http *s, const struct peer_key *key);
/* The same, and the client sees a broken connection, not an end. */
void conn_break(struct conn *c);
/* False: the connection is of no use any more. */
bool conn_watch(struct conn *c, uint32_t events);
/* connanswer.c: writes as much as the client takes.  Each of these may end the connection. */
void conn_answer(struct conn *c);
/* The connection looks after what its exchange wants now; it may be gone afterwards. */
void conn_settle(struct conn *c);
/* The same, soon: for calls from anywhere. */
void conn_schedule(struct conn *c);
/* Answers by itself and closes behind it. */
void conn_refuse(struct conn *c, const struct fault *f);
void conn_become(struct conn *c, enum conn_state state);
void conn_set_deadline(struct conn *c, uint64_t ms); /* 0: none */
/* A count, 0 at the end, or IO_... */
ssize_t conn_read(struct conn *c, void *data, size_t room);
ssize_t conn_write(struct conn *c, const void *data, size_t len);

/* connrequest.c: bytes become exchanges.  False: no more can be taken now, and the connection may
 * be gone. */
bool conn_feed(struct conn *c, const char *data, size_t len);
void exchange_free(struct http_exchange *x);

#endif
