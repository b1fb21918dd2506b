/* SPDX-License-Identifier: Apache-2.0 */
/* launcher.c - the process that lives in a slot and makes boxes there.
 *
 * It is pid 1 of the slot's pid namespace: when it dies, so does everything
 * beneath it.  When it has come into its slot (launcher_enter.c), it makes a box
 * and waits for orders.  It holds no right over anything outside its slot.
 */
#include "sandbox/native/launcher.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "sandbox/native/ahead.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/closeby.h"
#include "sandbox/native/foresee.h"
#include "sandbox/native/launcher_state.h"
#include "sandbox/native/letgo.h"
#include "sandbox/native/overdue.h"
#include "sandbox/native/single.h"
#include "sandbox/native/turns.h"
#include "sandbox/native/zygote.h"

int launcher_tell(struct launcher *l, struct to_warden *news, const int *fds, size_t n_fds)
{
	struct error err = {0};

	memcpy(news->layers, l->board->layers, sizeof(news->layers));
	return fd_send(l->plan->socket, news, sizeof(*news), fds, n_fds, &err);
}

void launcher_give_up(struct launcher *l, const struct error *err)
{
	struct to_warden news = {.news = NEWS_FAILED, .error = *err};

	(void)launcher_tell(l, &news, NULL, 0);
	_exit(1);
}

static int tell_box(struct launcher *l, struct to_warden *news)
{
	const int fds[BOX_FDS] = {[BOX_WORK] = l->box.work, [BOX_PROC] = l->box.proc};

	return launcher_tell(l, news, fds, l->box.proc < 0 ? 1 : BOX_FDS);
}

static int offer_box(struct launcher *l, const struct limits *limits, struct error *err)
{
	struct to_warden news = {.news = NEWS_BOX};

	if (box_make(&l->box, l->plan, limits, l->board, err) < 0)
		return -1;
	if (tell_box(l, &news) < 0)
		_exit(1);
	return 0;
}

/* The only box is there before its order.  Otherwise these news come with the start. */
__attribute__((noinline)) static void offer_built(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_BOX};
	struct error err = {0};

	if (box_await(&l->box, &err) < 0)
		launcher_give_up(l, &err);
	l->untold = false;
	if (tell_box(l, &news) < 0)
		_exit(1);
}

void launcher_fill(struct launcher *l, const struct to_launcher *order, const int *fds,
		   struct payload *ret)
{
	const int *doors = fds + (order->v2_door ? RUN_DOORS + 1 : RUN_DOORS);

	*ret = (struct payload){
		.last = !order->another && !l->kept,
		.seal =
			{
				.root_mode = l->plan->root_mode,
				.marks = l->box.proc >= 0,
				.later = l->later,
				.pidfd = plan_is_single(l->plan) ? -1 : l->box.pidfd,
				.root = l->box.root,
				.rules = l->box.rules,
				.cpus = &l->plan->cpus,
				.limits = &order->limits,
				.board = l->board,
				.filter =
					order->memory_by_rlimit ? &l->filter_by_rlimit : &l->filter,
				.memory_by_rlimit = order->memory_by_rlimit,
				.cwd = l->kept ? order->cwd : NULL,
				.io = {fds[RUN_IN], fds[RUN_OUT], fds[RUN_ERR]},
				.door = -1,
				.library = -1,
				.more = order->more ? doors[order->n_doors] : -1,
				.v2_door = order->v2_door ? fds[RUN_DOORS] : -1,
				.n_doors = order->n_doors,
			},
	};
	for (size_t i = 0; i < order->n_doors; i++)
		ret->seal.doors[i] = doors[i];
}

/* It depends on them who runs it.  Another call is not to find them where they were. */
static int start_known(struct launcher *l, struct payload *p, int fd, pid_t *ret_pid,
		       struct error *err)
{
	own(words) words = {0};
	own(pages) more = {0};
	int result = words_read_few(fd, &l->room, &more, &words, err);

	if (result == 0) {
		p->words = &words;
		result = plan_is_single(l->plan) ? single_start(l, p, fd, ret_pid, err)
						 : ahead_start(l, p, fd, ret_pid, err);
		p->words = NULL;
	}
	if (!plan_is_single(l->plan))
		explicit_bzero(&l->room, sizeof(l->room));
	return result;
}

/* One way for every program, in a box of its own or in one that is kept. */
int launcher_start(struct launcher *l, const struct to_launcher *order, const int *fds,
		   pid_t *ret_pid, struct error *err)
{
	struct payload p;

	launcher_fill(l, order, fds, &p);
	return plan_is_single(l->plan) || l->plan->profile->warm.kind != WARM_NOT
		       ? start_known(l, &p, fds[RUN_WORDS], ret_pid, err)
		       : ahead_start(l, &p, fds[RUN_WORDS], ret_pid, err);
}

static int start_only(struct launcher *l, const struct to_launcher *order, const int *fds,
		      struct error *err)
{
	if (launcher_start(l, order, fds, &l->program, err) < 0)
		return -1;
	if (l->program_fd < 0)
		l->program_fd = pidfd_open(l->program, 0);
	if (l->program_fd >= 0)
		return 0;
	/* It may have begun: nobody is to hear that it did not.  Everything goes with us. */
	(void)fail_sys(err, "pidfd of the program");
	launcher_give_up(l, err);
}

bool launcher_fits_order(const struct to_launcher *order, size_t n_fds)
{
	return order->n_doors <= SEALING_DOORS && n_fds == RUN_DOORS + order->n_doors +
								   (order->v2_door ? 1 : 0) +
								   (order->more ? 1 : 0);
}

/* Whatever happened, there is no program and no box any more. */
bool launcher_clear_box(struct launcher *l)
{
	bool well;

	ahead_drop(l);
	ahead_forget_unseen(l);
	newborn_drop(&l->newborn);
	well = box_kill(&l->box);

	own_fd_end(&l->program_fd);
	l->program_fd = -1;
	l->program = 0;
	return well;
}

/* Used once: what we hold is taken down while the warden reads the counters.  Else the next box is
 * made in a moment, or with the next order: whoever passes the answer on needs the processor now.
 */
static void prepare_next(struct launcher *l)
{
	if (!l->another)
		_exit(0);
	l->box_due = true;
}

__attribute__((noinline)) static void make_due_box(struct launcher *l)
{
	struct error err = {0};

	if (!l->box_due)
		return;
	l->box_due = false;
	box_done(&l->box);
	if (offer_box(l, &l->next, &err) < 0)
		launcher_give_up(l, &err);
}

void launcher_part(struct launcher *l)
{
	if (l->beside)
		closeby_free(&l->plan->cpus);
	if (l->later)
		turns_as_ever();
	l->beside = l->later = false;
}

void launcher_bury(pid_t child)
{
	if (child <= 0)
		return;
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The box of a program that has ended.  In a slot that is used once the warden counts meanwhile. */
__attribute__((noinline)) static void clear_away(struct launcher *l)
{
	struct to_warden *news = &l->ending;

	if (!l->clear_due)
		return;
	l->clear_due = false;
	launcher_part(l);
	news->news = NEWS_ENDED;
	/* Nobody asked for it: then the program did not die of anything it did. */
	if (!launcher_clear_box(l) && !l->kill_ordered)
		(void)fail(&news->error, ERR_SYSTEM, "pid 1 of the box died");
	if (launcher_tell(l, news, NULL, 0) < 0)
		_exit(1);
	prepare_next(l);
}

/* No further box: the tree we stand in, the host's or a template, is let go of now, and the box's
 * when we are gone.  But at once if it has something in it that the caller may want to unmount. */
static void let_mounts_go(struct launcher *l)
{
	const struct profile *profile = l->plan->profile;
	int left =
		plan_is_single(l->plan) ? fchdir(l->box.root) : setns(l->box.mounts, CLONE_NEWNS);

	(void)left; /* else with us */
	if (profile->n_grants == 0 && !profile->root)
		letgo_at_exit(l->box.mounts);
}

static void close_all(int *fds, size_t n_fds)
{
	for (size_t i = 0; i < n_fds; i++) {
		own_fd_end(&fds[i]);
		fds[i] = -1;
	}
}

static void tell_start(struct launcher *l)
{
	struct to_warden news = {
		.news = NEWS_STARTED, .start_us = l->board->start_us, .start = l->start};

	if ((l->untold ? tell_box(l, &news) : launcher_tell(l, &news, NULL, 0)) < 0)
		_exit(1);
}

static void tell_no_start(struct launcher *l, const struct error *err)
{
	struct to_warden news = {.news = NEWS_NO_START, .error = *err};

	launcher_part(l);
	launcher_bury(l->program);
	(void)launcher_clear_box(l);
	if (launcher_tell(l, &news, NULL, 0) < 0)
		_exit(1);
	prepare_next(l);
}

static void run(struct launcher *l, const struct to_launcher *order, int *fds, size_t n_fds)
{
	struct error err = {0};

	if (!launcher_fits_order(order, n_fds) || !l->box.init || l->program || l->kept)
		(void)fail(&err, ERR_INTERNAL, "a run came with %zu descriptors or no box", n_fds);
	l->another = order->another;
	l->beside = order->beside;
	l->kill_ordered = false;
	overdue_begin(l, &order->limits);
	l->next = order->limits;
	if (err.kind != ERR_NONE || start_only(l, order, fds, &err) < 0) {
		tell_no_start(l, &err);
		return;
	}
	/* First: when the warden has heard of it, it needs the processor. */
	if (!l->another && l->box.mounts >= 0)
		let_mounts_go(l);
	close_all(fds, n_fds);
	if (ahead_is_unseen(l))
		return;
	launcher_part(l);
	tell_start(l);
	if (l->foresees)
		foresee_rest();
}

/* It has had its time without us. */
__attribute__((noinline)) static void see_begin(struct launcher *l)
{
	struct error err = {0};

	if (!ahead_is_unseen(l))
		return;
	launcher_part(l);
	if (ahead_see(l, &err) < 0)
		tell_no_start(l, &err);
	else
		tell_start(l);
}

/* Orders for between calls. */

static void fill_ahead(struct launcher *l, const struct to_launcher *order, const int *doors,
		       size_t n_fds)
{
	int fds[RUN_FDS_MAX] = {-1, -1, -1, -1};

	if (n_fds > RUN_FDS_MAX - RUN_DOORS || !launcher_fits_order(order, n_fds + RUN_DOORS))
		_exit(1);
	memcpy(fds + RUN_DOORS, doors, n_fds * sizeof(*doors));
	zygote_tend(l);
	if (ahead_is_outdone(l))
		ahead_drop(l);
	l->later = l->later || (order->beside && turns_later());
	ahead_fill(l, order, fds);
}

static void leave(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_LEFT};

	ahead_drop(l);
	if (launcher_tell(l, &news, NULL, 0) < 0)
		_exit(1);
}

static void kill_all(struct launcher *l)
{
	l->kill_ordered = true;
	if (l->kept)
		launcher_end_kept(l);
	/* One that crossed with the news of the end is not for the next box. */
	if (l->program && l->box.init)
		(void)pidfd_send_signal(l->box.pidfd, SIGKILL, NULL, 0);
}

/* Not inlined, like all that serve_orders calls: what is in their frames is not to lie on the stack
 * of a launcher that waits. */
__attribute__((noinline)) static void obey(struct launcher *l)
{
	struct error err = {0};
	struct to_launcher order;
	int fds[RUN_FDS_MAX];
	size_t n_fds = RUN_FDS_MAX;

	/* The warden is gone: so are we, and with us everything beneath. */
	if (fd_receive(l->plan->socket, &order, sizeof(order), fds, &n_fds, &err) <= 0)
		_exit(0);
	clear_away(l);
	if (order.order != ORDER_CLEAR) /* else the next box can wait */
		make_due_box(l);
	see_begin(l); /* orders are for a program that has begun, or will not */
	l->rests = false;
	switch (order.order) {
	case ORDER_RUN:
		run(l, &order, fds, n_fds);
		break;
	case ORDER_KILL:
		kill_all(l);
		break;
	case ORDER_KEEP:
		if (!l->box.init || l->program)
			_exit(1);
		launcher_part(l);
		l->kept = true;
		break;
	case ORDER_EXEC:
		launcher_run_beside(l, &order, fds, n_fds);
		break;
	case ORDER_SIGNAL:
		if (l->kept)
			execs_signal(&l->execs, order.exec, order.signal, order.group);
		else if (l->program_fd >= 0) /* else it has ended */
			(void)pidfd_send_signal(l->program_fd, order.signal, NULL, 0);
		break;
	case ORDER_BOX:
		if (l->plan->once || l->kept) /* its root is gone with the first */
			_exit(1);
		(void)launcher_clear_box(l);
		box_done(&l->box);
		if (offer_box(l, &order.limits, &err) < 0)
			launcher_give_up(l, &err);
		break;
	case ORDER_AHEAD:
		fill_ahead(l, &order, fds, n_fds);
		break;
	case ORDER_LEAVE:
		leave(l);
		break;
	case ORDER_CLEAR: /* it is done */
		break;
	case ORDER_NONE:
	case ORDER_MAPPED:
		_exit(1);
	}
	close_all(fds, n_fds);
}

static void take_off(struct timeval *t, uint64_t us)
{
	uint64_t now = (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;

	now = now > us ? now - us : 0;
	t->tv_sec = (time_t)(now / 1000000);
	t->tv_usec = (suseconds_t)(now % 1000000);
}

/* What it used before there was a call is not the call's. */
static void leave_out_waiting(const struct board *board, struct rusage *r)
{
	take_off(&r->ru_utime, board->used_user_us);
	take_off(&r->ru_stime, board->used_system_us);
}

__attribute__((noinline)) static void see_end(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_ENDING, .start_us = l->board->start_us};
	siginfo_t info = {0};
	struct error err = {0};

	/* Before it is waited for: its number is still its own. */
	if (ahead_is_unseen(l) && ahead_see_dead(l, &err) < 0) {
		tell_no_start(l, &err);
		return;
	}
	/* By number: libc's waitid has no rusage, and wait4 says less about the end. */
	if (syscall(SYS_waitid, P_PID, l->program, &info, WEXITED, &news.rusage) < 0)
		_exit(1);
	news.end_us = clock_us();
	leave_out_waiting(l->board, &news.rusage);
	news.start = ahead_start_seen(l);
	news.end_code = info.si_code;
	news.end_status = info.si_status;
	/* Everything in the box dies with us.  That it exited says that pid 1 was not dead: a kill
	 * would not. */
	if (plan_is_single(l->plan) && info.si_code == CLD_EXITED) {
		news.news = NEWS_LAST;
		(void)launcher_tell(l, &news, NULL, 0);
		_exit(0);
	}
	if (launcher_tell(l, &news, NULL, 0) < 0)
		_exit(1);
	l->ending = news;
	l->clear_due = true;
	/* Mostly it was the last one in its box, and the call is answered now.  Where no other call
	 * is about to come, what is left to do waits until whoever passes the answer on has had
	 * this processor. */
	if (!l->beside || info.si_code != CLD_EXITED || l->kill_ordered)
		clear_away(l);
}

/* Something better could wait for the next call now, if the warden says where. */
__attribute__((noinline)) static void offer_better(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_WARM};

	if (!l->kept && launcher_tell(l, &news, NULL, 0) < 0)
		_exit(1);
}

static void hear(struct launcher *l, struct zygote *z)
{
	if (zygote_hear(l, z))
		offer_better(l);
}

static int wait_ms(const struct launcher *l)
{
	enum { DUE_MS = 1, REST_MS = 2000 };

	if (l->box_due || l->clear_due)
		return DUE_MS;
	if (ahead_is_unseen(l))
		return AHEAD_UNSEEN_MS;
	return l->kept && !l->rests ? REST_MS : ahead_wait_ms(l);
}

/* One that has ended says so for as long as its descriptor is open. */
static int program_fd(const struct launcher *l)
{
	return l->clear_due ? -1 : l->program_fd;
}

/* Nobody has said anything for as long as wait_ms told. */
static void use_pause(struct launcher *l)
{
	clear_away(l);
	see_begin(l);
	make_due_box(l);
	launcher_rest(l);
}

__attribute__((noreturn)) static void serve_orders(struct launcher *l)
{
	enum { ORDERS, PROGRAM, ZYGOTE, YOUNG, BUILT, MAKER, EXECS };

	for (;;) {
		struct pollfd fds[EXECS + KEPT_EXECS_MAX + 1] = {
			[ORDERS] = {.fd = l->plan->socket, .events = POLLIN},
			[PROGRAM] = {.fd = program_fd(l), .events = POLLIN},
			[ZYGOTE] = {.fd = zygote_fd(&l->zygote), .events = POLLIN},
			[YOUNG] = {.fd = zygote_fd(&l->young), .events = POLLIN},
			[BUILT] = {.fd = l->box.ready, .events = POLLIN},
			[MAKER] = {.fd = l->box.maker ? l->box.pidfd : -1, .events = POLLIN}};
		size_t n_execs = l->execs.n, n = EXECS;
		int ready;

		for (size_t i = 0; i < n_execs; i++)
			fds[n++] = (struct pollfd){.fd = l->execs.list[i].fd, .events = POLLIN};
		if (l->kept)
			fds[n++] = (struct pollfd){.fd = l->box.pidfd, .events = POLLIN};
		ready = poll(fds, n, overdue_wait_ms(l, wait_ms(l)));
		if (ready < 0 && errno != EINTR)
			_exit(1);
		if (ready == 0)
			use_pause(l);
		overdue_end(l);
		if (ahead_grew_old(l))
			offer_better(l);
		if (fds[PROGRAM].revents)
			see_end(l);
		if (l->kept)
			launcher_look_after_kept(l, fds + EXECS, n_execs);
		if (fds[YOUNG].revents)
			hear(l, &l->young);
		else if (fds[ZYGOTE].revents)
			hear(l, &l->zygote);
		if (fds[ORDERS].revents)
			obey(l);
		else if (fds[BUILT].revents || fds[MAKER].revents)
			offer_built(l);
	}
}

void launcher_main(struct plan *plan, struct board *board)
{
	static struct launcher l; /* not on the stack: most of it is never touched */
	struct error err = {0};
	sigset_t all;

	l.plan = plan;
	l.board = board;
	l.program_fd = l.unseen = l.library = -1;
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	launcher_forget_environment();
	box_init(&l.box);
	ahead_init(&l.ahead);
	zygote_init(&l.zygote);
	zygote_init(&l.young);
	if (launcher_enter(&l, &err) < 0 ||
	    (plan_is_single(plan) ? single_begin(&l, &err) : offer_box(&l, &plan->first, &err)) <
		    0 ||
	    (!plan_is_single(plan) && launcher_enter_network(&l, &err) < 0))
		launcher_give_up(&l, &err);
	zygote_tend(&l);
	serve_orders(&l);
}
