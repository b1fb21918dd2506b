/* SPDX-License-Identifier: Apache-2.0 */
/* callroutes.c - /v1/calls: what the book knows of a client's own calls.
 *
 * A call of somebody else is answered as one that does not exist.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "serve/api/events.h"
#include "serve/api/front.h"

enum { LIST_MAX = 1000, OUTPUT_BYTES = 64 << 10, STATE_BYTES = 4096 };

/* The members of a call's object; the answer is left to the caller. */
static void write_call(struct jsonout *j, const struct book_call *c)
{
	jsonout_str(j, "id", c->id);
	jsonout_str(j, "state", c->finished ? "finished" : "running");
	jsonout_str(j, "tool", c->tool[0] ? c->tool : NULL);
	jsonout_str(j, "client", c->party->name);
	if (c->session[0])
		jsonout_str(j, "session", c->session);
	respond_time(j, "started", c->begun_unix_ms);
	jsonout_bool(j, "detach", c->detach);
	jsonout_bool(j, "cancelled", c->cancelled);
	jsonout_uint(j, "stdout_bytes", window_end(&c->streams[0]));
	jsonout_uint(j, "stderr_bytes", window_end(&c->streams[1]));
	if (c->finished) {
		jsonout_uint(j, "http_status", c->http_status);
		if (c->answer_dropped)
			jsonout_bool(j, "answer_dropped", true);
	}
}

static void show(struct visit *v, const struct book_call *c, int status)
{
	struct error err = {0};
	struct jsonout j;
	own(buf) out;
	bool whole = c->finished && !c->answer_dropped && c->answer.len > 0;

	buf_init(&out, STATE_BYTES + c->answer.len);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	write_call(&j, c);
	if (!whole)
		jsonout_object_end(&j);
	(void)jsonout_end(&j);
	/* The answer is JSON already. */
	if (whole && (buf_add_str(&out, ",\"answer\":", &err) < 0 ||
		      buf_add(&out, c->answer.data, c->answer.len, &err) < 0 ||
		      buf_add_str(&out, "}", &err) < 0)) {
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
		return;
	}
	respond_json(v, status, &out);
}

static void list_calls(struct jsonout *j, const struct links *calls, size_t *left)
{
	EACH_LINK(at, calls)
	{
		if (*left == 0)
			return;
		--*left;
		jsonout_object(j, NULL);
		write_call(j, LINKED(at, struct book_call, place));
		jsonout_object_end(j);
	}
}

static void list(struct visit *v)
{
	struct front *f = v->front;
	struct error err = {0};
	size_t left = LIST_MAX;
	struct jsonout j;
	own(buf) out;

	buf_init(&out, (size_t)LIST_MAX * 1024 + 1024);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_array(&j, "calls");
	EACH_LINK(at, &f->parties.all)
	{
		struct party *p = LINKED(at, struct party, all);

		if (!visit_owns(v, p))
			continue;
		list_calls(&j, &p->running, &left);
		list_calls(&j, &p->kept, &left);
	}
	jsonout_array_end(&j);
	jsonout_bool(&j, "truncated", left == 0);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
	else
		respond_json(v, 200, &out);
}

/* One piece of one stream, from v->at on. */
static void answer_output(struct visit *v)
{
	size_t s = v->wants[0] ? 0 : 1;
	const struct book_call *c = v->call;
	const struct window *w = &c->streams[s];
	uint64_t from = v->at[s] > w->base ? v->at[s] : w->base, end = window_end(w);
	size_t len = end > from ? (size_t)(end - from) : 0;
	const char *data = len > 0 ? w->data + (from - w->base) : "";
	struct error err = {0};
	struct jsonout j;
	bool text = true, all;
	own(buf) out;

	if (len > OUTPUT_BYTES)
		len = OUTPUT_BYTES;
	all = c->finished && from + len == end;
	if (!all)
		len = text_utf8_floor(data, len);
	text = text_is_utf8(data, len);
	buf_init(&out, (size_t)OUTPUT_BYTES * 8);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "id", c->id);
	jsonout_str(&j, "stream", s == 0 ? "stdout" : "stderr");
	jsonout_uint(&j, "from", from);
	if (from > v->at[s])
		jsonout_uint(&j, "lost", from - v->at[s]);
	if (text)
		jsonout_bytes(&j, "data", data, len);
	else
		jsonout_base64(&j, "data_base64", data, len);
	jsonout_uint(&j, "next", from + len);
	jsonout_str(&j, "state", c->finished ? "finished" : "running");
	jsonout_bool(&j, "end", c->finished && from + len == end);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
	else
		respond_json(v, 200, &out);
}

/* Has it come to what a long poll waits for? */
static bool has_news(const struct visit *v)
{
	size_t s = v->wants[0] ? 0 : 1;

	if (v->call->finished)
		return true;
	return v->match.route->does == DOES_OUTPUT && v->at[s] < window_end(&v->call->streams[s]);
}

void callroutes_poll(struct visit *v)
{
	bool late = v->wait_until_us && clock_us() >= v->wait_until_us;

	if (!v->call || v->status || (!late && !has_news(v)))
		return;
	if (v->match.route->does == DOES_OUTPUT)
		answer_output(v);
	else
		show(v, v->call, 200);
}

static bool read_number(struct visit *v, const char *name, uint64_t most, uint64_t *ret)
{
	const char *text = http_query(v->x, name);
	char detail[96];
	struct error err;

	*ret = 0;
	if (!text || (text_parse_uint(text, ret, &err) == 0 && *ret <= most))
		return true;
	(void)snprintf(detail, sizeof(detail), "%s is a number from 0 to %llu", name,
		       (unsigned long long)most);
	respond_problem(v, PROBLEM_BAD_REQUEST, detail);
	return false;
}

/* Answers now, or when there is something to answer. */
static void wait_or_answer(struct visit *v, struct book_call *c, uint64_t wait_s)
{
	v->call = c;
	book_follow(&v->front->book, c, &v->follower);
	v->wait_until_us = clock_us() + wait_s * 1000000;
	callroutes_poll(v);
}

static bool read_stream(struct visit *v)
{
	const char *stream = http_query(v->x, "stream");

	v->wants[0] = !stream || strcmp(stream, "stdout") == 0;
	v->wants[1] = stream ? strcmp(stream, "stderr") == 0 : v->form != FORM_JSON;
	if (v->wants[0] || v->wants[1])
		return true;
	respond_problem(v, PROBLEM_BAD_REQUEST, "stream is stdout or stderr");
	return false;
}

static void show_output(struct visit *v, struct book_call *c)
{
	uint64_t from, wait_s;

	if (!read_stream(v) || !read_number(v, "from", INT64_MAX, &from) ||
	    !read_number(v, "wait", WAIT_MAX_S, &wait_s))
		return;
	if (v->wants[0] && v->wants[1] && from > 0) {
		respond_problem(v, PROBLEM_BAD_REQUEST, "from needs stream=stdout or stderr");
		return;
	}
	for (size_t i = 0; i < 2; i++)
		if (v->wants[i] && from > window_end(&c->streams[i])) {
			respond_problem(v, PROBLEM_BAD_REQUEST, "from is behind the end");
			return;
		}
	v->at[0] = v->at[1] = from;
	if (v->form == FORM_JSON) {
		wait_or_answer(v, c, wait_s);
		return;
	}
	stream_attach(v, c);
	feeding_now(v);
}

static void cancel(struct visit *v, struct book_call *c)
{
	if (c->finished) {
		show(v, c, 200);
		return;
	}
	c->cancelled = true;
	v->front->metrics.cancelled++;
	if (c->task)
		pool_cancel(&v->front->pool, c->task);
	show(v, c, 202);
}

/* Input or a signal goes to the keeper that has the call. */
static void pass_on(struct visit *v, const struct book_call *c)
{
	struct task *t;

	if (c->finished || !c->task || !c->task->keeper) {
		respond_problem(v, PROBLEM_CONFLICT, "that call has ended");
		return;
	}
	t = asking_task(v, (enum keep_ask)v->match.route->keep);
	if (!t)
		return;
	(void)snprintf(t->request.id, sizeof(t->request.id), "%s", c->session);
	t->request.target = c->task->request.serial;
	t->request.number = t->request.kind == KEEP_INPUT && visit_says(v, "eof");
	asking_submit(v, t, c->task->keeper);
}

/* The call in the path, if it is this client's (and this session's). */
static struct book_call *find(struct visit *v)
{
	bool in_session = v->match.params[1].text != NULL;
	char id[KEEP_ID_ROOM], session[KEEP_ID_ROOM] = "";
	struct book_call *c = NULL;

	if (visit_param(v, in_session ? 1 : 0, id, sizeof(id)) &&
	    (!in_session || visit_param(v, 0, session, sizeof(session))))
		c = book_find(&v->front->book, id);
	if (c && visit_owns(v, c->party) && (!in_session || strcmp(session, c->session) == 0))
		return c;
	respond_problem(v, PROBLEM_NOT_FOUND, "there is no such call, or not any more");
	return NULL;
}

void callroutes_serve(struct visit *v)
{
	enum route_does does = v->match.route->does;
	struct book_call *c;
	uint64_t wait_s;

	if (does == DOES_LIST) {
		list(v);
		return;
	}
	c = find(v);
	if (!c)
		return;
	if (does == DOES_ASK)
		pass_on(v, c);
	else if (does == DOES_OUTPUT)
		show_output(v, c);
	else if (does == DOES_CANCEL)
		cancel(v, c);
	else if (read_number(v, "wait", WAIT_MAX_S, &wait_s))
		wait_or_answer(v, c, wait_s);
}
