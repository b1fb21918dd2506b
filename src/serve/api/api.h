/* SPDX-License-Identifier: Apache-2.0 */
/* api.h - the API behind the HTTP server: who asks, what for, and which keeper does it.
 *
 * One object, fed by whoever owns the sockets: the view of the policy,
 * keepers, a reader of the log, the state of the other roles.  It carries bodies and
 * does not read them.  The order of a start:
 *
 *   api_new, api_set_view, api_caps -> http_new(api_handler()), api_set_http, http_listen
 */
#ifndef SERVE_API_API_H
#define SERVE_API_API_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "serve/http/http.h"
#include "serve/loop.h"
#include "serve/roles/roletalk.h"

struct front;

struct api_config {
	/* Of the front alone, for what must survive a restart (idempotency.db); NULL: kept in
	 * memory, and that is said by /readyz.  Only api_new() opens files in it by name; while it
	 * runs SQLite makes and removes idempotency.db-wal there. */
	const char *directory;
	/* A word for the supervisor: ROLE_WANT_KEEPER (number 1: for a session), ROLE_RELOAD
	 * (number: for api_reloaded()), ROLE_DRAINED. */
	void (*ask)(void *context, enum role_word word, uint64_t number);
	/* A line for the operator; text is printable. */
	void (*say)(void *context, const char *text);
	void *context;
	uint64_t beat_ms;   /* a stream that is quiet so long shows that it lives; 0: 15 s */
	uint64_t reload_ms; /* a reload is waited for so long; 0: 55 s */
};

struct front *api_new(struct loop *l, const struct api_config *c, struct error *err);
/* The HTTP server that it handles is gone before. */
void api_free(struct front *f);

/* fd: the view (a memfd with JSON), read here and left to the caller to close.  A view that cannot
 * be understood changes nothing.  Asks for the keepers it needs. */
int api_set_view(struct front *f, int fd, uint32_t generation, struct error *err);
/* As the view wants the HTTP server; only after api_set_view(). */
void api_caps(const struct front *f, struct http_caps *ret);
const struct http_handler *api_handler(struct front *f);
/* For its gauges and for draining; NULL again before http_free(). */
void api_set_http(struct front *f, struct http *s);

/* What came of every ROLE_RELOAD up to number, after the view that came of it was set. */
struct api_reload {
	uint64_t number;
	bool done;
	const char *text; /* what is to be said about it, or why not; "": nothing */
};
void api_reloaded(struct front *f, const struct api_reload *r);

/* fd: a keeper's socket, the API's from now on also if it fails; -1: one that was asked for could
 * not be started. */
int api_add_keeper(struct front *f, int fd, bool session, uint32_t generation, struct error *err);
/* fd: the reader's socket, the API's from now on; -1: there is none. */
void api_set_reader(struct front *f, int fd);
/* ROLE_UP_... */
void api_set_state(struct front *f, uint64_t bits);
/* No new calls; what runs may end, and is cancelled shortly before within_ms are over. ROLE_DRAINED
 * is asked when nothing is open any more. */
void api_drain(struct front *f, uint64_t within_ms);

#endif
