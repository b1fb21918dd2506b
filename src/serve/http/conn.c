/* SPDX-License-Identifier: Apache-2.0 */
/* conn.c - one connection: what happens on its socket, and when its time is over. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/http/httpconn.h"
#include "serve/http/hurry.h"

enum { READS_MAX = 4, DISCARDS_MAX = 16 }; /* in one go */

ssize_t conn_read(struct conn *c, void *data, size_t room)
{
	ssize_t n;

	hurry_begin(c->hurry);
	if (c->tls)
		n = tls_conn_read(c->tls, data, room);
	else if ((n = recv(c->watch.fd, data, room, MSG_DONTWAIT)) < 0)
		n = errno == EAGAIN || errno == EINTR ? IO_LATER_IN : IO_BROKEN;
	hurry_end(c->hurry);
	return n;
}

ssize_t conn_write(struct conn *c, const void *data, size_t len)
{
	ssize_t n;

	if (c->tls)
		return tls_conn_write(c->tls, data, len);
	n = send(c->watch.fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n >= 0)
		return n;
	return errno == EAGAIN || errno == EINTR ? IO_LATER_OUT : IO_BROKEN;
}

void conn_free(struct conn *c)
{
	struct http *s = c->server;

	if (c->x) {
		struct http_exchange *x = c->x;

		c->busy = true;
		s->handler.over(s->handler.context, x, false);
		exchange_free(x);
	}
	if (c->state == CONN_IDLE)
		TAILQ_REMOVE(&s->idle, c, idle);
	if (c->scheduled)
		TAILQ_REMOVE(&s->settle, c, settle);
	TAILQ_REMOVE(&s->all, c, all);
	s->n_conns--;
	peer_counts_drop(s->counts, c->count);
	loop_unset(s->loop, &c->timer);
	loop_remove(s->loop, &c->watch);
	tls_conn_free(c->tls);
	hurry_close(c->watch.fd, c->hurry);
	buf_done(&c->in);
	buf_done(&c->out);
	free(c);
}

/* So that the client sees a broken connection, not an end. */
void conn_break(struct conn *c)
{
	struct linger at_once = {.l_onoff = 1};

	(void)setsockopt(c->watch.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	conn_free(c);
}

bool conn_watch(struct conn *c, uint32_t events)
{
	struct error err;

	return loop_change(c->server->loop, &c->watch, events, &err) == 0;
}

/* The timer is always set, so that moving it cannot fail; and it is moved only to an earlier time:
 * a deadline that is met costs nothing. */
void conn_set_deadline(struct conn *c, uint64_t ms)
{
	struct loop *l = c->server->loop;
	struct error err;

	c->deadline_us = ms ? loop_now_us(l) + ms * 1000 : 0;
	if (c->deadline_us && c->timer.due_us > c->deadline_us)
		(void)loop_set(l, &c->timer, c->deadline_us, &err);
}

void conn_become(struct conn *c, enum conn_state state)
{
	if (c->state == CONN_IDLE)
		TAILQ_REMOVE(&c->server->idle, c, idle);
	c->state = state;
	if (state == CONN_IDLE)
		TAILQ_INSERT_TAIL(&c->server->idle, c, idle);
}

/* True: done; the first bytes may be there already. */
static bool shake(struct conn *c)
{
	int n;

	hurry_begin(c->hurry);
	n = tls_conn_shake(c->tls);
	hurry_end(c->hurry);

	if (n == 1) {
		tls_conn_name(c->tls, c->peer.cert, sizeof(c->peer.cert));
		conn_become(c, CONN_IDLE);
		conn_set_deadline(c, c->server->caps.head_ms);
	}
	if (n == IO_BROKEN || n == 0 ||
	    !conn_watch(c, (n == IO_LATER_OUT ? EPOLLOUT : EPOLLIN) | EPOLLRDHUP)) {
		conn_free(c);
		return false;
	}
	return n == 1;
}

/* A few pieces at most; but what TLS has taken off the socket no event will tell of. */
static void take_in(struct conn *c)
{
	struct http *s = c->server;
	ssize_t n;
	int i = 0;

	do {
		n = conn_read(c, s->scratch, sizeof(s->scratch));
		if (n == 0 || n == IO_BROKEN) {
			conn_free(c);
			return;
		}
		if (n < 0) {
			if (!conn_watch(c, (n == IO_LATER_OUT ? EPOLLOUT : EPOLLIN) | EPOLLRDHUP))
				conn_free(c);
			return;
		}
		if (!conn_feed(c, s->scratch, (size_t)n))
			return;
	} while (c->tls ? tls_conn_holds(c->tls) : n == sizeof(s->scratch) && ++i < READS_MAX);
}

/* Straight from the socket: whatever it is, nobody reads it. */
static void throw_away(struct conn *c)
{
	struct http *s = c->server;

	for (int i = 0; i < DISCARDS_MAX; i++) {
		ssize_t n;

		hurry_begin(c->hurry);
		n = recv(c->watch.fd, s->scratch, sizeof(s->scratch), MSG_DONTWAIT);
		hurry_end(c->hurry);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n > 0)
			c->thrown += (size_t)n;
		if (n <= 0 || c->thrown > LINGER_BYTES) {
			conn_free(c);
			return;
		}
	}
}

/* While the handler has the request, or its answer is under way. */
static void look_up(struct conn *c, uint32_t events)
{
	bool waiting = !c->x || !c->x->answered;

	if ((events & EPOLLRDHUP) && waiting) {
		conn_free(c);
		return;
	}
	if ((events & EPOLLIN) && !(c->watch.events & EPOLLOUT) && c->out.len == 0) {
		c->behind = true;
		if (!conn_watch(c, c->watch.events & ~(uint32_t)EPOLLIN))
			conn_free(c);
		return;
	}
	if (c->state == CONN_ANSWERING)
		conn_answer(c);
}

/* Once for each time that it is said. */
static void foretell(struct conn *c)
{
	const struct http_handler *h = &c->server->handler;

	if (c->expected[0] && h->comes)
		h->comes(h->context, c->expected);
	c->expected[0] = '\0';
}

static void ready(void *context, uint32_t events)
{
	struct conn *c = context;

	if (events & (EPOLLERR | EPOLLHUP)) {
		conn_free(c);
		return;
	}
	switch (c->state) {
	case CONN_SHAKING:
		if (shake(c) && tls_conn_holds(c->tls))
			take_in(c);
		return;
	case CONN_IDLE:
		foretell(c);
		take_in(c);
		return;
	case CONN_HEAD:
	case CONN_BODY:
		take_in(c);
		return;
	case CONN_WORKING:
	case CONN_ANSWERING:
		look_up(c, events);
		return;
	case CONN_LINGERING:
		throw_away(c);
		return;
	}
}

static void due(void *context)
{
	struct conn *c = context;
	struct loop *l = c->server->loop;
	struct error err;

	(void)loop_set(l, &c->timer, c->deadline_us ? c->deadline_us : UINT64_MAX, &err);
	if (c->deadline_us == 0 || c->deadline_us > loop_now_us(l))
		return;
	if (c->state == CONN_HEAD)
		conn_refuse(c, &(struct fault){408, "The head of the request took too long."});
	else if (c->state == CONN_BODY)
		conn_refuse(c, &(struct fault){408, "The body of the request took too long."});
	else if (c->state == CONN_ANSWERING)
		conn_break(c);
	else
		conn_free(c);
}

struct conn *conn_new(struct http *s, int fd, struct http_tls *tls, const struct http_peer *peer,
		      struct peer_count *count)
{
	struct conn *c = calloc(1, sizeof(*c));
	struct error err;

	if (!c || (tls && !(c->tls = tls_conn_new(tls, fd)))) {
		free(c);
		return NULL;
	}
	c->server = s;
	c->peer = *peer;
	c->hurry = peer->is_unix && hurry_needed(fd);
	c->count = count;
	c->watch = (struct loop_watch){
		.fd = fd, .events = EPOLLIN | EPOLLRDHUP, .ready = ready, .context = c};
	c->timer = (struct loop_timer){.due = due, .context = c};
	buf_init(&c->in, 2 * s->caps.head_bytes);
	buf_init(&c->out, OUT_MAX);
	if (loop_set(s->loop, &c->timer, UINT64_MAX, &err) < 0 ||
	    loop_add(s->loop, &c->watch, &err) < 0) {
		loop_unset(s->loop, &c->timer);
		tls_conn_free(c->tls);
		free(c);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&s->all, c, all);
	s->n_conns++;
	if (!tls)
		conn_become(c, CONN_IDLE);
	/* The first request must come soon; only those behind it may take their time. */
	conn_set_deadline(c, s->caps.head_ms);
	return c;
}
