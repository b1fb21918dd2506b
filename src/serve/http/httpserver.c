/* SPDX-License-Identifier: Apache-2.0 */
/* httpserver.c - the server: its listeners, whom it lets in, and how it drains. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "serve/http/httpconn.h"
#include "serve/http/httppeer.h"
#include "serve/http/hurry.h"

enum { ACCEPTS_MAX = 64, RETRY_US = 100000, BODIES_STANDARD = 64 };

/* What is scheduled meanwhile has its turn in the next round.  The timer is always set, and moved
 * when there is something to do: moving it cannot fail. */
static void settle_all(void *context)
{
	struct http *s = context;
	struct error err;
	size_t n = 0;
	struct conn *c;

	(void)loop_set(s->loop, &s->settling, UINT64_MAX, &err);
	TAILQ_FOREACH(c, &s->settle, settle)
	n++;
	while (n-- > 0 && (c = TAILQ_FIRST(&s->settle))) {
		TAILQ_REMOVE(&s->settle, c, settle);
		c->scheduled = false;
		conn_settle(c);
	}
}

static bool sets_listening(struct http *s, uint32_t events)
{
	struct listener *l;
	struct error err;
	bool all = true;

	TAILQ_FOREACH(l, &s->listeners, next)
	all &= loop_change(s->loop, &l->watch, events, &err) == 0;
	return all;
}

static void retry(void *context)
{
	struct http *s = context;
	struct error err;

	if (!sets_listening(s, EPOLLIN))
		(void)loop_set(s->loop, &s->retry, loop_now_us(s->loop) + RETRY_US, &err);
}

void http_set_caps(struct http *s, const struct http_caps *caps)
{
	s->caps = *caps;
	if (s->caps.bodies_bytes == 0 &&
	    __builtin_mul_overflow(caps->body_bytes, BODIES_STANDARD, &s->caps.bodies_bytes))
		s->caps.bodies_bytes = SIZE_MAX;
}

struct http *http_new(struct loop *l, const struct http_caps *caps, const struct http_handler *h,
		      struct error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct http *s;

	if (caps->headers > HEAD_ROWS_MAX || caps->head_bytes > HEAD_BYTES_MAX) {
		(void)fail(err, ERR_CALLER, "at most %d headers and %d bytes of them",
			   HEAD_ROWS_MAX, HEAD_BYTES_MAX);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s || !(s->counts = peer_counts_new())) {
		(void)fail_sys(err, "make a server");
		free(s);
		return NULL;
	}
	s->settling = (struct loop_timer){.due = settle_all, .context = s};
	if (loop_set(l, &s->settling, UINT64_MAX, err) < 0) {
		peer_counts_free(s->counts);
		free(s);
		return NULL;
	}
	s->loop = l;
	http_set_caps(s, caps);
	s->handler = *h;
	TAILQ_INIT(&s->listeners);
	TAILQ_INIT(&s->all);
	TAILQ_INIT(&s->idle);
	TAILQ_INIT(&s->settle);
	s->retry = (struct loop_timer){.due = retry, .context = s};
	/* OpenSSL writes with write(): a client that is gone must not end us. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	hurry_ready();
	return s;
}

static void close_listeners(struct http *s)
{
	struct listener *l;

	while ((l = TAILQ_FIRST(&s->listeners))) {
		TAILQ_REMOVE(&s->listeners, l, next);
		loop_remove(s->loop, &l->watch);
		hurry_close(l->watch.fd, hurry_needed(l->watch.fd));
		free(l);
	}
	loop_unset(s->loop, &s->retry);
}

void http_free(struct http *s)
{
	struct conn *c;

	if (!s)
		return;
	close_listeners(s);
	while ((c = TAILQ_FIRST(&s->all)))
		conn_free(c);
	loop_unset(s->loop, &s->settling);
	peer_counts_free(s->counts);
	free(s);
}

/* Not worth a connection of its own: one attempt, and it is closed. */
static void turn_away(struct http *s, int fd, bool tls, int status, const char *detail)
{
	struct fault f = {status, detail};
	char id[REFUSAL_ID_MAX + 1];
	bool hurry = hurry_needed(fd);
	struct error err;
	own(buf) body, out;

	buf_init(&body, 4096);
	buf_init(&out, 4096);
	if (s->handler.refused)
		s->handler.refused(s->handler.context, status);
	refusal_id(id);
	if (!tls && refusal_body(&body, &f, id, &err) == 0 &&
	    answer_head(&out, &s->date, status,
			(const struct http_header[]){{"Content-Type", "application/problem+json"},
						     {"X-Request-Id", id},
						     {"Retry-After", "1"},
						     {NULL, NULL}},
			&err) == 0 &&
	    answer_framing(&out, ANSWER_LENGTH, body.len, true, &err) == 0 &&
	    buf_add(&out, body.data, body.len, &err) == 0) {
		(void)send(fd, out.data, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
		(void)shutdown(fd, SHUT_WR);
		/* What the client has sent already would turn the close into a reset. */
		hurry_begin(hurry);
		(void)recv(fd, s->scratch, sizeof(s->scratch), MSG_DONTWAIT);
		hurry_end(hurry);
	}
	hurry_close(fd, hurry);
}

/* A connection that only waits makes room for one that wants something; more of them go where fewer
 * may be open than before. */
static bool make_room(struct http *s)
{
	while (s->n_conns >= s->caps.connections) {
		struct conn *c = conn_least_needed(s, NULL);

		if (!c)
			return false;
		conn_free(c);
	}
	return true;
}

/* The same among those of one peer: else who opens as many as it may and asks nothing, or only
 * begins to, shuts out all that come from where it comes from. */
static struct peer_count *make_place(struct http *s, const struct peer_key *key, int *ret_full)
{
	struct peer_count *count;
	struct conn *c;

	for (;;) {
		count = peer_counts_add(s->counts, key, s->caps.connections_per_peer, ret_full);
		if (!*ret_full || !(c = conn_least_needed(s, key)))
			return count;
		conn_free(c);
	}
}

static void welcome(struct listener *l, int fd)
{
	struct http *s = l->server;
	struct peer_count *count;
	struct http_peer peer;
	struct peer_key key;
	int full = 0;

	if (!http_peer_of(fd, &peer, &key)) {
		hurry_close(fd, hurry_needed(fd));
		return;
	}
	peer.tls = l->tls != NULL;
	count = make_place(s, &key, &full);
	if (full) {
		turn_away(s, fd, l->tls != NULL, 429, "You have too many connections.");
		return;
	}
	if (!count || !make_room(s)) {
		peer_counts_drop(s->counts, count);
		turn_away(s, fd, l->tls != NULL, 503, "There are too many connections.");
		return;
	}
	if (!conn_new(s, fd, l->tls, &peer, count)) {
		peer_counts_drop(s->counts, count);
		hurry_close(fd, hurry_needed(fd));
	}
}

/* Without descriptors or memory accept() fails at once and the listener stays ready: it rests. */
static void pause_listening(struct http *s)
{
	struct error err;

	(void)sets_listening(s, 0);
	(void)loop_set(s->loop, &s->retry, loop_now_us(s->loop) + RETRY_US, &err);
}

static void knock(void *context, uint32_t events)
{
	struct listener *l = context;
	struct http *s = l->server;

	(void)events;
	for (int i = 0; i < ACCEPTS_MAX; i++) {
		int fd = accept4(l->watch.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			welcome(l, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			pause_listening(s);
		if (errno != ECONNABORTED && errno != EINTR)
			return;
	}
}

int http_listen(struct http *s, int fd, struct http_tls *tls, struct error *err)
{
	struct listener *l = calloc(1, sizeof(*l));

	if (!l)
		return fail_sys(err, "listen");
	l->server = s;
	l->tls = tls;
	l->watch = (struct loop_watch){.fd = fd, .events = EPOLLIN, .ready = knock, .context = l};
	if (loop_add(s->loop, &l->watch, err) < 0) {
		free(l);
		return -1;
	}
	(void)fd_refuse_rights(fd); /* who came before, and old kernels: hurry.h */
	TAILQ_INSERT_TAIL(&s->listeners, l, next);
	return 0;
}

void http_set_tls(struct http *s, struct http_tls *t)
{
	struct listener *l;

	TAILQ_FOREACH(l, &s->listeners, next)
	if (l->tls)
		l->tls = t;
}

void http_drain(struct http *s)
{
	struct conn *c;

	s->draining = true;
	close_listeners(s);
	while ((c = TAILQ_FIRST(&s->idle)))
		conn_free(c);
}

size_t http_connections(const struct http *s)
{
	return s->n_conns;
}
