/* SPDX-License-Identifier: Apache-2.0 */
/* fakekeeper.c - a keeper that runs nothing: each line of a body is something to say.
 *
 *   begun [detach]    out TEXT    err TEXT    hex STREAM DIGITS    fill STREAM BYTES
 *   wait FILE (or a cancellation)             sleep MS             hold (a session's program)
 *   answer STATUS JSON    problem STATUS JSON    octets BYTES    big BYTES    echo
 *   die    garbage    over REASON    rule NAME
 *   fork LINE (what to do when a session is to be copied: a line as above, or "stream LINE", where
 *   LINE is for whoever opens the copy)
 *
 * A body that says no answer is answered with 200 and what was asked.
 */
#include "fakekeeper.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "keeper/keeptalk.h"
#include "reader/readtalk.h"

enum { BODY_MAX = 64 << 20, FILES_MAX = 16, HELD_MAX = 16 };

struct file {
	char path[KEEP_PATH_ROOM];
	struct buf bytes;
};

struct fake {
	int sock;
	bool session, answered, cancelled, open;
	uint64_t offsets[3];
	struct keep_request now;
	struct keep_reply base;
	uint64_t held[HELD_MAX];
	struct file files[FILES_MAX];
	char session_id[KEEP_ID_ROOM];
	char on_fork[256];
	int stream;        /* came with what is asked now; -1: none */
	char streamed[64]; /* what came out of it */
};

static void send_reply(struct fake *k, struct keep_reply *r, const void *data, size_t len)
{
	struct error err = {0};

	r->serial = r->serial ? r->serial : k->now.serial;
	if (keep_send_reply(k->sock, r, data, len, &err) < 0)
		_exit(3);
}

static void answer(struct fake *k, unsigned status, enum keep_content content, const void *data,
		   size_t len)
{
	struct keep_reply r = k->base;

	r.kind = KEEP_ANSWER;
	r.http_status = status;
	r.content = content;
	k->answered = true;
	send_reply(k, &r, data, len);
}

static void echo(struct fake *k, unsigned status)
{
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	buf_init(&out, 65536);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_bool(&j, "success", true);
	jsonout_uint(&j, "kind", k->now.kind);
	jsonout_uint(&j, "shape", k->now.shape);
	jsonout_uint(&j, "target", k->now.target);
	jsonout_uint(&j, "from", k->now.from);
	jsonout_uint(&j, "number", k->now.number);
	jsonout_uint(&j, "body_len", k->now.body_len);
	jsonout_bool(&j, "has_uid", k->now.has_uid);
	jsonout_uint(&j, "uid", k->now.uid);
	jsonout_str(&j, "client", k->now.client);
	jsonout_str(&j, "request_id", k->now.request_id);
	jsonout_str(&j, "tool", k->now.tool);
	jsonout_str(&j, "path", k->now.path);
	jsonout_str(&j, "id", k->base.id);
	jsonout_str(&j, "session", k->now.id);
	jsonout_bool(&j, "cancelled", k->cancelled);
	jsonout_int(&j, "pid", getpid());
	if (k->stream >= 0)
		jsonout_str(&j, "streamed", k->streamed);
	jsonout_object_end(&j);
	(void)jsonout_end(&j);
	answer(k, status, CONTENT_JSON, out.data, out.len);
}

static void begun(struct fake *k, bool detach)
{
	struct keep_reply r = {.kind = KEEP_BEGUN, .detach = detach};
	char text[256];
	int n;

	account_make_id(k->base.id, sizeof(k->base.id));
	memcpy(r.id, k->base.id, sizeof(r.id));
	n = snprintf(text, sizeof(text), "{\"id\":\"%s\",\"request_id\":\"%s\",\"receipt\":null}",
		     r.id, k->now.request_id);
	send_reply(k, &r, text, (size_t)n);
}

/* What a session says that can be copied; the copy is one word. */
static void begun_fork(struct fake *k, const char *line)
{
	struct keep_reply r = {.kind = KEEP_BEGUN,
			       .serial = k->now.serial,
			       .offset = 7,
			       .facts = {.rule = "under"}};
	struct error err = {0};
	own(buf) body;
	int ends[2];

	buf_init(&body, 1024);
	if (pipe(ends) < 0 || write(ends[1], "copied", 6) != 6 ||
	    buf_add(&body, line, strlen(line), &err) < 0 ||
	    keep_send_begun(k->sock, &r, ends[0], &body, &err) < 0)
		_exit(7);
	(void)close(ends[0]);
	(void)close(ends[1]);
	echo(k, 200);
}

static void output(struct fake *k, unsigned stream, const void *data, size_t len)
{
	struct keep_reply r = {.kind = KEEP_OUTPUT, .stream = stream, .offset = k->offsets[stream]};

	memcpy(r.id, k->base.id, sizeof(r.id));
	k->offsets[stream] += len;
	send_reply(k, &r, data, len);
}

static void fill(struct fake *k, unsigned stream, size_t bytes)
{
	char chunk[16384];

	for (size_t i = 0; i < sizeof(chunk); i++)
		chunk[i] = (char)('a' + i % 26);
	while (bytes > 0) {
		size_t n = bytes < sizeof(chunk) ? bytes : sizeof(chunk);

		output(k, stream, chunk, n);
		bytes -= n;
	}
}

static void hex(struct fake *k, unsigned stream, const char *digits)
{
	char bytes[1024];
	size_t n = 0;

	for (; digits[0] && digits[1] && n < sizeof(bytes); digits += 2) {
		char two[3] = {digits[0], digits[1], '\0'};

		bytes[n++] = (char)strtoul(two, NULL, 16);
	}
	output(k, stream, bytes, n);
}

/* Has a cancellation come?  Ends with the socket. */
static bool look_for_cancel(struct fake *k, int ms)
{
	struct pollfd fd = {.fd = k->sock, .events = POLLIN};
	struct keep_request r;
	struct error err = {0};
	struct buf body;
	int got;

	if (poll(&fd, 1, ms) <= 0)
		return false;
	buf_init(&body, BODY_MAX);
	got = keep_take_request(k->sock, &r, &body, &err);
	buf_done(&body);
	if (got != 1)
		_exit(0);
	k->cancelled = r.kind == KEEP_CANCEL;
	return k->cancelled;
}

static void wait_for(struct fake *k, const char *path)
{
	while (access(path, F_OK) < 0)
		if (look_for_cancel(k, 10))
			return;
}

static void big(struct fake *k, size_t bytes)
{
	own_str text = malloc(bytes + 64);
	size_t at;

	if (!text)
		_exit(4);
	at = (size_t)snprintf(text, 64, "{\"id\":\"%s\",\"big\":\"", k->base.id);
	memset(text + at, 'b', bytes);
	memcpy(text + at + bytes, "\"}", 3);
	answer(k, 200, CONTENT_JSON, text, at + bytes + 2);
}

static void hold(struct fake *k)
{
	for (size_t i = 0; i < HELD_MAX; i++)
		if (k->held[i] == 0) {
			k->held[i] = k->now.serial;
			k->answered = true;
			return;
		}
}

static void over(struct fake *k, const char *reason)
{
	struct keep_reply r = {.kind = KEEP_OVER};

	send_reply(k, &r, reason, strlen(reason));
	_exit(0);
}

static bool says(const char *line, const char *word, const char **ret_rest)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || (line[len] != ' ' && line[len] != '\0'))
		return false;
	*ret_rest = line + len + (line[len] == ' ');
	return true;
}

static void obey_output(struct fake *k, const char *line)
{
	const char *rest;
	char *end;
	unsigned long number;

	if (says(line, "out", &rest)) {
		output(k, 1, rest, strlen(rest));
	} else if (says(line, "err", &rest)) {
		output(k, 2, rest, strlen(rest));
	} else if (says(line, "hex", &rest)) {
		number = strtoul(rest, &end, 10);
		hex(k, (unsigned)number, end + 1);
	} else if (says(line, "fill", &rest)) {
		number = strtoul(rest, &end, 10);
		fill(k, (unsigned)number, strtoul(end, NULL, 10));
	}
}

/* HOW WANTED AGE_US INTERPRETERS FORKED */
static void start(struct keep_facts *f, const char *words)
{
	unsigned long n[5] = {0};
	char *end = NULL;

	for (size_t i = 0; i < 5; i++, words = end)
		n[i] = strtoul(words, &end, 10);
	f->setup_us = 200;
	f->start = (uint32_t)n[0];
	f->wanted = (uint32_t)n[1];
	f->interpreter_age_us = n[2];
	f->interpreters = n[3];
	f->forked = n[4];
}

static void obey(struct fake *k, const char *line)
{
	const char *rest;
	char *end;
	unsigned long number;

	obey_output(k, line);
	if (says(line, "begun", &rest)) {
		begun(k, strcmp(rest, "detach") == 0);
	} else if (says(line, "wait", &rest)) {
		wait_for(k, rest);
	} else if (says(line, "sleep", &rest)) {
		(void)look_for_cancel(k, (int)strtoul(rest, NULL, 10));
	} else if (says(line, "hold", &rest)) {
		hold(k);
	} else if (says(line, "answer", &rest)) {
		number = strtoul(rest, &end, 10);
		answer(k, (unsigned)number, CONTENT_JSON, end + 1, strlen(end + 1));
	} else if (says(line, "problem", &rest)) {
		number = strtoul(rest, &end, 10);
		answer(k, (unsigned)number, CONTENT_PROBLEM, end + 1, strlen(end + 1));
	} else if (says(line, "big", &rest)) {
		big(k, strtoul(rest, NULL, 10));
	} else if (says(line, "rule", &rest)) {
		(void)snprintf(k->base.facts.rule, sizeof(k->base.facts.rule), "%s", rest);
	} else if (says(line, "layer", &rest)) {
		k->base.facts.layer = (uint32_t)strtoul(rest, NULL, 10);
	} else if (says(line, "start", &rest)) {
		start(&k->base.facts, rest);
	} else if (says(line, "fork", &rest)) {
		(void)snprintf(k->on_fork, sizeof(k->on_fork), "%s", rest);
	} else if (says(line, "stream", &rest)) {
		begun_fork(k, rest);
	} else if (says(line, "die", &rest)) {
		_exit(9);
	} else if (says(line, "garbage", &rest)) {
		(void)send(k->sock, "garbage", 7, 0);
	} else if (says(line, "over", &rest)) {
		over(k, rest);
	} else if (says(line, "retry", &rest)) {
		k->base.retry_after_s = (uint32_t)strtoul(rest, NULL, 10);
	}
}

static struct file *find_file(struct fake *k, const char *path, bool make)
{
	struct file *free_one = NULL;

	for (size_t i = 0; i < FILES_MAX; i++) {
		if (k->files[i].path[0] && strcmp(k->files[i].path, path) == 0)
			return &k->files[i];
		if (!k->files[i].path[0] && !free_one)
			free_one = &k->files[i];
	}
	if (!make || !free_one)
		return NULL;
	(void)snprintf(free_one->path, sizeof(free_one->path), "%s", path);
	return free_one;
}

static void get_file(struct fake *k)
{
	static const char none[] = "{\"code\":\"not_found\",\"status\":404}";
	struct file *f = find_file(k, k->now.path, false);
	size_t len, most = (size_t)k->now.number;

	if (!f) {
		answer(k, 404, CONTENT_PROBLEM, none, strlen(none));
		return;
	}
	k->base.range_total = f->bytes.len;
	k->base.range_from = k->now.from;
	if (k->now.from > f->bytes.len) {
		answer(k, 416, CONTENT_PROBLEM, "{}", 2);
		return;
	}
	len = f->bytes.len - (size_t)k->now.from;
	if (most > 0 && len > most)
		len = most;
	answer(k, 200, CONTENT_OCTETS, buf_str(&f->bytes) + k->now.from, len);
}

static void put_file(struct fake *k, const struct buf *body)
{
	struct file *f = find_file(k, k->now.path, true);
	struct error err = {0};

	if (!f)
		_exit(5);
	buf_done(&f->bytes);
	buf_init(&f->bytes, BODY_MAX);
	(void)buf_add(&f->bytes, buf_str(body), body->len, &err);
	echo(k, 200);
}

static void end_held(struct fake *k, uint64_t serial, const char *text)
{
	struct keep_reply r = {.kind = KEEP_ANSWER, .http_status = 200, .serial = serial};

	for (size_t i = 0; i < HELD_MAX; i++)
		if (k->held[i] == serial) {
			k->held[i] = 0;
			send_reply(k, &r, text, strlen(text));
		}
}

static void end_session(struct fake *k)
{
	for (size_t i = 0; i < HELD_MAX; i++)
		if (k->held[i])
			end_held(k, k->held[i], "{\"success\":false,\"ended\":\"session\"}");
	if (k->now.serial)
		echo(k, 200);
	_exit(0);
}

/* What is no list of lines.  False: it is. */
static bool serve_special(struct fake *k, const struct buf *body)
{
	struct keep_reply r;

	switch (k->now.kind) {
	case KEEP_FILE_GET:
		get_file(k);
		return true;
	case KEEP_FILE_PUT:
		put_file(k, body);
		return true;
	case KEEP_INPUT:
		r = (struct keep_reply){.kind = KEEP_OUTPUT, .stream = 1, .serial = k->now.target};
		r.offset = k->offsets[1];
		k->offsets[1] += body->len;
		if (body->len > 0)
			send_reply(k, &r, body->data, body->len);
		if (k->now.number)
			end_held(k, k->now.target, "{\"success\":true,\"ended\":\"eof\"}");
		echo(k, 200);
		return true;
	case KEEP_SIGNAL:
		end_held(k, k->now.target, "{\"success\":false,\"ended\":\"signal\"}");
		echo(k, 200);
		return true;
	case KEEP_CANCEL:
		end_held(k, k->now.target, "{\"success\":false,\"ended\":\"cancelled\"}");
		return true;
	case KEEP_CLOSE:
		end_session(k);
		return true;
	case KEEP_FORK:
		obey(k, k->on_fork);
		return k->answered;
	default:
		return false;
	}
}

static void serve(struct fake *k, const struct buf *body)
{
	own_str copy = strdup(buf_str(body));
	char *line = copy, *next;

	memset(&k->base, 0, sizeof(k->base));
	memset(k->offsets, 0, sizeof(k->offsets));
	k->answered = k->cancelled = false;
	(void)snprintf(k->base.facts.tool, sizeof(k->base.facts.tool), "%s",
		       k->now.tool[0] ? k->now.tool : "execute_code");
	k->base.facts.status = STATUS_SUCCESS;
	k->base.facts.ran = 1;
	k->base.facts.decision = 2;
	k->base.facts.judged = 1;
	k->base.facts.run_us = 1500;
	if (serve_special(k, body))
		return;
	for (; line && !k->answered; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		obey(k, line);
	}
	if (!k->answered)
		echo(k, k->now.kind == KEEP_OPEN ? 201 : 200);
}

void fakekeeper_run(int sock, bool session)
{
	static struct fake k;
	struct keep_reply ready = {.kind = KEEP_READY, .usable_slot = 1};
	struct error err = {0};

	k.sock = sock;
	k.stream = -1;
	k.session = session;
	send_reply(&k, &ready, NULL, 0);
	for (;;) {
		struct buf body;
		int got;

		buf_init(&body, BODY_MAX);
		k.stream = -1;
		got = keep_take_request_with(sock, &k.now, &body, &k.stream, &err);
		if (got != 1)
			_exit(got == 0 ? 0 : 6);
		memset(k.streamed, 0, sizeof(k.streamed));
		if (k.stream >= 0 && read(k.stream, k.streamed, sizeof(k.streamed) - 1) < 0)
			_exit(8);
		if (k.now.kind == KEEP_CANCEL && !session) {
			buf_done(&body);
			continue;
		}
		serve(&k, &body);
		if (k.stream >= 0)
			(void)close(k.stream);
		buf_done(&body);
	}
}

void fakereader_run(int sock, bool session)
{
	struct read_reply ready = {.kind = READ_READY};
	struct error err = {0};

	(void)session;
	if (read_send_reply(sock, &ready, NULL, 0, &err) < 0)
		_exit(3);
	for (;;) {
		struct pollfd fd = {.fd = sock, .events = POLLIN};
		struct read_request r;
		struct read_reply reply = {.kind = READ_ANSWER, .http_status = 200};
		char text[1024];
		int n;

		(void)poll(&fd, 1, -1);
		if (read_take_request(sock, &r, &err) != 1)
			_exit(0);
		if (strcmp(r.id, "die") == 0)
			_exit(9);
		n = snprintf(text, sizeof(text),
			     "{\"kind\":%u,\"tool\":\"%s\",\"index\":\"%s\",\"id\":\"%s\","
			     "\"limit\":\"%s\"}",
			     r.kind, r.tool, r.index, r.id, r.limit);
		reply.serial = r.serial;
		if (read_send_reply(sock, &reply, text, (size_t)n, &err) < 0)
			_exit(3);
	}
}
