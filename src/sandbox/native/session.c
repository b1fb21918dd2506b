/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - a slot whose box is kept: programs side by side, each with its own end.
 *
 * The launcher starts them, by the one way there is, and waits for them.  The
 * watch is on the box: its limits are for the sum of all.  What one program
 * started is known by its cgroup namespace, which each program gets anew and
 * nothing in a box can leave: daemons that detached themselves are found, too.
 */
#include "sandbox/native/session.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "call/limits.h"
#include "sandbox/native/proctable.h"
#include "sandbox/native/slot_state.h"

enum {
	MARKS_MAX = 1024, /* programs that ended and may have left others behind */
	PASSES_QUIET = 3, /* over the processes, before nobody in the box may fork for a moment */
	PASS_MS = 1,
	STOP_MS = 2000,
	CPU_LOOK_US = 100000,
	ORPHANS_LEAST_US = 100000, /* processes count in ticks, and to start one takes time, too */
};

enum exec_state { EXEC_FREE = 0, EXEC_STARTING, EXEC_RUNNING, EXEC_ENDED };

struct exec {
	enum exec_state state;
	uint64_t number;
	uint64_t mark;
	uint64_t asked_us, start_us;
	uint64_t deadline_us; /* 0: the box's */
	uint64_t cpu_ms;
	uint64_t orphans_us; /* what orphans had used when it began, or was charged for them */
	bool over;           /* at the last look it had used too much */
	enum kill_reason killed_for;
	struct outcome outcome;
};

struct mark {
	uint64_t number, mark;
};

/* What is large comes last: a box that sleeps has touched one page of it. */
struct session {
	uint64_t n_marks;
	uint64_t numbers; /* that were given out */
	uint64_t cpu_next_us;
	uint64_t orphans_us; /* at the last look */
	uint64_t own_mark;   /* ours, which no program of a box has */
	struct usage spent;  /* by programs that ended */
	struct exec execs[KEPT_EXECS_MAX];
	struct mark marks[MARKS_MAX]; /* a ring */
};

void session_drop(struct slot *s)
{
	pages_free(s->session, sizeof(*s->session));
	s->session = NULL;
}

/* A user may not look at pid 1 until its exec is over, which is at most a moment away. */
static bool sees_soon(int proc)
{
	enum { TRIES = 50 };
	const struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; i < TRIES; i++) {
		if (proctable_sees(proc))
			return true;
		(void)nanosleep(&moment, NULL);
	}
	return false;
}

int session_begin(struct slot *s, const struct limits *limits, struct error *err)
{
	const struct to_launcher order = {.order = ORDER_KEEP};

	if (s->dead || s->phase != PHASE_IDLE || s->session)
		return fail(err, ERR_INTERNAL, "the slot is %s", s->dead ? "dead" : "busy");
	if (!s->plan.keeps)
		return fail(err, ERR_INTERNAL, "the slot is for one program only");
	if (limits_check(limits, err) < 0 || slot_leave_ahead(s, limits, err) < 0 ||
	    slot_want_box(s, limits, err) < 0 || slot_wait_until(s, &s->box_waits, err) < 0)
		return -1;
	if (s->proc >= 0 && !sees_soon(s->proc)) {
		own_fd_end(&s->proc);
		s->proc = -1;
	}
	s->session = pages_new(sizeof(*s->session));
	if (!s->session)
		return fail_sys(err, "allocate a session");
	s->session->own_mark = proctable_own_mark();
	if (watch_open(&s->watch, &s->groups, limits, s->ahead, err) < 0)
		return -1;
	if (fd_send(s->socket, &order, sizeof(order), NULL, 0, err) < 0) {
		watch_close(&s->watch);
		return -1;
	}
	if (s->board->layers[LAYER_MEMORY].state != LAYER_FULL)
		s->watch.family = s->launcher;
	s->watch.kept = true;
	s->outcome = (struct outcome){0};
	memcpy(s->outcome.layers, s->board->layers, sizeof(s->outcome.layers));
	s->kill_sent = s->ending = s->box_waits = s->ahead = false;
	s->give_up_us = 0;
	s->calls++;
	s->asked_us = s->watch.start_us = clock_us();
	watch_begin(&s->watch, s->work);
	watch_ready_kept(&s->watch);
	s->phase = PHASE_KEPT;
	slot_turns_as_ever(s);
	return 0;
}

static struct exec *find(struct slot *s, uint64_t number)
{
	for (size_t i = 0; number && i < KEPT_EXECS_MAX; i++)
		if (s->session->execs[i].state != EXEC_FREE &&
		    s->session->execs[i].number == number)
			return &s->session->execs[i];
	return NULL;
}

static struct exec *free_place(struct slot *s)
{
	for (size_t i = 0; i < KEPT_EXECS_MAX; i++)
		if (s->session->execs[i].state == EXEC_FREE)
			return &s->session->execs[i];
	return NULL;
}

static int check_alive(const struct slot *s, struct error *err)
{
	if (s->phase != PHASE_KEPT || s->kill_sent)
		return fail(err, ERR_SYSTEM, "the box has ended");
	return 0;
}

static struct limits limits_of(const struct slot *s, const struct session_job *job)
{
	struct limits limits = s->watch.limits;

	if (job->cpu_ms && job->cpu_ms < limits.cpu_ms)
		limits.cpu_ms = job->cpu_ms;
	return limits;
}

/* The launcher starts it before it hears anything else. */
static int await_start(struct slot *s, struct exec *e, struct error *err)
{
	uint64_t until = clock_us() + SETUP_MS * 1000ULL, now;

	while (e->state == EXEC_STARTING && s->phase == PHASE_KEPT) {
		now = clock_us();
		if (now < until && slot_take_one(s, (int)((until - now + 999) / 1000)))
			continue;
		(void)fail(err, ERR_SYSTEM, "nothing started within %d s", SETUP_MS / 1000);
		slot_lose(s, err);
	}
	if (e->outcome.end != END_NOT_STARTED)
		return 0; /* it may even have ended by now */
	*err = e->outcome.error;
	*e = (struct exec){0};
	return -1;
}

int session_exec(struct slot *s, const struct session_job *job, uint64_t *ret_exec,
		 struct error *err)
{
	struct to_launcher order = {.order = ORDER_EXEC, .limits = limits_of(s, job)};
	struct exec *e;

	if (check_alive(s, err) < 0)
		return -1;
	e = free_place(s);
	if (!e)
		return fail(err, ERR_CALLER, "%d programs are in the box already", KEPT_EXECS_MAX);
	if (strnlen(job->cwd, sizeof(order.cwd)) == sizeof(order.cwd))
		return fail(err, ERR_CALLER, "the name of the directory is too long");
	memcpy(order.cwd, job->cwd, strlen(job->cwd) + 1);
	*e = (struct exec){.state = EXEC_STARTING,
			   .number = ++s->session->numbers,
			   .asked_us = clock_us(),
			   .cpu_ms = order.limits.cpu_ms};
	order.exec = e->number;
	if (slot_send_run(s, &order, job->io, job->words, job->more, err) < 0) {
		slot_lose(s, err);
		*e = (struct exec){0};
		return -1;
	}
	if (await_start(s, e, err) < 0)
		return -1;
	if (job->wall_ms && job->wall_ms < 1ULL << 40) /* more is as long as the box */
		e->deadline_us = e->start_us + job->wall_ms * 1000;
	*ret_exec = e->number;
	return 0;
}

/* A number that is given again is another namespace's: then nothing of the old one lives. */
static void remember_mark(struct session *session, const struct exec *e)
{
	for (size_t i = 0; i < MARKS_MAX; i++)
		if (session->marks[i].mark == e->mark)
			session->marks[i] = (struct mark){0};
	session->marks[session->n_marks++ % MARKS_MAX] = (struct mark){e->number, e->mark};
}

static uint64_t mark_of(const struct slot *s, uint64_t number)
{
	for (size_t i = 0; number && i < MARKS_MAX; i++)
		if (s->session->marks[i].number == number)
			return s->session->marks[i].mark;
	return 0;
}

uint64_t session_owner(const struct slot *s, uint64_t mark)
{
	for (size_t i = 0; mark && i < MARKS_MAX; i++)
		if (s->session->marks[i].mark == mark)
			return s->session->marks[i].number;
	return 0;
}

/* Does it have less than the whole box?  An interpreter has not: its snippets are counted each. */
static bool is_limited(const struct slot *s, const struct exec *e)
{
	return e->state == EXEC_RUNNING && e->cpu_ms < s->watch.limits.cpu_ms;
}

static uint64_t count_limited(const struct slot *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < KEPT_EXECS_MAX; i++)
		n += is_limited(s, &s->session->execs[i]);
	return n;
}

/* Processor time of those who are gone and whom none of the living has waited for: it is in the
 * group's sum, and in nobody's count.  Who has ended this moment may be among it for a moment. */
static uint64_t used_by_orphans(const struct slot *s)
{
	const struct usage *spent = &s->session->spent;
	uint64_t all, known;

	if (!s->watch.group_open || s->proc < 0 || cgroup_cpu_us(&s->watch.group, &all) < 0)
		return 0;
	known = proctable_all_cpu_us(s->proc) + spent->cpu_user_us + spent->cpu_system_us;
	return all > known ? all - known : 0;
}

/* Programs side by side bear it together; none bears what was there before it. */
static uint64_t share_of_orphans(const struct slot *s, const struct exec *e, uint64_t orphans_us)
{
	uint64_t more = orphans_us > e->orphans_us ? orphans_us - e->orphans_us : 0;
	uint64_t n = count_limited(s);

	more = n > 1 ? more / n : more;
	return more > ORPHANS_LEAST_US ? more : 0;
}

/* It has ended, and what it let others use is in no count of its own. */
static void charge_orphans(struct slot *s, struct exec *e)
{
	uint64_t now = used_by_orphans(s), share;

	/* Beside others who may have ended just now, what was seen before is surer. */
	if (count_limited(s) > 1 && s->session->orphans_us < now)
		now = s->session->orphans_us;
	share = share_of_orphans(s, e, now);
	e->outcome.usage.cpu_user_us += share;
	for (size_t i = 0; share && i < KEPT_EXECS_MAX; i++)
		if (is_limited(s, &s->session->execs[i]))
			s->session->execs[i].orphans_us += share;
}

static void take_start(struct slot *s, struct exec *e, const struct to_warden *news)
{
	uint64_t now = clock_us();

	/* The launcher's clock is ours; its word is not to move a deadline into the future. */
	e->start_us = news->start_us > now || news->start_us < e->asked_us ? now : news->start_us;
	e->mark = news->mark;
	e->outcome.start = news->start;
	e->state = EXEC_RUNNING;
	e->outcome.setup_us = e->start_us - e->asked_us;
	memcpy(e->outcome.layers, s->outcome.layers, sizeof(e->outcome.layers));
	if (e->mark)
		remember_mark(s->session, e);
	if (is_limited(s, e))
		e->orphans_us = used_by_orphans(s);
}

static void take_no_start(struct exec *e, const struct to_warden *news)
{
	e->state = EXEC_ENDED;
	e->outcome.end = END_NOT_STARTED;
	e->outcome.error = news->error;
}

static enum kill_reason cause(struct slot *s, const struct exec *e)
{
	const struct outcome *o = &e->outcome;

	if (o->end != END_SIGNALLED)
		return KILL_NONE;
	if (o->signal == SIGKILL && e->killed_for != KILL_NONE)
		return e->killed_for;
	if (o->signal == SIGKILL && s->watch.killed_for != KILL_NONE)
		return s->watch.killed_for;
	/* The kernel took one for memory: the rest of the box follows at the next look. */
	if (o->signal == SIGKILL && watch_oom(&s->watch))
		return KILL_MEMORY;
	return watch_cause(&s->watch, e->cpu_ms, o);
}

static void take_end(struct slot *s, struct exec *e, const struct to_warden *news)
{
	struct usage *spent = &s->session->spent;
	struct outcome *o = &e->outcome;
	bool exited = news->end_code == CLD_EXITED;

	o->end = exited ? END_EXITED : END_SIGNALLED;
	o->exit_code = exited ? news->end_status : 0;
	o->signal = exited ? 0 : news->end_status;
	o->run_us = news->end_us > e->start_us ? news->end_us - e->start_us : 0;
	watch_rusage(&s->watch, &news->rusage, o);
	o->killed_for = cause(s, e);
	spent->cpu_user_us += o->usage.cpu_user_us;
	spent->cpu_system_us += o->usage.cpu_system_us;
	spent->minor_faults += o->usage.minor_faults;
	spent->major_faults += o->usage.major_faults;
	spent->read_bytes += o->usage.read_bytes;
	spent->write_bytes += o->usage.write_bytes;
	if (o->usage.memory_peak_bytes > spent->memory_peak_bytes)
		spent->memory_peak_bytes = o->usage.memory_peak_bytes;
	if (is_limited(s, e))
		charge_orphans(s, e);
	e->state = EXEC_ENDED;
}

/* A launcher that speaks of what is not there has lost its senses, or was taken over. */
static void distrust(struct slot *s, const struct to_warden *news)
{
	struct error err;

	(void)fail(&err, ERR_INTERNAL, "the launcher said %d", (int)news->news);
	slot_lose(s, &err);
}

void session_news(struct slot *s, const struct to_warden *news)
{
	struct exec *e = s->phase == PHASE_KEPT ? find(s, news->exec) : NULL;

	/* A launcher that was taken over must not have us hunt the host's processes. */
	if (e && e->state == EXEC_STARTING && news->news == NEWS_EXEC &&
	    (news->mark == 0 || news->mark != s->session->own_mark))
		take_start(s, e, news);
	else if (e && e->state == EXEC_STARTING && news->news == NEWS_NO_EXEC)
		take_no_start(e, news);
	else if (e && e->state == EXEC_RUNNING && news->news == NEWS_EXEC_END)
		take_end(s, e, news);
	else
		distrust(s, news);
}

bool session_next(struct slot *s, uint64_t *ret_exec, struct outcome *ret)
{
	for (size_t i = 0; s->session && i < KEPT_EXECS_MAX; i++) {
		struct exec *e = &s->session->execs[i];

		if (e->state != EXEC_ENDED)
			continue;
		*ret_exec = e->number;
		*ret = e->outcome;
		*e = (struct exec){0};
		return true;
	}
	return false;
}

/* The launcher has told every program's end before. */
void session_over(struct slot *s, const struct to_warden *news)
{
	struct error err;

	(void)fail(&err, ERR_INTERNAL, "the box ended before its programs");
	session_lose(s, &err);
	s->outcome.usage = s->session->spent;
	s->outcome.run_us = clock_us() - s->watch.start_us;
	if (news->error.kind != ERR_NONE || s->watch.killed_for == KILL_NONE) {
		s->outcome.error = news->error;
		slot_end_call(s, END_UNKNOWN);
		return;
	}
	s->outcome.signal = SIGKILL;
	slot_end_call(s, END_SIGNALLED);
}

void session_lose(struct slot *s, const struct error *err)
{
	for (size_t i = 0; i < KEPT_EXECS_MAX; i++) {
		struct exec *e = &s->session->execs[i];

		if (e->state != EXEC_STARTING && e->state != EXEC_RUNNING)
			continue;
		e->outcome.end = e->state == EXEC_RUNNING ? END_UNKNOWN : END_NOT_STARTED;
		e->outcome.error = *err;
		e->state = EXEC_ENDED;
	}
}

int session_signal(struct slot *s, uint64_t exec, int signal, bool group, struct error *err)
{
	const struct to_launcher order = {
		.order = ORDER_SIGNAL, .exec = exec, .signal = signal, .group = group};
	const struct exec *e;

	if (check_alive(s, err) < 0)
		return -1;
	if (signal < 1 || signal > SIGRTMAX)
		return fail(err, ERR_CALLER, "there is no signal %d", signal);
	e = find(s, exec);
	if (!e || e->state != EXEC_RUNNING)
		return fail(err, ERR_NOT_FOUND, "no such program runs in the box");
	return fd_send(s->socket, &order, sizeof(order), NULL, 0, err);
}

/* Passes over the box's processes until two in a row find nobody: numbers wrap, and one that
 * forks all the time could be born behind our back.  A process that has been sent SIGKILL forks no
 * more, so what is left after a pass was born during it; whoever keeps that up meets a limit of no
 * process at all for the moment. */
static int hunt(struct slot *s, uint64_t mark, struct error *err)
{
	uint64_t until = clock_us() + STOP_MS * 1000ULL;
	bool barred = false;
	struct error ignored;
	int found, clean = 0;

	for (int pass = 0;; pass++) {
		found = proctable_kill(s->proc, mark, err);
		clean = found ? 0 : clean + 1;
		if (found < 0 || clean == 2)
			break;
		if (clean)
			continue;
		if (pass >= PASSES_QUIET && !barred)
			barred = cgroup_limit_processes(&s->watch.group, 0, &ignored) == 0;
		if (clock_us() >= until) {
			found = fail(err, ERR_SYSTEM, "what the program started did not end");
			break;
		}
		if (pass)
			(void)poll(NULL, 0, PASS_MS);
	}
	if (barred && cgroup_limit_processes(&s->watch.group, s->watch.limits.processes, err) < 0)
		return -1;
	return found;
}

int session_stop(struct slot *s, uint64_t exec, enum kill_reason reason, struct error *err)
{
	struct exec *e;
	uint64_t mark;

	if (check_alive(s, err) < 0)
		return -1;
	e = find(s, exec);
	/* One that runs may have begun before more others than are remembered. */
	mark = e && e->mark ? e->mark : mark_of(s, exec);
	if (!e && !mark)
		return fail(err, ERR_NOT_FOUND, "no such program is known in the box");
	if (e && e->killed_for == KILL_NONE)
		e->killed_for = reason;
	if (hunt(s, mark, err) == 0)
		return 0;
	/* Better no box than one in which something lives that was to die. */
	slot_kill(s, reason);
	return 0;
}

int session_extend(struct slot *s, uint64_t wall_ms, uint64_t most_ms, struct error *err)
{
	struct limits limits = s->watch.limits;
	uint64_t had_ms = (clock_us() - s->watch.start_us) / 1000;

	if (check_alive(s, err) < 0)
		return -1;
	limits.wall_ms = wall_ms;
	if (limits_check(&limits, err) < 0)
		return -1;
	s->watch.limits.wall_ms = had_ms + wall_ms < most_ms ? had_ms + wall_ms : most_ms;
	return 0;
}

void session_usage(struct slot *s, struct usage *ret)
{
	*ret = s->session->spent;
	watch_now(&s->watch, s->work, ret);
}

uint64_t session_room(struct slot *s)
{
	return watch_room(&s->watch, s->work);
}

int session_cpu_counter(const struct slot *s)
{
	return s->watch.group_open ? cgroup_cpu_counter(&s->watch.group) : -1;
}

void session_layers(const struct slot *s, struct layer_report ret[static LAYER_COUNT])
{
	memcpy(ret, s->outcome.layers, sizeof(s->outcome.layers));
}

uint64_t session_next_us(const struct slot *s, uint64_t next)
{
	for (size_t i = 0; i < KEPT_EXECS_MAX; i++) {
		const struct exec *e = &s->session->execs[i];

		if (e->state == EXEC_RUNNING && e->deadline_us && e->deadline_us < next)
			next = e->deadline_us;
	}
	return next;
}

/* With what its orphans used it counts only the second time: see used_by_orphans(). */
static bool cpu_is_over(const struct slot *s, struct exec *e)
{
	uint64_t used = is_limited(s, e) ? proctable_cpu_us(s->proc, e->mark) : 0;
	uint64_t more = is_limited(s, e) ? share_of_orphans(s, e, s->session->orphans_us) : 0;
	bool was = e->over;

	e->over = is_limited(s, e) && used + more >= e->cpu_ms * 1000;
	return e->over && (was || used >= e->cpu_ms * 1000);
}

void session_look(struct slot *s, uint64_t now)
{
	bool look = now >= s->session->cpu_next_us;
	struct error ignored;

	if (look) {
		s->session->cpu_next_us = now + CPU_LOOK_US;
		s->session->orphans_us = count_limited(s) ? used_by_orphans(s) : 0;
	}
	for (size_t i = 0; i < KEPT_EXECS_MAX && !s->kill_sent; i++) {
		struct exec *e = &s->session->execs[i];

		if (e->state != EXEC_RUNNING || e->killed_for != KILL_NONE)
			continue;
		if (e->deadline_us && now >= e->deadline_us)
			(void)session_stop(s, e->number, KILL_WALL, &ignored);
		else if (look && cpu_is_over(s, e))
			(void)session_stop(s, e->number, KILL_CPU, &ignored);
	}
}
