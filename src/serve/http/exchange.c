/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c - what the handler asks of an exchange, and how it answers it.
 *
 * Nothing is written from here: the connection does that when the handler has
 * returned, or in the same round of the loop.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/text.h"
#include "serve/http/headwords.h"
#include "serve/http/httpconn.h"

enum http_method http_method(const struct http_exchange *x)
{
	return x->head.method;
}

const char *http_method_name(const struct http_exchange *x)
{
	return x->bytes.data;
}

const char *http_path(const struct http_exchange *x)
{
	return x->target.path;
}

const char *http_query(const struct http_exchange *x, const char *name)
{
	return target_parameter(&x->target, name);
}

const char *http_query_name(const struct http_exchange *x, size_t n)
{
	return n < x->target.n ? x->target.parameters[n].name : NULL;
}

const char *http_header(const struct http_exchange *x, const char *name)
{
	return head_value(&x->head, x->bytes.data, name);
}

const struct http_peer *http_peer(const struct http_exchange *x)
{
	return &x->conn->peer;
}

const struct buf *http_body(const struct http_exchange *x)
{
	return &x->body;
}

void http_cap_body(struct http_exchange *x, size_t bytes)
{
	if (bytes < x->body_cap)
		x->body_cap = bytes;
}

void http_set_id(struct http_exchange *x, const char *id)
{
	size_t n = strlen(id);

	if (n > REFUSAL_ID_MAX)
		n = REFUSAL_ID_MAX;
	for (size_t i = 0; i < n; i++) /* it is put into JSON as it is */
		x->id[i] = headwords_token(id[i]) ? id[i] : '_';
	x->id[n] = '\0';
}

void http_expect(struct http_exchange *x, const char *what)
{
	text_copy(what, x->conn->expected, sizeof(x->conn->expected));
}

void http_set_user(struct http_exchange *x, void *user)
{
	x->user = user;
}

void *http_user(const struct http_exchange *x)
{
	return x->user;
}

static bool closes(const struct conn *c)
{
	return c->close || c->behind || c->server->draining;
}

static enum answer_framing framing_of(const struct http_exchange *x, int status, bool stream)
{
	if (!answer_may_have_body(status))
		return ANSWER_NO_BODY;
	if (!stream)
		return ANSWER_LENGTH;
	return x->head.http10 ? ANSWER_UNTIL_CLOSE : ANSWER_CHUNKED;
}

static void begin(struct http_exchange *x, int status, const struct http_header *headers,
		  enum answer_framing framing, size_t len)
{
	struct conn *c = x->conn;
	struct error err;

	assert(!x->answered && !x->streaming);
	if (c->state != CONN_WORKING && (x->head.chunked || x->head.length > 0))
		c->close = c->linger = true; /* the body is not wanted */
	if (answer_head(&c->out, &c->server->date, status, headers, &err) < 0 ||
	    answer_framing(&c->out, framing, len, closes(c), &err) < 0)
		x->cut = true;
}

static void add(struct http_exchange *x, const void *data, size_t len)
{
	struct conn *c = x->conn;
	struct error err;

	if (len > 0 && (buf_add(&c->out, data, len, &err) < 0 || c->out.cut))
		x->cut = true;
}

void http_answer(struct http_exchange *x, int status, const struct http_header *headers,
		 const void *body, size_t len)
{
	enum answer_framing framing = framing_of(x, status, false);

	begin(x, status, headers, framing, len);
	if (framing == ANSWER_LENGTH && x->head.method != HTTP_HEAD)
		add(x, body, len);
	x->answered = true;
	conn_schedule(x->conn);
}

void http_begin(struct http_exchange *x, int status, const struct http_header *headers)
{
	enum answer_framing framing = framing_of(x, status, true);

	begin(x, status, headers, framing, 0);
	x->streaming = true;
	x->chunks = framing == ANSWER_CHUNKED;
	x->mute = framing == ANSWER_NO_BODY || x->head.method == HTTP_HEAD;
	conn_schedule(x->conn);
}

void http_send(struct http_exchange *x, const void *data, size_t len)
{
	char size[24];

	assert(x->streaming && !x->answered);
	if (len == 0 || x->mute || x->cut) /* an empty chunk would be the last */
		return;
	if (x->chunks) {
		int n = snprintf(size, sizeof(size), "%zx\r\n", len);

		add(x, size, (size_t)n);
	}
	add(x, data, len);
	if (x->chunks)
		add(x, "\r\n", 2);
	if (http_pending(x) >= x->conn->server->caps.pending_bytes)
		x->full = true;
	conn_schedule(x->conn);
}

void http_finish(struct http_exchange *x)
{
	assert(x->streaming && !x->answered);
	if (x->chunks && !x->mute)
		add(x, "0\r\n\r\n", 5);
	x->answered = true;
	conn_schedule(x->conn);
}

size_t http_pending(const struct http_exchange *x)
{
	return x->conn->out.len - x->conn->sent;
}

void http_hold(struct http_exchange *x, bool on)
{
	struct conn *c = x->conn;
	uint32_t gone = EPOLLRDHUP, others = c->watch.events & ~gone;

	if (!conn_watch(c, on ? others : others | gone))
		http_cut(x);
}

void http_cut(struct http_exchange *x)
{
	x->cut = true;
	conn_schedule(x->conn);
}
