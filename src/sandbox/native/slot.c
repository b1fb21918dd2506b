/* SPDX-License-Identifier: Apache-2.0 */
/* slot.c - the warden's side of a slot: builds it, starts calls in it, takes it down.
 *
 * The warden never waits for a launcher on the path of a call: orders are sent
 * ahead, news are taken when they come.  What the program does with its time
 * and space is watched in watch.c.
 */
#include "sandbox/native/slot.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "call/limits.h"
#include "call/pack.h"
#include "sandbox/native/closeby.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/shelf.h"
#include "sandbox/native/slot_state.h"
#include "sandbox/native/spread.h"
#include "sandbox/native/turns.h"
#include "sandbox/native/wire.h"

static void slot_init(struct slot *s, const struct profile *profile, const struct limits *limits)
{
	s->profile = *profile;
	s->plan = (struct plan){.profile = &s->profile,
				.socket = -1,
				.lock = -1,
				.init_program = -1,
				.board_fd = -1,
				.devices = -1,
				.root = -1,
				.etc = -1,
				.first = *limits};
	for (size_t i = 0; i < GRANTS_MAX; i++)
		s->plan.grants[i] = -1;
	s->lock = s->socket = s->launcher_fd = s->work = s->proc = -1;
	s->box_limits = *limits;
	s->asked_us = clock_us();
	s->give_up_us = s->asked_us + SETUP_MS * 1000ULL;
	watch_init(&s->watch);
}

int slot_open(const struct profile *profile, const struct limits *limits, enum slot_use use,
	      struct slot **ret, struct error *err)
{
	struct slot *s = pages_new(sizeof(*s));

	if (!s)
		return fail_sys(err, "allocate a slot");
	slot_init(s, profile, limits);
	s->resident = use == SLOT_RESIDENT;
	s->plan.once = !s->resident;
	s->plan.keeps = use != SLOT_ONCE;
	if (slot_build(s, err) < 0) {
		slot_close(s);
		return -1;
	}
	slot_drop_plan(s); /* the launcher has its own now */
	*ret = s;
	return 0;
}

int slot_open_early(struct slot **ret, struct error *err)
{
	static const struct profile listed = {.programs = {""}, .n_programs = 1};
	struct limits limits;
	struct slot *s = pages_new(sizeof(*s));

	if (!s)
		return fail_sys(err, "allocate a slot");
	limits_default(&limits);
	slot_init(s, &listed, &limits);
	s->plan.once = s->plan.eager = true;
	if (slot_build_early(s, err) < 0) {
		slot_close(s);
		return -1;
	}
	slot_drop_plan(s);
	*ret = s;
	return 0;
}

bool slot_suits(struct slot *s, const struct profile *p)
{
	(void)slot_step(s); /* it may have died meanwhile */
	return !s->dead && p->n_programs > 0 && !p->root && p->n_grants == 0 && !p->cgroup &&
	       !p->loopback && !p->proc_full && p->allow_degraded == 0 && p->warm.kind == WARM_NOT;
}

int slot_open_rest(struct slot *s, const struct profile *profile, const struct limits *limits,
		   struct error *err)
{
	s->profile = *profile;
	s->plan.first = s->box_limits = *limits;
	s->asked_us = clock_us();
	s->give_up_us = s->asked_us + SETUP_MS * 1000ULL;
	return slot_build_rest(s, err);
}

static bool is_busy(const struct slot *s)
{
	return s->phase == PHASE_STARTING || s->phase == PHASE_RUNNING || s->phase == PHASE_KEPT;
}

void slot_sweep(struct slot *s)
{
	if (s->groups_open && !s->swept)
		(void)cgroup_sweep(&s->host);
	s->swept = true;
}

/* Everything in the slot dies with its launcher, which is pid 1 there.  One that does not die in
 * time waits in the kernel for something; then its uid is never used again by us. */
bool slot_end_launcher(struct slot *s, int wait_ms)
{
	struct pollfd fd = {.fd = s->launcher_fd, .events = POLLIN};

	if (s->launcher <= 0)
		return true;
	s->dead = true;
	(void)pidfd_send_signal(s->launcher_fd, SIGKILL, NULL, 0);
	/* For the case that the signal cannot be sent: it takes this for our end. */
	(void)shutdown(s->socket, SHUT_RDWR);
	stay_awake(s->launcher_fd);
	if (poll(&fd, 1, wait_ms) <= 0)
		return false;
	while (waitpid(s->launcher, NULL, 0) < 0 && errno == EINTR)
		;
	s->launcher = 0;
	return true;
}

void slot_close(struct slot *s)
{
	struct error ignored = {0};

	if (!s)
		return;
	if (s->launcher > 0)
		(void)pidfd_send_signal(s->launcher_fd, SIGKILL, NULL, 0);
	/* Our groups are cleared away while the launcher dies. */
	if (!is_busy(s))
		watch_close(&s->watch);
	slot_sweep(s);
	(void)slot_end_launcher(s, KILL_MS);
	watch_close(&s->watch);
	if (s->groups_open)
		(void)cgroup_slot_close(&s->groups, &ignored);
	if (s->only)
		return;
	slot_drop_plan(s);
	needed_list_done(&s->plan.needed);
	own_fd_end(&s->launcher_fd);
	own_fd_end(&s->work);
	own_fd_end(&s->proc);
	own_fd_end(&s->socket);
	session_drop(s);
	if (s->launcher <= 0) /* else the number stays taken for as long as we live */
		own_fd_end(&s->lock);
	shelf_free(s->plan.shelf);
	if (s->board)
		(void)munmap(s->board, sizeof(*s->board));
	pages_free(s, sizeof(*s));
}

void slot_is_only(struct slot *s)
{
	s->only = true;
}

void slot_end(struct slot **slot)
{
	slot_close(*slot);
}

int slot_fd(const struct slot *s)
{
	return s->socket;
}

bool slot_is_usable(const struct slot *s)
{
	return !s->dead;
}

/* Two processes of the set-up that fail at once share one place for their words, and may leave
 * none: a refusal has words nevertheless. */
static void name_silence(struct error *err)
{
	if (err->text[0])
		return;
	(void)fail(err, err->kind ? err->kind : ERR_SYSTEM,
		   "the box could not be made: a part of it ended before it could say why");
}

void slot_end_call(struct slot *s, enum end end)
{
	if (end == END_NOT_STARTED)
		name_silence(&s->outcome.error);
	s->outcome.end = end;
	s->phase = PHASE_ENDED;
	watch_finish(&s->watch, s->work, &s->outcome);
}

int slot_work(const struct slot *s)
{
	return s->work;
}

int slot_proc(const struct slot *s)
{
	return s->proc;
}

bool slot_is_ending(const struct slot *s)
{
	return s->phase != PHASE_KEPT || s->kill_sent || watch_oom(&s->watch);
}

bool slot_has_ended(const struct slot *s)
{
	return s->phase == PHASE_ENDED;
}

/* A launcher that gives up says why before it goes; our own error is only what follows from it. */
static void hear_last_words(struct slot *s, struct error *err)
{
	struct pollfd fd = {.fd = s->socket, .events = POLLIN};
	struct error ignored = {0};
	struct to_warden news;

	while (poll(&fd, 1, 0) > 0 &&
	       fd_receive(s->socket, &news, sizeof(news), NULL, NULL, &ignored) > 0) {
		news.error.text[sizeof(news.error.text) - 1] = '\0';
		if (news.news == NEWS_FAILED)
			*err = news.error;
	}
	name_silence(err);
}

/* Everything in the slot is dead.  One that was let in and that nobody has seen begin wrote down on
 * its way that it was about to, and what kept it from that, if something did. */
static bool may_have_run(const struct slot *s)
{
	if (s->phase == PHASE_STARTING)
		return s->board->start_us != 0 && s->board->error.kind == ERR_NONE;
	return s->phase == PHASE_RUNNING || s->phase == PHASE_KEPT;
}

void slot_lose(struct slot *s, struct error *err)
{
	bool ran;

	(void)slot_end_launcher(s, KILL_MS);
	ran = may_have_run(s);
	hear_last_words(s, err);
	s->outcome.error = *err;
	if (s->phase == PHASE_IDLE || s->phase == PHASE_ENDED)
		return;
	if (s->phase == PHASE_KEPT)
		session_lose(s, err);
	slot_end_call(s, ran ? END_UNKNOWN : END_NOT_STARTED);
}

bool slot_take_one(struct slot *s, int wait_ms)
{
	struct pollfd fd = {.fd = s->socket, .events = POLLIN};
	struct error err = {0};
	struct to_warden news;
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n;

	if (s->dead || poll(&fd, 1, wait_ms) <= 0)
		return false;
	n = fd_receive(s->socket, &news, sizeof(news), fds, &n_fds, &err);
	if (n <= 0) {
		if (n == 0)
			(void)fail(&err, ERR_INTERNAL, "the launcher died");
		slot_lose(s, &err);
		return true;
	}
	slot_take_news(s, &news, fds, n_fds);
	for (size_t i = 0; i < n_fds; i++)
		own_fd_end(&fds[i]);
	return true;
}

static bool same_box(const struct limits *a, const struct limits *b)
{
	return a->disk_bytes == b->disk_bytes && a->inodes == b->inodes;
}

/* What it dies of, if it dies, is in the outcome's error. */
int slot_wait_until(struct slot *s, const bool *done, struct error *err)
{
	while (!*done && !s->dead)
		if (!slot_take_one(s, SETUP_MS))
			return fail(err, ERR_SYSTEM, "no box after %d s", SETUP_MS / 1000);
	if (*done && !s->dead)
		return 0;
	*err = s->outcome.error;
	return err->kind == ERR_NONE ? fail(err, ERR_INTERNAL, "the launcher died") : -1;
}

int slot_want_box(struct slot *s, const struct limits *limits, struct error *err)
{
	const struct to_launcher order = {.order = ORDER_BOX, .limits = *limits};

	if (same_box(limits, &s->box_limits))
		return 0;
	/* The answer to the first request must not pass for the answer to this one. */
	if (slot_wait_until(s, &s->box_waits, err) < 0)
		return -1;
	s->box_waits = false;
	s->box_limits = *limits;
	return fd_send(s->socket, &order, sizeof(order), NULL, 0, err);
}

int slot_box(struct slot *s, const struct limits *limits, int *ret_work, struct error *err)
{
	if (limits_check(limits, err) < 0 || slot_leave_ahead(s, limits, err) < 0 ||
	    slot_want_box(s, limits, err) < 0)
		return -1;
	if (slot_wait_until(s, &s->box_waits, err) < 0)
		return -1;
	*ret_work = s->work;
	return 0;
}

/* It has said that it will, and is about to.  One that runs while it is called elsewhere must be
 * stopped for that, which takes both of us 60 us. */
static void let_fall_asleep(void)
{
	enum { ABOUT_US = 5 };
	uint64_t until = clock_us() + ABOUT_US;

	while (clock_us() < until)
		(void)sched_yield();
}

/* The launcher makes the network namespace now, beside the box: on the processor that we leave.
 * Where it is not that far, the program would begin there, and we would go on on another, which
 * takes longer than to wait for it. */
static void leave_processor(struct slot *s)
{
	uint32_t *turn = &s->board->turn;

	if (plan_is_single(&s->plan) && !s->plan.eager) /* nobody else takes turns */
		stay_awake_for(turn);
	if (__atomic_exchange_n(turn, TURN_ORDERED, __ATOMIC_ACQ_REL) == TURN_READY) {
		let_fall_asleep();
		spread_here(s->launcher, &s->plan.cpus);
	}
}

int slot_send_run(struct slot *s, struct to_launcher *order, const int io[3], int words, int more,
		  struct error *err)
{
	int fds[RUN_FDS_MAX] = {io[0], io[1], io[2], words};
	size_t n = RUN_DOORS;

	order->another = s->resident;
	order->memory_by_rlimit = s->board->layers[LAYER_MEMORY].state != LAYER_FULL;
	n += slot_add_doors(&s->watch.group, order, fds + n);
	order->more = more >= 0;
	if (more >= 0)
		fds[n++] = more;
	__atomic_store_n(&s->board->leave, s->before ? 0 : 1, __ATOMIC_RELEASE);
	if (s->board->room)
		leave_processor(s);
	if (order->beside) /* not before: only with the order it learns that it was called */
		closeby_call(s->launcher, &s->plan.cpus);
	if (fd_send(s->socket, order, sizeof(*order), fds, n, err) == 0)
		return 0;
	hear_last_words(s, err);
	return -1;
}

void slot_ask_before(struct slot *s, int (*before)(void *context, struct error *err), void *context)
{
	s->before = before;
	s->context = context;
}

/* It seals itself meanwhile, and begins only with our leave.  Refused, it is killed. */
static int give_leave(struct slot *s, struct error *err)
{
	if (!s->before)
		return 0;
	if (s->before(s->context, err) < 0) {
		(void)slot_end_launcher(s, KILL_MS);
		return -1;
	}
	raw_post(&s->board->leave, 1);
	return 0;
}

/* What is in the box's files now is not the program's, and where it ends at once nobody looks
 * before its end. */
static int open_watch(struct slot *s, const struct limits *limits, struct error *err)
{
	if (watch_open(&s->watch, &s->groups, limits, s->ahead, err) < 0)
		return -1;
	if (s->box_waits)
		watch_note_files(&s->watch, s->work);
	return 0;
}

int slot_start_words(struct slot *s, const struct limits *limits, const int io[3], int words,
		     struct error *err)
{
	struct to_launcher order = {.order = ORDER_RUN, .limits = *limits};

	if (s->dead || s->phase != PHASE_IDLE)
		return fail(err, ERR_INTERNAL, "the slot is %s", s->dead ? "dead" : "busy");
	if (limits_check(limits, err) < 0 || slot_leave_ahead(s, limits, err) < 0 ||
	    slot_want_box(s, limits, err) < 0)
		return -1;
	if (s->calls++ || s->box_waits) /* the first call may wait for the slot as well */
		s->asked_us = clock_us();
	s->give_up_us = clock_us() + SETUP_MS * 1000ULL;
	s->outcome = (struct outcome){0};
	s->kill_sent = s->ending = false;
	memcpy(s->outcome.layers, s->board->layers, sizeof(s->outcome.layers));
	s->board->start_us = 0;
	order.beside = s->ahead && s->beside;
	/* Making the groups and making the slot go on at the same time. */
	if (open_watch(s, limits, err) < 0 || slot_wait_until(s, &s->mapped, err) < 0 ||
	    slot_send_run(s, &order, io, words, -1, err) < 0 || give_leave(s, err) < 0) {
		watch_close(&s->watch);
		return -1;
	}
	if (s->board->layers[LAYER_MEMORY].state != LAYER_FULL)
		s->watch.family = s->launcher;
	s->phase = PHASE_STARTING;
	s->box_waits = s->ahead = false;
	return 0;
}

int slot_start(struct slot *s, const struct job *job, const int io[3], struct error *err)
{
	own_fd words = -1;

	if (!job->argv || !job->argv[0])
		return fail(err, ERR_CALLER, "there is no program to run");
	words = pack_words_fd(job->argv, job->env, err);
	return words < 0 ? -1 : slot_start_words(s, &job->limits, io, words, err);
}

void slot_kill(struct slot *s, enum kill_reason reason)
{
	const struct to_launcher order = {.order = ORDER_KILL};
	struct error err = {0};

	if (!is_busy(s))
		return;
	if (s->watch.killed_for == KILL_NONE)
		s->watch.killed_for = reason;
	if (s->kill_sent)
		return;
	s->kill_sent = true;
	s->give_up_us = clock_us() + KILL_MS * 1000ULL;
	/* A launcher that hears nothing any more has told how the call ended, or will not: what it
	 * said is still to be read, and its end is seen there. */
	(void)fd_send(s->socket, &order, sizeof(order), NULL, 0, &err);
}

/* The launcher obeys in turn: one that comes before the start is for the program, too. */
void slot_signal(struct slot *s, int signal)
{
	const struct to_launcher order = {.order = ORDER_SIGNAL, .signal = signal};
	struct error err = {0};

	if (!is_busy(s) || s->phase == PHASE_KEPT || s->kill_sent || signal < 1 ||
	    signal > SIGRTMAX)
		return;
	(void)fd_send(s->socket, &order, sizeof(order), NULL, 0, &err);
}

int slot_wait_ms(const struct slot *s)
{
	uint64_t now = clock_us(), next = s->give_up_us;

	if (!is_busy(s))
		return -1;
	if (s->phase != PHASE_STARTING && !s->kill_sent && (next == 0 || s->watch.next_us < next))
		next = s->watch.next_us;
	if (s->phase == PHASE_KEPT && !s->kill_sent)
		next = session_next_us(s, next);
	if (next <= now)
		return 0;
	return (int)((next - now + 999) / 1000);
}

uint64_t slot_awake_us(const struct slot *s)
{
	enum { SHORT_US = 1500 }; /* such a program ends before a longer one would notice */

	if (s->phase != PHASE_RUNNING || !plan_is_single(&s->plan) || !s->board->room)
		return 0;
	return s->watch.start_us + SHORT_US;
}

static void keep_deadlines(struct slot *s)
{
	uint64_t now = clock_us();
	struct error err = {0};
	enum kill_reason reason;

	if (s->give_up_us && now >= s->give_up_us) {
		(void)fail(&err, ERR_SYSTEM, "%s within %d s; the slot is closed",
			   s->kill_sent ? "what was killed did not end" : "nothing started",
			   (s->kill_sent ? KILL_MS : SETUP_MS) / 1000);
		slot_lose(s, &err);
		return;
	}
	if (s->phase == PHASE_STARTING || s->kill_sent)
		return;
	reason = watch_look(&s->watch, now, s->work);
	if (reason != KILL_NONE)
		slot_kill(s, reason);
	else if (s->phase == PHASE_KEPT)
		session_look(s, now);
}

bool slot_step(struct slot *s)
{
	while (s->phase != PHASE_ENDED && slot_take_one(s, 0))
		;
	if (is_busy(s))
		keep_deadlines(s);
	return s->phase == PHASE_ENDED || s->phase == PHASE_IDLE;
}

void slot_finish(struct slot *s, struct outcome *ret, int *ret_work)
{
	*ret = s->outcome;
	if (ret_work)
		*ret_work = take_fd(&s->work);
	s->phase = PHASE_IDLE;
}

void slot_turns_as_ever(struct slot *s)
{
	if (s->later)
		turns_as_ever();
	s->later = false;
}

void slot_was_called(struct slot *s)
{
	s->called = true;
}

void slot_part(struct slot *s)
{
	if (s->called)
		closeby_free(&s->plan.cpus);
	s->called = false;
}

void slot_expect_alone(struct slot *s, bool alone)
{
	if (s->phase != PHASE_IDLE || s->dead)
		return;
	s->beside = alone && s->resident && s->profile.warm.kind == WARM_NOT;
	if (!s->beside)
		slot_turns_as_ever(s);
	else
		s->later = s->later || turns_later();
}

void slot_prepare(struct slot *s)
{
	if (s->phase != PHASE_IDLE || s->dead)
		return;
	watch_prepare(&s->watch, &s->groups, s->calls ? &s->watch.limits : &s->plan.first);
	watch_ready_next(&s->watch);
	slot_order_ahead(s);
}
