/* SPDX-License-Identifier: Apache-2.0 */
/* session_fork.c - a session's interpreter is copied into a pipe, for a session of its own.
 *
 * The interpreter does it itself, by a text of ours that its driver runs.  It
 * says three things, as at the end of a snippet: that it wants the
 * descriptors; that it can be copied, or why not; and that everything is in
 * the pipe.  It may lie: then the copy is not worth much, and it is its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "call/language.h"
#include "gate/steps.h"
#include "keeper/session_state.h"

enum {
	FORK_US = 30 * 1000000,   /* until it says whether it can be copied */
	WRITES_US = 60 * 1000000, /* more than the other keeper takes, once it has its turn */
	OPENING_MAX = 1 << 20,
};

extern const char driver_python_copy_start[], driver_python_copy_end[];

static const char no_memory[] = "there is no memory for it";

enum fork_stage { FORK_ASKED = 0, FORK_LOOKS, FORK_WRITES };

struct forking {
	struct doing *asked; /* its request, its records, and what cleans texts */
	enum fork_stage stage;
	int stream;    /* where the copy comes out; -1: the front has it */
	bool answered; /* and written down; its interpreter has still to say that it is done */
	uint64_t until_us;
};

static void forking_free(struct driver *d)
{
	struct forking *f = d->forking;

	d->forking = NULL;
	own_fd_end(&f->stream);
	doing_free(f->asked);
	free(f);
}

/* Written down, then answered; d is still the caller's. */
static void deny(struct doing *d, unsigned int http, const char *code, const char *detail)
{
	struct error err = {0};

	(void)fail(&err, ERR_REFUSED, "%s", detail);
	doing_record(d, -1, &err);
	answer_problem(d->session->k, &d->request, http, code, detail, NULL);
}

/* why: may be what the session says. */
static void tell(struct driver *d, const char *why, size_t len)
{
	struct forking *f = d->forking;
	own_str clean = doing_clean(f->asked, why, len);
	char detail[1200];

	(void)snprintf(detail, sizeof(detail), "the session cannot be copied: %.1000s",
		       clean ? clean : "");
	if (!f->answered)
		deny(f->asked, 409, "conflict", detail);
	f->answered = true;
}

static void refuse(struct driver *d, const char *why, size_t len)
{
	tell(d, why, len);
	forking_free(d);
}

void fork_drop(struct driver *d, const char *why)
{
	if (d->forking)
		refuse(d, why, strlen(why));
}

uint64_t fork_tick(struct session *s, struct driver *d, uint64_t now)
{
	if (now < d->forking->until_us)
		return d->forking->until_us;
	fork_drop(d, "it took too long");
	driver_garble(s, d);
	return 0;
}

/* What runs beside the interpreter.  A process that belongs to no program is ours: one that waits
 * for the next. */
static bool has_others(struct session *s, const struct driver *d)
{
	own_mem struct kept_process *list = calloc(KEPT_PROCESSES_MAX, sizeof(*list));
	struct error ignored;
	size_t n = 0, others = 0, own = 0;

	if (!list || kept_processes(&s->kept, list, &n, &ignored) < 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		own += list[i].exec == d->exec;
		others += list[i].exec != 0 && list[i].exec != d->exec;
	}
	return own > 1 || others > 0;
}

/* Whatever else runs would not be in the copy. */
static const char *hindrance(struct session *s, const struct driver *d)
{

	if (!d || !d->exec || !d->ready)
		return "no Python runs in this session yet: run a snippet first";
	if (d->doing || d->killed || d->forking)
		return "a snippet runs: wait for its end, or cancel it";
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
		if (s->runs[i])
			return "a program runs in this session: wait for its end, or cancel it";
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		if (&s->drivers[i] != d && s->drivers[i].exec)
			return "it has an interpreter of another language, which cannot be copied";
	return has_others(s, d) ? "other processes run in this session" : NULL;
}

/* asked is taken over. */
static void ask(struct session *s, struct driver *d, struct doing *asked)
{
	static const char whole[] = "whole = True\n";
	const char *before = asked->request.number == 1 ? whole : "";
	size_t len = (size_t)(driver_python_copy_end - driver_python_copy_start);
	struct forking *f = calloc(1, sizeof(*f));
	struct error err = {0};

	if (!f) {
		deny(asked, 500, "internal", no_memory);
		doing_free(asked);
		return;
	}
	f->stream = -1;
	f->until_us = clock_us() + FORK_US;
	f->asked = asked;
	d->forking = f;
	d->send.len = d->sent = d->heard.len = 0;
	d->send.cut = d->heard.cut = false;
	if (driver_nonce(d, &err) < 0 ||
	    buf_printf(&d->send, &err, "0 %s %zu\n%s", d->nonce, strlen(before) + len, before) <
		    0 ||
	    buf_add(&d->send, driver_python_copy_start, len, &err) < 0) {
		d->send.len = 0;
		fork_drop(d, no_memory);
		return;
	}
	driver_send(s, d);
}

/* Judged and announced like whatever else is asked of a session; NULL: it was answered. */
static struct doing *announce(struct session *s, const struct keep_request *r)
{
	struct doing *d = doing_new(s, r, ACTION_FORK);

	if (!d)
		return NULL;
	d->passage.bare = true;
	d->args = json_object();
	if (!d->args) {
		answer_problem(s->k, r, 500, "internal", no_memory, NULL);
		doing_free(d);
		return NULL;
	}
	return doing_enter(d) ? d : NULL;
}

void obey_fork(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct driver *d = driver_of(s, "python");
	struct doing *asked = announce(s, r);
	const char *why;

	(void)body;
	s->active_us = clock_us();
	if (!asked)
		return;
	why = hindrance(s, d);
	if (copy_is_known() && !why) {
		ask(s, d, asked);
		return;
	}
	if (!copy_is_known())
		deny(asked, 501, "not_implemented",
		     "sessions cannot be copied on this machine: only on x86-64");
	else
		deny(asked, 409, "conflict", why);
	doing_free(asked);
}

bool fork_defers(struct session *s, const struct keep_request *r, const struct buf *body)
{
	const struct driver *d = driver_of(s, "python");
	struct error err = {0};

	if (!d || !d->forking || d->forking->stage != FORK_WRITES || s->has_later)
		return false;
	s->later = *r;
	buf_init(&s->later_body, KEEP_BODY_MAX);
	s->has_later = buf_add(&s->later_body, buf_str(body), body->len, &err) == 0;
	if (!s->has_later)
		buf_done(&s->later_body);
	return s->has_later;
}

bool fork_forgets(struct session *s, uint64_t serial)
{
	if (!s->has_later || s->later.serial != serial)
		return false;
	s->has_later = false;
	buf_done(&s->later_body);
	answer_problem(s->k, &s->later, 409, "conflict", "it was cancelled before it began", NULL);
	return true;
}

static void obey_later(struct session *s)
{
	struct keep_request r = s->later;
	own(buf) body = s->later_body;

	s->has_later = false;
	if (s->end == SESSION_OPEN)
		obey_code(s, &r, &body);
	else
		answer_problem(s->k, &r, 409, "conflict", "the session ended", NULL);
}

void fork_resume(struct session *s)
{
	const struct driver *d = driver_of(s, "python");

	if (s->has_later && (s->end != SESSION_OPEN || !d || !d->forking))
		obey_later(s);
}

/* It wants them: here they are. */
static void give(struct session *s, struct driver *d)
{
	struct error err = {0};
	own_fd writes = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0) {
		fork_drop(d, "there is no pipe for it");
		driver_garble(s, d);
		return;
	}
	d->forking->stream = ends[0];
	writes = ends[1];
	d->forking->stage = FORK_LOOKS;
	if (copy_give(d->channel, writes, -1, &err) < 0) {
		keeper_say(s->k, &err);
		fork_drop(d, "its interpreter takes nothing");
		driver_garble(s, d);
	}
}

/* How the session was opened: the copy is opened like that. */
static char *opening_of(const struct session *s)
{
	own_json value = json_copy(s->opening.value);

	if (!value)
		return NULL;
	(void)json_object_del(value, "files");
	return json_dumps(value, JSON_COMPACT);
}

static void answer(struct session *s, struct forking *f)
{
	static const char done[] = "{}";
	struct keep_reply reply = {.http_status = 200};
	struct error err = {0};
	own(buf) out;

	buf_init(&out, sizeof(done));
	if (buf_add(&out, done, strlen(done), &err) == 0)
		answer_json(s->k, &f->asked->request, &reply, &out);
	f->answered = true;
}

/* It can be copied, and is about to: the front may open the other session. */
static int begin(struct session *s, struct driver *d, struct error *err)
{
	struct forking *f = d->forking;
	struct keep_reply reply = {
		.kind = KEEP_BEGUN,
		.serial = f->asked->request.serial,
		.offset = d->snippets,
	};
	own_str opening = opening_of(s);
	char under[HASH_HEX];
	own(buf) body;

	buf_init(&body, OPENING_MAX);
	memcpy(reply.id, s->id, sizeof(reply.id));
	if (redaction_current(&s->redaction, s->tool, s->k->policy, under, err) < 0)
		return fail(err, ERR_REFUSED, "its secrets have changed since it was opened");
	if (!opening || buf_add(&body, opening, strlen(opening), err) < 0 || body.cut)
		return fail(err, ERR_REFUSED, "how it was opened is too long");
	(void)snprintf(reply.facts.rule, sizeof(reply.facts.rule), "%s", under);
	doing_record(f->asked, 0, err);
	if (keep_send_begun(s->k->front, &reply, f->stream, &body, err) < 0)
		s->k->over = true;
	answer(s, f);
	return 0;
}

static void write_on(struct session *s, struct driver *d)
{
	struct error err = {0};

	if (begin(s, d, &err) < 0)
		tell(d, err.text, strlen(err.text));
	/* If nobody else has it, writing fails, and that is told at its end. */
	own_fd_end(&d->forking->stream);
	d->forking->stream = -1;
	d->forking->stage = FORK_WRITES;
	d->forking->until_us = clock_us() + WRITES_US + s->k->policy->serve.queue_wait_ms * 1000;
}

static void take(struct session *s, struct driver *d, const struct snippet_end *e, const char *text)
{
	static const char untold[] = "its interpreter could not be written";

	if (e->status != 0)
		refuse(d, e->has_result ? text : untold,
		       e->has_result ? e->result_len : strlen(untold));
	else if (d->forking->stage == FORK_ASKED)
		give(s, d);
	else if (d->forking->stage == FORK_LOOKS)
		write_on(s, d);
	else
		forking_free(d);
}

/* Its first line alone may be a report: one without a text, behind which the next has come. */
static int read_report(struct driver *d, struct snippet_end *ret)
{
	const char *line = memchr(buf_str(&d->heard), '\n', d->heard.len);
	int there = snippet_end_read(buf_str(&d->heard), d->heard.len, d->nonce, ret);

	if (there < 0 && line)
		there = snippet_end_read(buf_str(&d->heard),
					 (size_t)(line - buf_str(&d->heard)) + 1, d->nonce, ret);
	return there;
}

void fork_heard(struct session *s, struct driver *d)
{
	struct snippet_end e;
	int there = 0;

	while (d->forking && d->heard.len && (there = read_report(d, &e)) > 0) {
		size_t whole = e.head_len + e.result_len;
		own_str text = strndup(d->heard.data + e.head_len, e.result_len);

		/* A text that is shorter than it says is somebody's lie. */
		if (!text || strlen(text) != e.result_len) {
			there = -1;
			break;
		}
		memmove(d->heard.data, d->heard.data + whole, d->heard.len - whole);
		d->heard.len -= whole;
		take(s, d, &e, text);
	}
	if (there < 0 || (!d->forking && d->heard.len)) {
		fork_drop(d, "what came from its interpreter made no sense");
		driver_garble(s, d);
	}
}
