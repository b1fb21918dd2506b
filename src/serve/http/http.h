/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - HTTP/1.1 as the API sees it: exchanges, one request and one answer each.
 *
 * Framing, caps, deadlines, TLS and keep-alive are behind this; an exchange
 * exists once its head was read and found in order.
 */
#ifndef SERVE_HTTP_HTTP_H
#define SERVE_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "serve/loop.h"

struct http;          /* the server */
struct http_exchange; /* one request and its answer */

enum { HTTP_EXPECT_MAX = 39 };

enum http_method {
	HTTP_OTHER = 0,
	HTTP_GET,
	HTTP_HEAD,
	HTTP_POST,
	HTTP_PUT,
	HTTP_DELETE,
	HTTP_OPTIONS
};

struct http_caps {
	size_t head_bytes;   /* 16 KiB */
	size_t headers;      /* 64 */
	size_t body_bytes;   /* of any request */
	size_t bodies_bytes; /* of all requests at once; 0: as much as 64 such bodies */
	size_t target_bytes; /* 8 KiB */
	size_t connections;
	size_t connections_per_peer;
	uint64_t head_ms, body_ms, idle_ms, write_ms; /* write: a client that does not read */
	size_t pending_bytes; /* written and not taken by the client: streaming waits above it */
};

/* Who is at the other end. */
struct http_peer {
	bool loopback; /* TCP from 127.0.0.0/8 or ::1, to the same */
	bool is_unix;
	uid_t uid; /* of a Unix socket's peer */
	bool tls;
	char cert[128]; /* verified client certificate: its common name; else empty */
	char address[64];
};

/* What the server tells the API.  Each may call http_answer() and so on, also at once. */
struct http_handler {
	/* The head is whole.  Answering here means: the body is not wanted (the connection is
	 * closed behind the answer unless there is none), and whole() is not called.  body_cap may
	 * be lowered with http_cap_body(). */
	void (*head)(void *context, struct http_exchange *x);
	/* The body is whole (also if there was none). */
	void (*whole)(void *context, struct http_exchange *x);
	/* The client is gone before the answer was complete, or the answer is complete: x is no
	 * more after this. */
	void (*over)(void *context, struct http_exchange *x, bool complete);
	/* What was pending fell below half of its cap: more may be sent. */
	void (*room)(void *context, struct http_exchange *x);
	/* Bytes come on a connection that was idle: the next of what http_expect() said, as good as
	 * always. */
	void (*comes)(void *context, const char *what);
	/* A request that never became an exchange was refused: for the counters. */
	void (*refused)(void *context, int status);
	void *context;
};

struct http_header {
	const char *name, *value;
};

struct http *http_new(struct loop *l, const struct http_caps *caps, const struct http_handler *h,
		      struct error *err);
void http_free(struct http *s);
/* fd: bound and listening, the server's from now on.  tls: NULL for none (tls.h). */
struct http_tls;
int http_listen(struct http *s, int fd, struct http_tls *tls, struct error *err);
/* From now on: what is open stays, each time that is measured next is the new one.  Of heads, the
 * caps stay what they were. */
void http_set_caps(struct http *s, const struct http_caps *caps);
/* Stops accepting; idle connections are closed, others after their answer. */
void http_drain(struct http *s);
size_t http_connections(const struct http *s);

enum http_method http_method(const struct http_exchange *x);
const char *http_method_name(const struct http_exchange *x);
/* Decoded once and checked: begins with "/", no NUL, no "//", no "." or ".." segment, valid UTF-8.
 * (An encoded slash stays encoded as %2F.) */
const char *http_path(const struct http_exchange *x);
/* A parameter of the query, decoded; NULL: absent.  Given twice: the exchange was refused. */
const char *http_query(const struct http_exchange *x, const char *name);
/* The name of the n-th parameter; NULL: there are no more. */
const char *http_query_name(const struct http_exchange *x, size_t n);
/* A header by name (any case); NULL: absent.  Repeated ones that may not be are refused before. */
const char *http_header(const struct http_exchange *x, const char *name);
const struct http_peer *http_peer(const struct http_exchange *x);
const struct buf *http_body(const struct http_exchange *x);
void http_cap_body(struct http_exchange *x, size_t bytes);
/* The name that the API gave this request, plain and at most 64 characters: it is in the answer if
 * the server itself has to refuse the rest of it. */
void http_set_id(struct http_exchange *x, const char *id);
/* Whoever asked for this asks for more of it: what, in a few words of the API's own. */
void http_expect(struct http_exchange *x, const char *what);
/* The API's own. */
void http_set_user(struct http_exchange *x, void *user);
void *http_user(const struct http_exchange *x);

/* A whole answer.  headers end with a NULL name; Content-Length, Date, Connection are the server's.
 */
void http_answer(struct http_exchange *x, int status, const struct http_header *headers,
		 const void *body, size_t len);
/* A stream: chunked (HTTP/1.0: until close). */
void http_begin(struct http_exchange *x, int status, const struct http_header *headers);
void http_send(struct http_exchange *x, const void *data, size_t len);
void http_finish(struct http_exchange *x);
/* Bytes that the client has not taken. */
size_t http_pending(const struct http_exchange *x);
/* For a request that is whole: its answer will be made in a moment, and meanwhile a client that has
 * closed its half is not taken for one that is gone.  Until it is called again with false. */
void http_hold(struct http_exchange *x, bool on);
/* An answer that cannot be completed: the connection is cut, so that nobody takes it for whole. */
void http_cut(struct http_exchange *x);

#endif
