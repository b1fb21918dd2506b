/* SPDX-License-Identifier: Apache-2.0 */
/* session_code.c - snippets for the interpreters of a session, which keep their state in between.
 *
 * An interpreter runs a small program of ours, the driver, which takes
 * snippets from a socket in the place of its standard input and says there how
 * each ended.  Whatever runs in it can say anything there: so an end counts
 * only if it is exactly what a driver would say of the snippet that runs now,
 * and anything else ends the interpreter.  The worst a snippet can achieve is
 * to lie about itself.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digits.h"
#include "base/own.h"
#include "gate/steps.h"
#include "keeper/session_state.h"

enum {
	GRACE_US = 1000000, /* between an interrupt and the end */
	LOOK_US = 250000,   /* how often the processor time is looked at */
	BEGUN_US = 1000,    /* one that has ended by then is only answered */
	AGAIN_US = 100000,  /* an interrupt may come when nobody listens: again after this time */
};

static void let_go(struct driver *d)
{
	own_fd_end(&d->channel);
	d->channel = -1;
	capture_close(&d->out);
	capture_close(&d->err);
	d->exec = 0;
	d->send.len = d->sent = d->heard.len = 0;
	d->ready = d->killed = d->garbled = d->woken = false;
}

void driver_rest(struct session *s, struct driver *d)
{
	if (d->doing)
		return;
	buf_done(&d->send);
	buf_init(&d->send, DRIVER_SEND_MAX);
	d->sent = 0;
	capture_idle(&d->out);
	capture_idle(&d->err);
	driver_tell_rest(s, d);
}

void drivers_done(struct session *s)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		let_go(&s->drivers[i]);
		buf_done(&s->drivers[i].send);
		buf_done(&s->drivers[i].heard);
	}
}

/* The interpreter. */

/* Its answer is out: what the first snippet needs is made while nobody waits.  If that fails, the
 * snippet will say so. */
void driver_ahead(struct session *s, struct doing *opening)
{
	struct driver *d = s->language ? driver_of(s, s->language) : NULL;
	struct passage *p = &opening->passage;
	struct error ignored = {0};

	if (s->tool->kind != KIND_CODE || !d || d->exec || !driver_is_cheap(s, d))
		return;
	redaction_done(&p->redaction);
	p->redaction = s->redaction;
	p->redaction.borrowed = true;
	if (driver_start(s, d, p, &ignored) < 0)
		let_go(d);
}

static void kill_driver(struct session *s, struct driver *d, enum kill_reason reason)
{
	struct error err = {0};

	if (d->killed || !d->exec)
		return;
	d->killed = true;
	if (kept_kill(&s->kept, d->exec, reason, &err) < 0)
		keeper_say(s->k, &err);
}

/* A snippet. */

/* Where nobody counts for the box as a whole, that of the processes which live. */
static uint64_t cpu_of_processes(struct session *s)
{
	own_mem struct kept_process *list = calloc(KEPT_PROCESSES_MAX, sizeof(*list));
	struct error ignored;
	uint64_t all = 0;
	size_t n = 0;

	if (!list || kept_processes(&s->kept, list, &n, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		all += list[i].cpu_ms * 1000;
	return all;
}

static uint64_t cpu_of_box(struct session *s)
{
	struct usage u = {0};
	struct error ignored;
	uint64_t us;

	if (kept_cpu_us(&s->kept, &us) == 0)
		return us;
	us = kept_usage(&s->kept, &u, &ignored) < 0 ? 0 : u.cpu_user_us + u.cpu_system_us;
	return us ? us : cpu_of_processes(s);
}

static int draw(char ret[static SNIPPET_NONCE], struct error *err)
{
	unsigned char bytes[(SNIPPET_NONCE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return fail_sys(err, "getrandom");
	(void)digits_hex(bytes, sizeof(bytes), ret);
	return 0;
}

/* Each is used once, whoever drew it. */
int driver_nonce(struct driver *d, struct error *err)
{
	if (!d->has_next)
		return draw(d->nonce, err);
	memcpy(d->nonce, d->next, sizeof(d->nonce));
	d->has_next = false;
	return 0;
}

static void attach(struct capture *c, struct stream *stream, const struct live *live)
{
	c->stream = stream;
	c->live = *live;
	c->finished = c->stop = false;
	c->failed = 0;
}

void driver_attach(struct driver *d, struct doing *doing)
{
	struct passage *p = &doing->passage;

	attach(&d->out, &p->account.out, &p->live_out);
	attach(&d->err, &p->account.err, &p->live_err);
}

/* "NUMBER NONCE LENGTH\n" */
static int add_head(struct driver *d, size_t len, struct error *err)
{
	char number[DIGITS_ROOM], length[DIGITS_ROOM];

	(void)digits_uint(d->snippets + 1, number);
	(void)digits_uint(len, length);
	if (buf_add_str(&d->send, number, err) < 0 || buf_add_str(&d->send, " ", err) < 0 ||
	    buf_add_str(&d->send, d->nonce, err) < 0 || buf_add_str(&d->send, " ", err) < 0 ||
	    buf_add_str(&d->send, length, err) < 0)
		return -1;
	return buf_add_str(&d->send, "\n", err);
}

/* Of one that is awake on another processor, and whose counter is read at once: what it has used by
 * then is microseconds, and those are charged all the same (session_bill.c).  Any other may have
 * been woken on this processor, and have ended before its keeper goes on. */
static bool is_read_behind(const struct session *s, const struct driver *d)
{
	return d->stirred && s->kept.cpu >= 0;
}

static int hand_over(struct session *s, struct driver *d, struct doing *doing, struct error *err)
{
	struct passage *p = &doing->passage;
	uint64_t now;

	if (p->redaction.set && redact_set_warm(p->redaction.set, err) < 0)
		return -1;
	if (!d->exec && driver_start(s, d, p, err) < 0) {
		let_go(d);
		return -1;
	}
	d->send.len = d->sent = 0;
	d->send.cut = false;
	if (driver_nonce(d, err) < 0 || add_head(d, p->judged.code_len, err) < 0 ||
	    buf_add(&d->send, p->judged.code, p->judged.code_len, err) < 0 || d->send.cut) {
		d->send.len = 0; /* half of it is none */
		return err->kind != ERR_NONE ? -1
					     : fail(err, ERR_CALLER, "the snippet is too long");
	}
	doing->is_snippet = true;
	doing->snippet = ++d->snippets;
	doing->state_lost = d->lost_untold;
	d->lost_untold = false;
	d->doing = doing;
	d->ending = KILL_NONE;
	driver_attach(d, doing);
	now = clock_us();
	d->began_us = now;
	d->until_us = now + p->limits.wall_ms * 1000;
	d->kill_us = d->again_us = 0;
	d->look_us = now + LOOK_US;
	if (!is_read_behind(s, d))
		d->cpu_before_us = cpu_of_box(s);
	return 0;
}

/* While it has come to and begins: what is not needed for that. */
static void look_behind(struct session *s, struct driver *d)
{
	struct error ignored;

	if (is_read_behind(s, d))
		d->cpu_before_us = cpu_of_box(s);
	d->has_next = draw(d->next, &ignored) == 0;
}

/* The body into d; false: it was answered. */
static bool read_body(struct doing *d, const struct buf *body)
{
	struct keeper *k = d->session->k;
	json_t *value = answer_body(k, &d->request, body, "code");
	struct api_problems problems;
	struct error err = {0};

	api_no_problems(&problems);
	if (!value) {
		doing_free(d);
		return false;
	}
	if (callbody_read(&d->body, value, &d->request, &problems, &err) < 0) {
		answer_problem(k, &d->request, 500, "internal", "the body found no room", NULL);
		doing_free(d);
		return false;
	}
	if (!problems.n)
		return true;
	answer_problem(k, &d->request, 400, "invalid_body", problems.list[0].detail, &problems);
	doing_free(d);
	return false;
}

/* The session's language, if the snippet names none. */
static bool set_language(struct doing *d)
{
	const char *standard = d->session->language;

	if (json_object_get(d->body.arguments, "language") || !standard)
		return true;
	return json_object_set_new(d->body.arguments, "language", json_string(standard)) == 0;
}

static bool is_busy(struct session *s, const struct doing *d)
{
	const char *name = json_string_value(json_object_get(d->body.arguments, "language"));
	const struct driver *driver = name ? driver_of(s, name) : NULL;

	return driver && (driver->doing || driver->killed || driver->forking);
}

void obey_code(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d;
	struct driver *driver;
	struct error err = {0};
	bool busy;

	if (s->tool->kind != KIND_CODE) {
		answer_problem(s->k, r, 409, "conflict", "this tool has no interpreter: use exec",
			       NULL);
		return;
	}
	if (fork_defers(s, r, body))
		return;
	d = doing_new(s, r, ACTION_CODE);
	if (!d || !read_body(d, body))
		return;
	if (!set_language(d) || is_busy(s, d)) {
		answer_problem(s->k, r, 409, "conflict",
			       "a snippet runs already: wait for its end, or cancel it", NULL);
		doing_free(d);
		return;
	}
	if (!doing_narrow(d) || !doing_enter(d))
		return;
	driver = driver_of(s, d->passage.judged.language);
	/* A tool with one language needs not name it: busy is seen only here. */
	busy = !driver || driver->doing || driver->killed || driver->forking;
	if (busy)
		(void)fail(&err, ERR_INTERNAL, "the interpreter is busy");
	if (busy || hand_over(s, driver, d, &err) < 0) {
		doing_fail(d, &err);
		return;
	}
	driver_send(s, driver);
	look_behind(s, driver);
	/* Most have ended before the front could make anything of it. */
	d->runs = true;
	if (d->body.detach || d->request.follows)
		doing_begun(d);
}

/* Its end. */

static void fill_usage(struct session *s, const struct driver *d, struct outcome *o)
{
	uint64_t cpu = cpu_of_box(s);

	o->run_us = clock_us() - d->began_us;
	memcpy(o->layers, d->layers, sizeof(o->layers));
	if (o->usage.cpu_user_us == 0 && cpu > d->cpu_before_us)
		o->usage.cpu_user_us = cpu - d->cpu_before_us;
	session_peaks(s, o->run_us, &o->usage);
}

/* All that it has printed so far.  Once: one that is killed for it may print on. */
static void take_output(struct driver *d)
{
	if (!d->out_empty && !d->out.finished)
		capture_rest(&d->out);
	if (!d->err_empty && !d->err.finished)
		capture_rest(&d->err);
	capture_finish(&d->out);
	capture_finish(&d->err);
}

static void finish(struct session *s, struct driver *d, struct outcome *o)
{
	struct doing *doing = d->doing;

	take_output(d);
	d->doing = NULL;
	d->until_us = d->kill_us = d->look_us = d->again_us = 0;
	if (d->ending != KILL_NONE)
		o->killed_for = d->ending;
	if (d->out.stop || d->err.stop)
		o->killed_for = KILL_CANARY;
	fill_usage(s, d, o);
	d->out.stream = d->err.stream = NULL;
	doing_finish(doing, o);
}

void driver_abandon(struct session *s, struct driver *d, const struct outcome *o)
{
	struct outcome mine = *o;

	fork_drop(d, "the session ended");
	if (!d->doing)
		return;
	d->doing->state_lost = true;
	finish(s, d, &mine);
}

bool driver_ended(struct session *s, const struct kept_end *end)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		struct driver *d = &s->drivers[i];
		struct outcome o = end->outcome;

		if (!d->exec || d->exec != end->exec)
			continue;
		/* One that leaves by itself closes its channel, too: then its exit code counts. */
		if (d->garbled && o.end != END_EXITED) {
			o.killed_for = KILL_SIGNAL;
			(void)fail(&o.error, ERR_CALLER,
				   "what came from its interpreter made no sense");
		}
		fork_drop(d, "its interpreter ended");
		if (driver_begins_anew(s, d))
			return true;
		if (d->doing)
			driver_abandon(s, d, &o);
		else
			d->lost_untold = d->snippets > 0;
		let_go(d);
		return true;
	}
	return false;
}

/* As from a keyboard, to the interpreter and what it waits for; one that is not ready would die. */
static void interrupt(struct session *s, struct driver *d)
{
	struct error err = {0};

	d->again_us = clock_us() + AGAIN_US;
	if (d->ready && kept_signal(&s->kept, d->exec, SIGINT | KEPT_GROUP, &err) < 0)
		kill_driver(s, d, d->ending);
}

void driver_interrupt(struct session *s, struct driver *d, enum kill_reason reason)
{
	if (!d->doing || d->ending != KILL_NONE)
		return;
	d->ending = reason;
	d->kill_us = clock_us() + GRACE_US;
	d->until_us = d->look_us = 0;
	interrupt(s, d);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

uint64_t driver_tick(struct session *s, struct driver *d, uint64_t now)
{
	if (d->forking)
		return fork_tick(s, d, now);
	if (!d->doing)
		return 0;
	if (now >= d->began_us + BEGUN_US)
		doing_begun(d->doing);
	if (output_floods(d->doing))
		d->ending = KILL_OUTPUT;
	if (output_floods(d->doing) || d->out.stop || d->err.stop)
		kill_driver(s, d, d->out.stop || d->err.stop ? KILL_CANARY : KILL_OUTPUT);
	if (d->until_us && now >= d->until_us)
		driver_interrupt(s, d, KILL_WALL);
	if (d->look_us && now >= d->look_us) {
		d->look_us = now + LOOK_US;
		if (cpu_of_box(s) > d->cpu_before_us + d->doing->passage.limits.cpu_ms * 1000)
			driver_interrupt(s, d, KILL_CPU);
	}
	if (d->kill_us && now >= d->kill_us) {
		d->kill_us = d->again_us = 0;
		kill_driver(s, d, d->ending);
	}
	if (d->again_us && now >= d->again_us)
		interrupt(s, d);
	return earlier(d->doing->begun ? 0 : d->began_us + BEGUN_US,
		       earlier(earlier(d->until_us, d->kill_us), earlier(d->look_us, d->again_us)));
}

/* The channel. */

void driver_garble(struct session *s, struct driver *d)
{
	d->garbled = true;
	own_fd_end(&d->channel);
	d->channel = -1;
	kill_driver(s, d, KILL_CANCELLED);
}

void driver_send(struct session *s, struct driver *d)
{
	while (d->channel >= 0 && d->sent < d->send.len) {
		ssize_t n = send(d->channel, d->send.data + d->sent, d->send.len - d->sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			driver_garble(s, d);
			return;
		}
		d->sent += (size_t)n;
	}
}

static void take_report(struct session *s, struct driver *d)
{
	struct outcome o = {.end = END_EXITED};
	struct snippet_end report;
	int there = snippet_end_read(buf_str(&d->heard), d->heard.len, d->nonce, &report);

	if (there < 0)
		driver_garble(s, d);
	if (there <= 0)
		return;
	/* Nobody else keeps the front awake: it comes to while the end is written down. */
	if (d->doing->request.alone == ALONE_APART)
		doing_nears_end(d->doing);
	take_output(d);
	/* Mostly it is read with the end (session_loop.c): whoever printed it goes all the same,
	 * and its end is the answer. */
	if (d->out.stop || d->err.stop) {
		d->heard.len = 0;
		kill_driver(s, d, KILL_CANARY);
		return;
	}
	if (report.has_result)
		d->doing->result =
			doing_clean(d->doing, d->heard.data + report.head_len, report.result_len);
	o.exit_code = (int)report.status;
	d->heard.len = 0;
	/* It has been told to go: it has this one's answer to give, and then nothing. */
	if (d->killed)
		d->doing->state_lost = true;
	finish(s, d, &o);
}

void driver_heard(struct session *s, struct driver *d)
{
	char bytes[4096];
	struct error err = {0};
	ssize_t n = recv(d->channel, bytes, sizeof(bytes), 0);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* Its end is told by the slot. */
	if (n <= 0 || buf_add(&d->heard, bytes, (size_t)n, &err) < 0 || d->heard.cut) {
		driver_garble(s, d);
		return;
	}
	if (!d->ready && !driver_take_ready(d)) {
		if (d->heard.len > SNIPPET_HEAD_MAX || memchr(d->heard.data, '\n', d->heard.len))
			driver_garble(s, d);
		return;
	}
	/* Between snippets it has nothing to say. */
	if (d->forking)
		fork_heard(s, d);
	else if (d->doing)
		take_report(s, d);
	else if (d->heard.len)
		driver_garble(s, d);
}
