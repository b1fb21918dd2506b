/* SPDX-License-Identifier: Apache-2.0 */
/* auditroutes.c - /v1/audit: questions for the reader of the log, and its answers. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/own.h"
#include "reader/readtalk.h"
#include "serve/api/front.h"

/* A parameter of the query, and its place in the message. */
static const struct {
	const char *name;
	size_t offset;
} parameters[] = {
	{"tool", offsetof(struct read_request, tool)},
	{"client", offsetof(struct read_request, client)},
	{"session", offsetof(struct read_request, session)},
	{"status", offsetof(struct read_request, status)},
	{"decision", offsetof(struct read_request, decision)},
	{"kind", offsetof(struct read_request, record_kind)},
	{"since", offsetof(struct read_request, since)},
	{"until", offsetof(struct read_request, until)},
	{"limit", offsetof(struct read_request, limit)},
	{"after", offsetof(struct read_request, after)},
};

void auditroutes_left(struct visit *v)
{
	if (v->read_serial)
		v->front->reader.pending--;
	v->read_serial = 0;
}

static void lose_reader(struct front *f)
{
	struct reader *r = &f->reader;

	if (r->watch.fd >= 0) {
		loop_remove(f->loop, &r->watch);
		(void)close(r->watch.fd);
	}
	r->watch.fd = -1;
	r->ready = false;
	EACH_LINK(at, &f->visits)
	{
		struct visit *v = LINKED(at, struct visit, all);

		if (v->read_serial)
			respond_problem(v, PROBLEM_UNAVAILABLE,
					"the process that reads the log ended; try again");
	}
}

static struct visit *waiting_for(struct front *f, uint64_t serial)
{
	EACH_LINK(at, &f->visits)
	{
		struct visit *v = LINKED(at, struct visit, all);

		if (v->read_serial == serial)
			return v;
	}
	return NULL;
}

static void pass_on(struct front *f, const struct read_reply *r, const struct buf *body)
{
	struct visit *v = r->serial ? waiting_for(f, r->serial) : NULL;

	if (!v) /* its client did not wait */
		return;
	respond(v,
		&(struct response){.status = (int)r->http_status,
				   .type = r->content == READ_PROBLEM ? "application/problem+json"
								      : "application/json",
				   .body = buf_str(body),
				   .len = body->len,
				   .retry_after_s = r->retry_after_s});
}

static void readable(void *context, uint32_t events)
{
	struct front *f = context;
	struct read_reply reply;
	struct error err = {0};
	struct buf body;
	int got;

	(void)events;
	buf_init(&body, READ_BODY_MAX);
	got = read_take_reply(f->reader.watch.fd, &reply, &body, &err);
	if (got == 1 && reply.kind == READ_READY)
		f->reader.ready = true;
	else if (got == 1)
		pass_on(f, &reply, &body);
	else if (got == 0 || err.sys != EAGAIN)
		lose_reader(f);
	buf_done(&body);
}

void auditroutes_set_reader(struct front *f, int fd)
{
	struct error err = {0};
	int flags;

	lose_reader(f);
	if (fd < 0)
		return;
	flags = fcntl(fd, F_GETFL);
	f->reader.watch =
		(struct loop_watch){.fd = fd, .events = EPOLLIN, .ready = readable, .context = f};
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    loop_add(f->loop, &f->reader.watch, &err) < 0) {
		(void)close(fd);
		f->reader.watch.fd = -1;
	}
}

/* Into a field of the message.  False: it does not fit. */
static bool put(struct read_request *r, size_t offset, const char *text)
{
	if (strlen(text) >= READ_TEXT_ROOM)
		return false;
	memcpy((char *)r + offset, text, strlen(text) + 1);
	return true;
}

static bool fill(const struct visit *v, struct read_request *r)
{
	const struct route *route = v->match.route;
	char param[READ_TEXT_ROOM];
	bool fits = put(r, offsetof(struct read_request, request_id), v->request_id);

	for (size_t i = 0; route->read == READ_QUERY && i < ARRAY_LEN(parameters); i++) {
		const char *value = http_query(v->x, parameters[i].name);

		fits = fits && (!value || put(r, parameters[i].offset, value));
	}
	if (!v->match.params[0].text)
		return fits;
	fits = fits && visit_param(v, 0, param, sizeof(param));
	return fits && put(r,
			   route->read == READ_SHOW ? offsetof(struct read_request, id)
						    : offsetof(struct read_request, index),
			   param);
}

void auditroutes_serve(struct visit *v)
{
	struct reader *reader = &v->front->reader;
	struct read_request r = {.kind = v->match.route->read};
	struct error err = {0};

	if (reader->watch.fd < 0 || !reader->ready) {
		respond_problem(v, PROBLEM_UNAVAILABLE, "the log cannot be read at this moment");
		return;
	}
	if (reader->pending >= READER_MAX) {
		respond_problem(v, PROBLEM_OVERLOADED, "too many questions about the log are open");
		return;
	}
	if (!fill(v, &r)) {
		respond_problem(v, PROBLEM_BAD_REQUEST, "a parameter is longer than 255 bytes");
		return;
	}
	r.serial = ++reader->serial;
	if (read_send_request(reader->watch.fd, &r, &err) < 0) {
		respond_problem(v, PROBLEM_OVERLOADED, "the reader of the log is busy");
		return;
	}
	v->read_serial = r.serial;
	reader->pending++;
}
