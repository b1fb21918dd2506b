/* SPDX-License-Identifier: Apache-2.0 */
/* session_exec.c - programs in a session's box: started, fed, heard, signalled, ended.
 *
 * For a tool of kind command a line is judged and screened exactly as in a call
 * of that tool.  For kind code words are run as they are (the policy says
 * whether at all: sessions.exec), and a line is bash code like any other.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/tree.h"
#include "base/clock.h"
#include "base/jsonout.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "gate/steps.h"
#include "keeper/session_state.h"

enum {
	OUTPUT_FACTOR = 64,     /* as for a call: so many times what is kept is a flood, */
	OUTPUT_FLOOR = 1 << 20, /* but never less than this */
	ANSWER_MAX = 4096,
	PIPE_USUAL = 65536,
};

/* Output. */

static void tell(struct doing *d, unsigned stream, const char *data, size_t len)
{
	struct keeper *k = d->session->k;
	uint64_t *told = &d->told[stream - 1];

	doing_begun(d);
	/* What is not kept is not told either. */
	if (*told + len > d->passage.limits.output_bytes)
		len = (size_t)(d->passage.limits.output_bytes - *told);
	while (len && !k->over && d->request.serial) {
		size_t n = len < KEEP_INLINE_MAX ? len : KEEP_INLINE_MAX;
		struct keep_reply reply = {
			.kind = KEEP_OUTPUT,
			.serial = d->request.serial,
			.stream = stream,
			.offset = *told,
		};
		struct error err = {0};

		if (keep_send_reply(k->front, &reply, data, n, &err) < 0)
			k->over = true;
		*told += n;
		data += n;
		len -= n;
	}
}

void doing_hear_out(void *context, const char *data, size_t len)
{
	tell(context, 1, data, len);
}

void doing_hear_err(void *context, const char *data, size_t len)
{
	tell(context, 2, data, len);
}

bool output_floods(const struct doing *d)
{
	uint64_t limit = d->passage.limits.output_bytes * OUTPUT_FACTOR;

	if (limit < OUTPUT_FLOOR)
		limit = OUTPUT_FLOOR;
	return d->passage.account.out.seen > limit || d->passage.account.err.seen > limit;
}

/* As much as the pipe holds: who has ended, or has said so, has left no more than that in it;
 * whoever else writes meanwhile is not waited for.  How much that is the program may have changed.
 */
void capture_rest(struct capture *c)
{
	int holds = c->fd < 0 ? 0 : fcntl(c->fd, F_GETPIPE_SZ);
	uint64_t most = c->stream->seen + (holds > 0 ? (unsigned)holds : PIPE_USUAL);

	while (c->fd >= 0 && c->stream->seen < most) {
		uint64_t before = c->stream->seen;

		capture_move(c);
		if (c->stream->seen == before)
			return;
	}
}

/* What runs. */

void run_free(struct run **r)
{
	if (!*r)
		return;
	capture_close(&(*r)->out);
	capture_close(&(*r)->err);
	inflow_close(&(*r)->in);
	free(*r);
	*r = NULL;
}

static struct run **free_place(struct session *s)
{
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
		if (!s->runs[i])
			return &s->runs[i];
	return NULL;
}

static struct run *run_new(struct doing *d)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->doing = d;
	r->out.fd = r->err.fd = -1;
	inflow_init(&r->in);
	return r;
}

static int open_input(struct run *r, const struct doing *d, struct error *err)
{
	const json_t *text = json_object_get(d->body.value, "stdin");

	if (inflow_open(&r->in, err) < 0)
		return -1;
	/* The program has this end for itself, and expects to wait when it reads. */
	if (fcntl(r->in.read, F_SETFL, 0) < 0)
		return fail_sys(err, "pipe for input");
	if (text && !inflow_add(&r->in, json_string_value(text), json_string_length(text)))
		return fail(err, ERR_CALLER, "more input than %d bytes at once", INFLOW_MAX);
	if (!d->body.stdin_open)
		inflow_end(&r->in);
	return 0;
}

static int start(struct session *s, struct run *r, struct kept_job *job, struct error *err)
{
	struct passage *p = &r->doing->passage;
	uid_t uid = s->kept.remote->runner.uid;
	own_fd out = -1, error = -1;

	if (open_input(r, r->doing, err) < 0 ||
	    capture_open(&r->out, &p->account.out, &p->live_out, uid, &out, err) < 0 ||
	    capture_open(&r->err, &p->account.err, &p->live_err, uid, &error, err) < 0 ||
	    errand_environment(p, NULL, &job->env, err) < 0)
		return -1;
	if (p->redaction.set && redact_set_warm(p->redaction.set, err) < 0)
		return -1;
	r->began_us = clock_us();
	return kept_start(&s->kept, job, (int[3]){r->in.read, out, error}, &r->exec, err);
}

/* The words. */

static char **take_words(struct doing *d, struct error *err)
{
	json_t *list = json_object_get(d->body.value, "argv"), *word;
	char **argv = arena_array(&d->passage.judged.arena, json_array_size(list) + 1,
				  sizeof(*argv), err);
	size_t i;

	if (!argv)
		return NULL;
	json_array_foreach(list, i, word)
	{
		if (strlen(json_string_value(word)) != json_string_length(word))
			return (void)fail(err, ERR_CALLER, "argv holds a NUL"), NULL;
		argv[i] = (char *)(uintptr_t)json_string_value(word);
	}
	return argv;
}

static bool has_language(const struct tool *tool, const char *name)
{
	for (size_t i = 0; i < tool->languages.n; i++)
		if (strcmp(tool->languages.word[i], name) == 0)
			return true;
	return false;
}

static bool refuse(struct doing *d, const char *pointer, const char *detail)
{
	struct api_problems problems = {0};

	api_complain(&problems, pointer, "%s", detail);
	answer_problem(d->session->k, &d->request, 400, "invalid_body", detail, &problems);
	doing_free(d);
	return false;
}

static void copy_member(json_t *to, const char *name, const json_t *from, const char *as)
{
	json_t *value = json_object_get(from, name);

	if (value)
		(void)json_object_set(to, as, value);
}

/* What is judged, and written down; false: it was answered. */
static bool make_arguments(struct doing *d)
{
	const struct tool *tool = d->session->tool;
	const json_t *body = d->body.value;
	bool line = json_object_get(body, "command") != NULL;

	d->args = json_object();
	if (!d->args)
		return refuse(d, "", "there is no memory for it");
	copy_member(d->args, "argv", body, "argv");
	copy_member(d->args, "stdin", body, "stdin");
	d->passage.bare = tool->kind == KIND_CODE && !line;
	if (d->passage.bare) {
		copy_member(d->args, "cwd", body, "cwd");
		return true;
	}
	if (tool->kind == KIND_COMMAND) {
		copy_member(d->args, "command", body, "command");
		return true;
	}
	if (!has_language(tool, "bash"))
		return refuse(d, "/command", "this tool has no bash: give argv");
	copy_member(d->args, "command", body, "code");
	(void)json_object_set_new(d->args, "language", json_string("bash"));
	return true;
}

static char **words_to_run(struct doing *d, struct error *err)
{
	struct judged *j = &d->passage.judged;
	char **argv;

	if (d->passage.bare)
		return take_words(d, err);
	if (j->tool->kind == KIND_COMMAND)
		return j->argv ? j->argv
			       : ((void)fail(err, ERR_INTERNAL, "nothing to run was judged"), NULL);
	argv = arena_array(&j->arena, 4, sizeof(*argv), err);
	if (!argv)
		return NULL;
	argv[0] = arena_str(&j->arena, "bash", err);
	argv[1] = arena_str(&j->arena, "-c", err);
	argv[2] = (char *)(uintptr_t)j->code;
	return argv[0] && argv[1] ? argv : NULL;
}

/* Relative to /work. */
static const char *directory(struct doing *d, struct error *err)
{
	const char *cwd = json_string_value(json_object_get(d->body.value, "cwd"));

	if (!cwd)
		return "/work";
	return cwd[0] == '/' ? cwd : arena_printf(&d->passage.judged.arena, err, "/work/%s", cwd);
}

static void go(struct session *s, struct doing *d, struct run **place)
{
	struct kept_job job = {.wall_ms = d->passage.limits.wall_ms,
			       .cpu_ms = d->passage.limits.cpu_ms};
	struct run *r = run_new(d);
	struct error err = {0};

	if (!r) {
		(void)fail_sys(&err, "start a program");
		doing_fail(d, &err);
		return;
	}
	job.argv = words_to_run(d, &err);
	job.cwd = directory(d, &err);
	if (job.argv && job.cwd && start(s, r, &job, &err) == 0) {
		*place = r;
		doing_begun(d);
		return;
	}
	run_free(&r);
	doing_fail(d, &err);
}

/* NULL: it may. */
static const char *why_not_exec(const struct tool *tool)
{
	if (tool->kind == KIND_COMMAND && tool->exec.n)
		return "this tool's command line is its owner's: call the tool";
	if (!tool->sessions.exec)
		return "the tool's sessions run no programs (sessions.exec)";
	return NULL;
}

/* False: it was refused, and answered; that somebody tried is in the log. */
static bool may_exec(struct doing *d)
{
	const char *why = why_not_exec(d->session->tool);
	struct error err = {0};

	if (!why)
		return true;
	d->passage.bare = true;
	if (!doing_enter(d))
		return false;
	(void)fail(&err, ERR_REFUSED, "%s", why);
	doing_record(d, -1, &err);
	answer_problem(d->session->k, &d->request, 403, "forbidden", why, NULL);
	doing_free(d);
	return false;
}

/* The body into d; false: it was answered. */
static bool read_body(struct doing *d, const struct buf *body)
{
	struct keeper *k = d->session->k;
	json_t *value = answer_body(k, &d->request, body, "exec");
	struct api_problems problems = {0};
	struct error err = {0};

	if (!value) {
		doing_free(d);
		return false;
	}
	if (callbody_read(&d->body, value, &d->request, &problems, &err) == 0)
		return true;
	answer_problem(k, &d->request, 500, "internal", "the body found no room", NULL);
	doing_free(d);
	return false;
}

void obey_exec(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d;

	if (!free_place(s)) {
		answer_problem(s->k, r, 409, "conflict", "as many programs run as may at once",
			       NULL);
		return;
	}
	d = doing_new(s, r, ACTION_EXEC);
	if (d && read_body(d, body) && make_arguments(d) && may_exec(d) && doing_narrow(d) &&
	    doing_enter(d))
		go(s, d, free_place(s));
}

bool run_ended(struct session *s, const struct kept_end *end)
{
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++) {
		struct run *r = s->runs[i];

		if (!r || r->exec != end->exec)
			continue;
		s->runs[i] = NULL;
		capture_rest(&r->out);
		capture_rest(&r->err);
		capture_finish(&r->out);
		capture_finish(&r->err);
		doing_finish(r->doing, &end->outcome);
		run_free(&r);
		return true;
	}
	return false;
}

/* What is said to one that runs. */

static struct run *find_run(struct session *s, uint64_t serial)
{
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
		if (s->runs[i] && s->runs[i]->doing->request.serial == serial)
			return s->runs[i];
	return NULL;
}

static struct driver *find_driver(struct session *s, uint64_t serial)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		if (s->drivers[i].doing && s->drivers[i].doing->request.serial == serial)
			return &s->drivers[i];
	return NULL;
}

static void say_number(struct session *s, const struct keep_request *r, const char *key, uint64_t n)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	jsonout_str(&a.j, "session", s->id);
	jsonout_uint(&a.j, key, n);
	answering_send(&a, s->k, r, &reply);
}

static void say_gone(struct session *s, const struct keep_request *r)
{
	answer_problem(s->k, r, 409, "conflict", "it does not run here, or not any more", NULL);
}

/* A shell takes its commands from there: what came in is written down like code. */
static json_t *describe_input(const struct run *run, const struct buf *body)
{
	const char *data = buf_str(body);
	char hex[HASH_HEX];
	struct hash h;
	json_t *args;

	hash_bytes(data, body->len, &h);
	hash_hex(&h, hex);
	args = json_pack("{s:s, s:I, s:s}", "exec", run->doing->passage.id, "bytes",
			 (json_int_t)body->len, "sha256", hex);
	if (args && body->len && !memchr(data, '\0', body->len) && text_is_utf8(data, body->len))
		(void)json_object_set_new(args, "stdin", json_stringn(data, body->len));
	return args;
}

/* Nothing is its end. */
static int pour_in(struct run *run, const struct buf *body, bool last, struct error *err)
{
	if (body->len && !inflow_add(&run->in, body->data, body->len))
		return fail(err, ERR_REFUSED, "it has not read what it was sent before");
	if (body->len == 0 || last)
		inflow_end(&run->in);
	return 0;
}

void obey_input(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct run *run = find_run(s, r->target);
	struct error err = {0};
	struct doing *d;
	int result;

	if (!run) {
		say_gone(s, r);
		return;
	}
	if (run->in.write < 0 || run->in.ended) {
		answer_problem(s->k, r, 409, "conflict", "its standard input is not open", NULL);
		return;
	}
	if (body->len > INFLOW_MAX) {
		answer_problem(s->k, r, 413, "too_large", "it is too much at once", NULL);
		return;
	}
	d = doing_new(s, r, ACTION_INPUT);
	if (!d)
		return;
	d->passage.bare = true;
	d->args = describe_input(run, body);
	if (!doing_enter(d))
		return;
	result = pour_in(run, body, r->number != 0, &err);
	doing_record(d, result, &err);
	if (result < 0)
		answer_problem(s->k, r, 503, "overloaded", err.text, NULL);
	else
		say_number(s, r, "accepted", body->len);
	doing_free(d);
}

static int send_signal(struct session *s, const struct keep_request *r, int number,
		       struct error *err)
{
	const struct run *run = find_run(s, r->target);
	const struct driver *driver = find_driver(s, r->target);

	if (run)
		return kept_signal(&s->kept, run->exec, number, err);
	/* As from a keyboard: a shell waits for what it started before it listens itself. */
	if (driver)
		return kept_signal(&s->kept, driver->exec,
				   number == SIGINT ? number | KEPT_GROUP : number, err);
	return fail(err, ERR_NOT_FOUND, "it does not run here, or not any more");
}

void obey_signal(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d;
	struct error err = {0};
	uint64_t number;
	int result;

	if (!answer_signal(s->k, r, body, &number))
		return;
	if (!find_run(s, r->target) && !find_driver(s, r->target)) {
		say_gone(s, r);
		return;
	}
	d = doing_new(s, r, ACTION_SIGNAL);
	if (!d)
		return;
	d->passage.bare = true;
	d->args = json_pack("{s:I}", "signal", (json_int_t)number);
	if (!d->args || !doing_enter(d))
		return;
	result = send_signal(s, r, (int)number, &err);
	doing_record(d, result, &err);
	if (result < 0)
		say_gone(s, r);
	else
		say_number(s, r, "signal", number);
	doing_free(d);
}

void obey_cancel(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct run *run = find_run(s, r->target);
	struct driver *driver = find_driver(s, r->target);
	struct error err = {0};

	(void)body;
	if (fork_forgets(s, r->target)) {
		say_number(s, r, "cancelled", 1);
		return;
	}
	if (!run && !driver) {
		say_gone(s, r);
		return;
	}
	if (driver)
		driver_interrupt(s, driver, KILL_CANCELLED);
	else if (kept_kill(&s->kept, run->exec, KILL_CANCELLED, &err) < 0)
		keeper_say(s->k, &err);
	say_number(s, r, "cancelled", 1);
}
