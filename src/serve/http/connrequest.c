/* SPDX-License-Identifier: Apache-2.0 */
/* connrequest.c - bytes of a connection become requests, one at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "serve/http/httpconn.h"

void exchange_free(struct http_exchange *x)
{
	if (!x)
		return;
	x->conn->server->held -= x->body.len;
	buf_done(&x->bytes);
	buf_done(&x->body);
	target_done(&x->target);
	second_body_free(x->second);
	free(x);
}

static void refuse(struct conn *c, int status, const char *detail)
{
	conn_refuse(c, &(struct fault){status, detail});
}

static bool has_body(const struct http_exchange *x)
{
	return x->head.chunked || x->head.length > 0;
}

/* No pipelining: who sends more before the answer gets this answer, and the connection ends. */
static bool more_behind(const struct conn *c, size_t left)
{
	return left > 0 || (c->tls && tls_conn_holds(c->tls));
}

/* Reads the head in c->in; on failure there is no exchange. */
static struct http_exchange *make_exchange(struct conn *c, struct fault *f)
{
	struct http_exchange *x = malloc(sizeof(*x));
	const struct http_caps *caps = &c->server->caps;

	*f = (struct fault){503, "There is no memory for the request."};
	if (!x)
		return NULL;
	memset(&x->body, 0, sizeof(*x) - offsetof(struct http_exchange, body));
	x->target.text = NULL;
	x->conn = c;
	x->bytes = c->in;
	x->body_cap = caps->body_bytes;
	buf_init(&c->in, 2 * caps->head_bytes);
	if (head_read(&x->head, &x->bytes, caps, f) == 0 &&
	    target_read(&x->target, x->bytes.data + x->head.target, x->head.target_len, f) == 0) {
		if (!x->head.chunked || (x->second = second_body_new()))
			return x;
		*f = (struct fault){503, "There is no memory for the request."};
	}
	exchange_free(x);
	return NULL;
}

/* The request is the handler's.  Nothing may be done with the connection afterwards. */
static void hand_over(struct conn *c)
{
	struct http *s = c->server;

	conn_become(c, CONN_WORKING);
	conn_set_deadline(c, 0);
	c->busy = true;
	s->handler.whole(s->handler.context, c->x);
	c->busy = false;
	conn_settle(c);
}

static bool say_continue(struct conn *c)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

	/* Nothing was written yet: a socket without room for this is not worth waiting for. */
	return conn_write(c, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1;
}

/* left: bytes that came behind the head.  True: the body is to be read. */
static bool announce(struct conn *c, size_t left)
{
	struct http *s = c->server;
	struct http_exchange *x = c->x;

	c->busy = true;
	s->handler.head(s->handler.context, x);
	c->busy = false;
	if (x->cut || x->answered || x->streaming) {
		conn_settle(c);
		return false;
	}
	if (!has_body(x)) {
		hand_over(c);
		return false;
	}
	if (x->head.length > x->body_cap) {
		refuse(c, 413, "The body is larger than this request's may be.");
		return false;
	}
	if (x->head.expects && left == 0 && !say_continue(c)) {
		conn_free(c);
		return false;
	}
	buf_init(&x->body, x->body_cap);
	conn_become(c, CONN_BODY);
	conn_set_deadline(c, s->caps.body_ms);
	return true;
}

static bool begin_exchange(struct conn *c, size_t left)
{
	struct fault f;

	c->close = c->linger = c->behind = false;
	c->x = make_exchange(c, &f);
	if (!c->x) {
		conn_refuse(c, &f);
		return false;
	}
	c->close = c->x->head.close;
	c->behind = !has_body(c->x) && more_behind(c, left);
	if (c->x->head.length > c->x->body_cap) {
		exchange_free(TAKE(c->x));
		refuse(c, 413, "The body is larger than any may be (serve.body in the policy).");
		return false;
	}
	return announce(c, left);
}

/* True: goes on. */
static bool take_head(struct conn *c, const char **data, size_t *len)
{
	size_t used = 0;
	struct fault f;
	struct error err;
	enum head_more more = head_scan(&c->scan, &c->server->caps, *data, *len, &used, &f);

	if (more == HEAD_REFUSED) {
		conn_refuse(c, &f);
		return false;
	}
	if (buf_add(&c->in, *data, used, &err) < 0 || c->in.cut) {
		refuse(c, 503, "There is no memory for the request.");
		return false;
	}
	*data += used;
	*len -= used;
	return more == HEAD_GOES_ON || begin_exchange(c, *len);
}

static bool take_chunks(struct http_exchange *x, const char *data, size_t len, size_t *ret_used,
			struct fault *f)
{
	if (!chunked_read(&x->chunked, data, len, &x->body, ret_used, f))
		return false;
	if (second_body_agrees(x->second, data, *ret_used, x->chunked.state == CHUNKED_OVER,
			       x->chunked.total))
		return true;
	*f = (struct fault){400, "The body's chunks are not in order."};
	return false;
}

static bool take_counted(struct http_exchange *x, const char *data, size_t len, size_t *ret_used,
			 struct fault *f)
{
	uint64_t left = x->head.length - x->body.len;
	struct error err;

	*ret_used = len < left ? len : (size_t)left;
	if (buf_add(&x->body, data, *ret_used, &err) == 0 && !x->body.cut)
		return true;
	*f = (struct fault){503, "There is no memory for the body."};
	return false;
}

/* One client's body is bounded, and so are those of all clients together. */
static bool take_piece(struct http_exchange *x, const char *data, size_t len, size_t *ret_used,
		       struct fault *f)
{
	struct http *s = x->conn->server;
	size_t before = x->body.len;
	bool fine = x->head.chunked ? take_chunks(x, data, len, ret_used, f)
				    : take_counted(x, data, len, ret_used, f);

	s->held += x->body.len - before;
	if (!fine || s->held <= s->caps.bodies_bytes)
		return fine;
	*f = (struct fault){503, "Too many bodies are on their way."};
	return false;
}

static bool take_body(struct conn *c, const char **data, size_t *len)
{
	struct http_exchange *x = c->x;
	size_t used = 0;
	struct fault f;
	bool whole;

	if (!take_piece(x, *data, *len, &used, &f)) {
		conn_refuse(c, &f);
		return false;
	}
	*data += used;
	*len -= used;
	whole = x->head.chunked ? x->chunked.state == CHUNKED_OVER : x->body.len == x->head.length;
	if (!whole)
		return true;
	c->behind = more_behind(c, *len);
	hand_over(c);
	return false;
}

bool conn_feed(struct conn *c, const char *data, size_t len)
{
	if (c->state == CONN_IDLE) {
		conn_become(c, CONN_HEAD);
		conn_set_deadline(c, c->server->caps.head_ms);
	}
	while (len > 0)
		if (!(c->state == CONN_HEAD ? take_head(c, &data, &len)
					    : take_body(c, &data, &len)))
			return false;
	return true;
}
