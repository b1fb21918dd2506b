/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - a call's output as events, for clients that are as slow as they like.
 *
 * Nothing waits for a client: output goes into the call's window, and each
 * follower reads from there by offset as fast as it takes it.  One that was
 * so slow that the window has moved on is told what it missed ("gap").
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "serve/api/events.h"
#include "serve/api/front.h"

enum { EVENT_ROOM = EVENT_DATA_MAX * 8 + 256 };

static const char *const stream_names[] = {"stdout", "stderr"};

/* What cannot be said whole is not said: the connection is cut. */
static void send_event(struct visit *v, struct buf *text, int result)
{
	if (result < 0 || text->cut)
		http_cut(v->x);
	else
		http_send(v->x, text->data, text->len);
	v->beat_us = clock_us();
}

static void send_object(struct visit *v, const char *name, const char *object, size_t len)
{
	struct error err = {0};
	own(buf) text;
	int result;

	buf_init(&text, len + 256);
	result = event_object(v->form, name, object, len, &text, &err);
	send_event(v, &text, result);
}

static void send_gap(struct visit *v, size_t stream, uint64_t to)
{
	struct error err = {0};
	struct jsonout j;
	own(buf) object;

	buf_init(&object, 512);
	jsonout_start(&j, &object, &err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "stream", stream_names[stream]);
	jsonout_uint(&j, "from", v->at[stream]);
	jsonout_uint(&j, "to", to);
	jsonout_object_end(&j);
	(void)jsonout_end(&j);
	v->front->metrics.gaps++;
	send_object(v, "gap", buf_str(&object), object.len);
}

/* One event of this stream.  False: there is none to send now. */
static bool send_piece(struct visit *v, size_t stream)
{
	const struct window *w = &v->call->streams[stream];
	struct event_piece p = {.stream = stream_names[stream]};
	struct error err = {0};
	own(buf) text;
	size_t left;
	int result;

	buf_init(&text, EVENT_ROOM);
	if (!v->wants[stream])
		return false;
	if (v->at[stream] < w->base) {
		send_gap(v, stream, w->base);
		v->at[stream] = w->base;
	}
	if (v->at[stream] >= window_end(w))
		return false;
	left = (size_t)(window_end(w) - v->at[stream]);
	p.data = w->data + (v->at[stream] - w->base);
	p.offset = v->at[stream];
	p.len = event_cut(p.data, left, v->call->finished, &p.text);
	if (p.len == 0)
		return false;
	result = event_output(v->form, &p, &text, &err);
	send_event(v, &text, result);
	v->at[stream] += p.len;
	return true;
}

static bool is_behind(const struct visit *v)
{
	for (size_t i = 0; i < 2; i++)
		if (v->wants[i] && v->at[i] < window_end(&v->call->streams[i]))
			return true;
	return false;
}

static void send_result(struct visit *v)
{
	const struct book_call *c = v->call;
	char dropped[160];

	if (c->answer_dropped || !c->answer.data) {
		(void)snprintf(dropped, sizeof(dropped), "{\"id\":\"%s\",\"answer_dropped\":true}",
			       c->id);
		send_object(v, "result", dropped, strlen(dropped));
		return;
	}
	/* Whoever only looks on can come back for it. */
	if (v->match.route->to == TO_CALLS && c->answer.len > SMALL_ANSWER &&
	    !respond_fits(v, c->answer.len)) {
		http_cut(v->x);
		return;
	}
	respond_count(v, c->answer.len);
	send_object(v, c->http_status < 400 ? "result" : "error", c->answer.data, c->answer.len);
}

bool stream_step(struct visit *v)
{
	struct book_call *c = v->call;
	bool more = false;

	if (!c || !v->streaming)
		return false;
	if (http_pending(v->x) < PENDING_BYTES) {
		more = send_piece(v, 0);
		more = send_piece(v, 1) || more;
	}
	if (!c->finished || is_behind(v))
		return more;
	if (v->with_result)
		send_result(v);
	http_finish(v->x);
	stream_detach(v);
	return false;
}

void stream_attach(struct visit *v, struct book_call *c)
{
	v->call = c;
	v->with_result = true;
	book_follow(&v->front->book, c, &v->follower);
	respond_begin(v, event_type(v->form));
	if (c->start.len > 0)
		send_object(v, "start", c->start.data, c->start.len);
}

void stream_detach(struct visit *v)
{
	struct book_call *c = v->call;

	feeding_leave(v);
	v->call = NULL;
	if (c)
		book_unfollow(&v->front->book, c, &v->follower);
}

void stream_beat(struct visit *v, uint64_t now_us)
{
	const char *beat = event_beat(v->form);

	if (!v->streaming || !v->call || http_pending(v->x) > 0 ||
	    now_us - v->beat_us < v->front->config.beat_ms * 1000)
		return;
	v->beat_us = now_us;
	http_send(v->x, beat, strlen(beat));
}

void stream_replay(struct visit *v, const void *body, size_t len)
{
	respond_begin(v, event_type(v->form));
	respond_count(v, len);
	send_object(v, "result", body, len);
	http_finish(v->x);
}
