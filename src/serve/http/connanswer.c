/* SPDX-License-Identifier: Apache-2.0 */
/* connanswer.c - how an answer gets to the client, and what the connection does behind it. */
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "serve/http/httpconn.h"

enum { ROUNDS_MAX = 16, WRITE_MOST = 512 << 10 }; /* of writing in one go */

static void begin_lingering(struct conn *c)
{
	conn_become(c, CONN_LINGERING);
	if (c->tls)
		tls_conn_goodbye(c->tls);
	(void)shutdown(c->watch.fd, SHUT_WR);
	conn_set_deadline(c, LINGER_MS);
	if (!conn_watch(c, EPOLLIN | EPOLLRDHUP))
		conn_free(c);
}

static void end_or_linger(struct conn *c)
{
	if (c->linger || c->behind) {
		begin_lingering(c);
		return;
	}
	if (c->tls)
		tls_conn_goodbye(c->tls);
	conn_free(c);
}

static void be_idle(struct conn *c)
{
	conn_become(c, CONN_IDLE);
	c->scan = (struct head_scan){0};
	conn_set_deadline(c, c->server->caps.idle_ms);
	if (!conn_watch(c, EPOLLIN | EPOLLRDHUP))
		conn_free(c);
}

/* Everything of the answer is with the kernel. */
static void complete(struct conn *c)
{
	struct http *s = c->server;
	struct http_exchange *x = c->x;

	c->x = NULL;
	if (x) {
		c->busy = true;
		s->handler.over(s->handler.context, x, true);
		c->busy = false;
		exchange_free(x);
	}
	if (c->close || c->behind || s->draining)
		end_or_linger(c);
	else
		be_idle(c);
}

/* -1: the client is gone, or has to wait, if only for the others' sake; else everything is out. */
static ssize_t write_out(struct conn *c)
{
	size_t done = 0;

	while (c->sent < c->out.len) {
		size_t left = c->out.len - c->sent;
		ssize_t n;

		if (done >= WRITE_MOST)
			return IO_LATER_OUT;
		n = conn_write(c, c->out.data + c->sent, left < WRITE_MOST ? left : WRITE_MOST);
		if (n <= 0)
			return n == 0 ? IO_BROKEN : n;
		c->sent += (size_t)n;
		c->progress += (size_t)n;
		done += (size_t)n;
	}
	buf_done(&c->out);
	buf_init(&c->out, OUT_MAX);
	c->sent = 0;
	return 0;
}

static void wait_to_write(struct conn *c, ssize_t why)
{
	uint32_t gone = c->x && c->x->streaming && !c->x->answered ? EPOLLRDHUP : 0;

	if (!c->deadline_us || c->progress >= WRITE_PROGRESS) {
		c->progress = 0;
		conn_set_deadline(c, c->server->caps.write_ms);
	}
	if (!conn_watch(c, (why == IO_LATER_IN ? EPOLLIN : EPOLLOUT) | gone))
		conn_free(c);
}

static void give_room(struct conn *c)
{
	struct http *s = c->server;
	struct http_exchange *x = c->x;

	if (!x || !x->full || c->out.len - c->sent >= s->caps.pending_bytes / 2)
		return;
	x->full = false;
	if (!x->answered && s->handler.room) {
		c->busy = true;
		s->handler.room(s->handler.context, x);
		c->busy = false;
	}
}

/* What was sent need not be kept while a stream goes on. */
static void forget_sent(struct conn *c)
{
	if (c->sent < SCRATCH_BYTES || c->sent < c->out.len / 2)
		return;
	c->out.len -= c->sent;
	memmove(c->out.data, c->out.data + c->sent, c->out.len);
	c->sent = 0;
}

/* Nothing to write: a stream waits for its handler, who may take its time. */
static void wait_for_handler(struct conn *c)
{
	conn_set_deadline(c, 0);
	if (!conn_watch(c, EPOLLRDHUP | (c->behind ? 0 : EPOLLIN)))
		conn_free(c);
}

/* In rounds, as room() may bring more; but not for ever: others have their turn, too. */
void conn_answer(struct conn *c)
{
	for (int round = 0; round == 0 || c->out.len > 0; round++) {
		ssize_t n = round < ROUNDS_MAX ? write_out(c) : IO_LATER_OUT;

		if (n == IO_BROKEN) {
			conn_free(c);
			return;
		}
		give_room(c);
		if (c->x && c->x->cut) {
			conn_break(c);
			return;
		}
		if (n < 0) {
			forget_sent(c);
			wait_to_write(c, n);
			return;
		}
	}
	if (!c->x || c->x->answered)
		complete(c);
	else
		wait_for_handler(c);
}

void conn_settle(struct conn *c)
{
	if (c->x && c->x->cut) {
		conn_break(c);
		return;
	}
	if (c->x && (c->x->answered || c->x->streaming) && c->state != CONN_ANSWERING) {
		conn_become(c, CONN_ANSWERING);
		c->deadline_us = 0;
		c->progress = 0;
	}
	if (c->state == CONN_ANSWERING || c->out.len > 0)
		conn_answer(c);
}

void conn_schedule(struct conn *c)
{
	struct http *s = c->server;
	struct error err;

	if (c->busy || c->scheduled)
		return;
	c->scheduled = true;
	TAILQ_INSERT_TAIL(&s->settle, c, settle);
	(void)loop_set(s->loop, &s->settling, 0, &err);
}

static int make_refusal(struct conn *c, const struct fault *f, const char *id, bool headless)
{
	const struct http_header headers[] = {
		{"Content-Type", "application/problem+json"},
		{"Cache-Control", "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Request-Id", id},
		{f->status == 503 || f->status == 429 ? "Retry-After" : NULL, "1"},
		{NULL, NULL},
	};
	struct buf body;
	struct error err;
	int result = -1;

	buf_init(&body, 4096);
	if (refusal_body(&body, f, id, &err) == 0 &&
	    answer_head(&c->out, &c->server->date, f->status, headers, &err) == 0 &&
	    answer_framing(&c->out, ANSWER_LENGTH, body.len, true, &err) == 0)
		result = headless ? 0 : buf_add(&c->out, body.data, body.len, &err);
	buf_done(&body);
	return result;
}

void conn_refuse(struct conn *c, const struct fault *f)
{
	struct http *s = c->server;
	struct http_exchange *x = c->x;
	char id[REFUSAL_ID_MAX + 1];
	bool headless = x && x->head.method == HTTP_HEAD;

	refusal_id(id);
	if (x && x->id[0])
		memcpy(id, x->id, sizeof(id));
	c->x = NULL;
	c->busy = true;
	if (s->handler.refused)
		s->handler.refused(s->handler.context, f->status);
	if (x)
		s->handler.over(s->handler.context, x, false);
	c->busy = false;
	exchange_free(x);
	if (make_refusal(c, f, id, headless) < 0) {
		conn_free(c);
		return;
	}
	c->close = c->linger = true;
	conn_become(c, CONN_ANSWERING);
	c->deadline_us = 0;
	conn_answer(c);
}
