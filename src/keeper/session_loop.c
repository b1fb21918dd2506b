/* SPDX-License-Identifier: Apache-2.0 */
/* session_loop.c - one loop for everything that a session waits for.
 *
 * Output and ends of programs come before what the front asks: an answer then
 * never says that something runs which is known to have ended.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "keeper/session_state.h"

enum { REST_US = 2000000, SLOW_US = 2000, AWAKE_US = 300 };

typedef void deed(struct session *s, const struct keep_request *r, const struct buf *body);

static deed *const deeds[KEEP_ASK_COUNT] = {
	[KEEP_INPUT] = obey_input,         [KEEP_SIGNAL] = obey_signal,
	[KEEP_CANCEL] = obey_cancel,       [KEEP_EXEC] = obey_exec,
	[KEEP_CODE] = obey_code,           [KEEP_FILE_PUT] = obey_put,
	[KEEP_FILE_GET] = obey_get,        [KEEP_FILE_STAT] = obey_stat,
	[KEEP_FILE_LIST] = obey_list,      [KEEP_FILE_REMOVE] = obey_remove,
	[KEEP_PROCESSES] = obey_processes, [KEEP_DESCRIBE] = obey_describe,
	[KEEP_EXTEND] = obey_extend,       [KEEP_CLOSE] = obey_close,
	[KEEP_FORK] = obey_fork,           [KEEP_STIR] = obey_stir,
};

/* On a processor that others keep busy, nobody is. */
static bool is_alone(const struct session *s, const struct keep_request *r)
{
	return r->alone && s->k->audit.took_us < SLOW_US;
}

/* Has something begun that was not over at once? */
static bool is_at_work(const struct session *s)
{
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
		if (s->runs[i])
			return true;
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		if (s->drivers[i].doing && s->drivers[i].doing->begun)
			return true;
	return false;
}

/* This one and serve_box are called, never inlined: what they have in their frames is not to lie on
 * the stack of a session that sleeps. */
__attribute__((noinline)) static void serve_front(struct session *s)
{
	struct keep_request r;
	struct error err = {0};
	own(buf) body;
	int came;

	buf_init(&body, KEEP_BODY_MAX);
	came = keep_take_request(s->k->front, &r, &body, &err);
	if (came < 0)
		keeper_say(s->k, &err);
	if (came <= 0) {
		s->end = SESSION_LEFT;
		return;
	}
	s->rests = false;
	s->k->audit.company = is_alone(s, &r) ? PUT_ALONE : PUT_CROWD;
	/* Whoever only looks does not keep it alive. */
	if (r.kind != KEEP_DESCRIBE && r.kind != KEEP_STIR)
		s->active_us = clock_us();
	if (r.kind == KEEP_CODE)
		session_stir(s, s->k->audit.company == PUT_ALONE);
	if (deeds[r.kind])
		deeds[r.kind](s, &r, &body);
	else
		answer_problem(s->k, &r, 409, "conflict", "a session lives here", NULL);
}

/* What the slot has to say. */

static void box_is_over(struct session *s, const struct outcome *o)
{
	s->box = *o;
	s->end = o->killed_for == KILL_WALL ? SESSION_TTL : SESSION_BOX;
}

/* It was killed with the box: why, is told with the box's own end, which comes last. */
static bool died_with_box(const struct kept_end *end)
{
	return end->box_over && end->outcome.end == END_SIGNALLED && end->outcome.signal == SIGKILL;
}

__attribute__((noinline)) static void serve_box(struct session *s)
{
	struct kept_end end;
	struct error err = {0};
	int came;

	while (s->end == SESSION_OPEN && (came = kept_step(&s->kept, &end, &err)) != 0) {
		if (came < 0) {
			keeper_say(s->k, &err);
			s->box = (struct outcome){.end = END_UNKNOWN, .error = err};
			s->end = SESSION_LOST;
		} else if (end.exec == 0) {
			box_is_over(s, &end.outcome);
		} else if (!died_with_box(&end) && !run_ended(s, &end)) {
			(void)driver_ended(s, &end);
		}
	}
}

/* The list of what is waited for. */

struct watch {
	struct pollfd fds[SESSION_FDS_MAX];
	size_t n;
	uint64_t awake_us; /* until then nobody sleeps for what is wanted; 0: at once */
};

static void want(struct watch *w, int fd, short events)
{
	if (fd >= 0 && w->n < SESSION_FDS_MAX)
		w->fds[w->n++] = (struct pollfd){.fd = fd, .events = events};
}

static const struct pollfd *wanted(const struct watch *w, int fd)
{
	for (size_t i = 0; fd >= 0 && i < w->n; i++)
		if (w->fds[i].fd == fd)
			return &w->fds[i];
	return NULL;
}

static bool is_ready(const struct watch *w, int fd)
{
	const struct pollfd *at = wanted(w, fd);

	return at && at->revents != 0;
}

/* It was looked at, and nothing is there. */
static bool is_empty(const struct watch *w, int fd)
{
	const struct pollfd *at = wanted(w, fd);

	return at && at->revents == 0;
}

/* For how long the answer of one that was awake when its snippet came is not slept for; 0: it was
 * not, or has had that time. */
static uint64_t awake_until(const struct driver *d, uint64_t now)
{
	uint64_t until = d->began_us + AWAKE_US;

	return d->doing && d->stirred && !d->doing->begun && now < until ? until : 0;
}

/* What comes between two snippets waits in the pipe for the next one.  And what one prints that is
 * over in a moment is read with its end: to pass on each by itself would take the front and us as
 * long as all the rest. */
static void want_driver(struct watch *w, const struct driver *d, uint64_t now)
{
	uint64_t until = awake_until(d, now);

	want(w, d->channel, (short)(d->sent < d->send.len ? POLLIN | POLLOUT : POLLIN));
	if (until)
		w->awake_us = until;
	if (!d->doing || d->killed || until)
		return;
	want(w, d->out.fd, POLLIN);
	want(w, d->err.fd, POLLIN);
}

static void want_all(struct session *s, struct watch *w)
{
	uint64_t now = clock_us();

	w->n = 0;
	w->awake_us = 0;
	want(w, s->k->front, POLLIN);
	want(w, kept_fd(&s->kept), POLLIN);
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++) {
		const struct run *r = s->runs[i];

		if (!r)
			continue;
		/* A flood is not read on while its end is being made. */
		if (!r->killed) {
			want(w, r->out.fd, POLLIN);
			want(w, r->err.fd, POLLIN);
		}
		want(w, inflow_wants(&r->in), POLLOUT);
	}
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		want_driver(w, &s->drivers[i], now);
}

static void kill_run(struct session *s, struct run *r, enum kill_reason reason)
{
	struct error err = {0};

	if (r->killed)
		return;
	r->killed = true;
	if (kept_kill(&s->kept, r->exec, reason, &err) < 0)
		keeper_say(s->k, &err);
}

static void serve_run(struct session *s, struct run *r, const struct watch *w)
{
	if (is_ready(w, r->out.fd))
		capture_move(&r->out);
	if (is_ready(w, r->err.fd))
		capture_move(&r->err);
	if (is_ready(w, inflow_wants(&r->in)))
		inflow_move(&r->in);
	if (r->out.stop || r->err.stop)
		kill_run(s, r, KILL_CANARY);
	else if (output_floods(r->doing))
		kill_run(s, r, KILL_OUTPUT);
}

static void serve_driver(struct session *s, struct driver *d, const struct watch *w)
{
	if (d->doing && is_ready(w, d->out.fd))
		capture_move(&d->out);
	if (d->doing && is_ready(w, d->err.fd))
		capture_move(&d->err);
	if (!is_ready(w, d->channel))
		return;
	driver_send(s, d);
	/* The channel comes first in the list: what it printed before it spoke was seen with that,
	 * where anybody looked there. */
	d->out_empty = is_empty(w, d->out.fd);
	d->err_empty = is_empty(w, d->err.fd);
	if (d->channel >= 0)
		driver_heard(s, d);
	d->out_empty = d->err_empty = false;
}

bool session_is_busy(const struct session *s)
{
	for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
		if (s->runs[i])
			return true;
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		if (s->drivers[i].doing || s->drivers[i].forking)
			return true;
	return false;
}

/* When it will have been idle for long enough to give memory back; 0: it is busy, or has. */
static uint64_t rest_at(struct session *s, uint64_t now)
{
	uint64_t at = (s->stirred_us > s->active_us ? s->stirred_us : s->active_us) + REST_US;

	if (s->rests || session_is_busy(s))
		return 0;
	if (now < at)
		return at;
	session_rest(s);
	s->rests = true;
	return 0;
}

/* What is due now; returns for how long nothing else is. */
static int tick(struct session *s)
{
	uint64_t now = clock_us(), next = s->ends_us, idle = s->active_us + s->idle_ms * 1000;
	uint64_t rest, bill = session_bill(s, now, session_is_busy(s));

	if (s->end != SESSION_OPEN)
		return 0;
	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		uint64_t due = driver_tick(s, &s->drivers[i], now);

		next = due && due < next ? due : next;
	}
	if (now >= s->ends_us)
		s->end = SESSION_TTL;
	else if (!session_is_busy(s) && now >= idle)
		s->end = SESSION_IDLE;
	if (!session_is_busy(s) && idle < next)
		next = idle;
	rest = rest_at(s, now);
	next = rest && rest < next ? rest : next;
	next = bill && bill < next ? bill : next;
	now = clock_us();
	return now < next ? (int)((next - now) / 1000 + 1) : 0;
}

/* To sleep and to be woken from another processor takes longer than most snippets. */
static int stay_awake(struct watch *w)
{
	int n;

	do
		n = poll(w->fds, w->n, 0);
	while (n == 0 && clock_us() < w->awake_us);
	return n;
}

static int wait_for(struct session *s, struct watch *w, int ms)
{
	/* When everything is answered: nobody waits for that. */
	if (!session_is_busy(s))
		beside_stay(&s->beside, s->k->audit.place);
	/* It no longer takes turns with the scribe, and what it has to carry may be much: where
	 * others have been left, too, they would share one processor for as long as that lasts. */
	else if (is_at_work(s))
		beside_stay(&s->beside, 0);
	if (w->awake_us) /* afterwards there is more to look at */
		return stay_awake(w);
	if (s->rests && !session_is_busy(s))
		return imprint_poll(s->k->imprint, w->fds, w->n, ms);
	return poll(w->fds, w->n, ms);
}

void session_loop(struct session *s)
{
	struct watch w;

	while (s->end == SESSION_OPEN && !s->k->over) {
		int wait = tick(s);

		if (s->end != SESSION_OPEN)
			break;
		want_all(s, &w);
		if (wait_for(s, &w, wait) < 0 && errno != EINTR) {
			s->end = SESSION_LOST;
			break;
		}
		for (size_t i = 0; i < SESSION_RUNS_MAX; i++)
			if (s->runs[i])
				serve_run(s, s->runs[i], &w);
		for (size_t i = 0; i < SESSION_DRIVERS; i++)
			serve_driver(s, &s->drivers[i], &w);
		if (is_ready(&w, kept_fd(&s->kept)))
			serve_box(s);
		if (s->end == SESSION_OPEN && is_ready(&w, s->k->front))
			serve_front(s);
		if (s->end == SESSION_OPEN)
			fork_resume(s);
		/* Who does not answer could not be made to kill anything either. */
		if (s->kept.lost)
			serve_box(s);
	}
	session_finish(s);
}
