/* SPDX-License-Identifier: Apache-2.0 */
/* launcher.c - the process that lives in a slot and makes boxes there.
 *
 * It is pid 1 of the slot's pid namespace: when it dies, so does everything
 * beneath it.  First it gives up what it does not need (the host's root, the
 * caller's environment and descriptors, the host's tree), then it makes a box
 * and waits for orders.  It holds no right over anything outside its slot.
 */
#include "sandbox/native/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "sandbox/native/box.h"
#include "sandbox/native/execs.h"
#include "sandbox/native/filterready.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/letgo.h"
#include "sandbox/native/loopback.h"
#include "sandbox/native/netspace.h"
#include "sandbox/native/payload.h"
#include "sandbox/native/rootfs.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/spread.h"
#include "sandbox/native/wire.h"

enum { FIRST_FREE_FD = 4, FIRST_OWN_FD = 10 };

struct launcher {
	struct plan *plan;
	struct board *board;
	struct netspace network; /* while it is being made */
	struct box box;
	pid_t program; /* 0: none runs */
	int program_fd;
	bool kill_ordered;
	bool another; /* prepare the next box when this one ends */
	bool kept;    /* the box stays when a program ends, and is the last */
	struct execs execs;
	struct limits next;
	/* Large, and last: what is above lies on one page.  The second: no group limits memory. */
	struct seccomp_program filter, filter_by_rlimit;
};

static int tell(struct launcher *l, struct to_warden *news, const int *fds, size_t n_fds)
{
	struct error err = {0};

	memcpy(news->layers, l->board->layers, sizeof(news->layers));
	return fd_send(l->plan->socket, news, sizeof(*news), fds, n_fds, &err);
}

__attribute__((noreturn)) static void give_up(struct launcher *l, const struct error *err)
{
	struct to_warden news = {.news = NEWS_FAILED, .error = *err};

	(void)tell(l, &news, NULL, 0);
	_exit(1);
}

/* The caller's variables may hold secrets; nothing in a slot needs one. */
static void forget_environment(void)
{
	for (char **v = environ; v && *v; v++)
		explicit_bzero(*v, strlen(*v));
	environ = NULL;
}

/* Away from the low numbers, which the box's making uses. */
static int lift(int *fd, struct error *err)
{
	int lifted;

	if (*fd < 0)
		return 0;
	lifted = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	if (lifted < 0)
		return fail_sys(err, "duplicate a descriptor");
	*fd = lifted;
	return 0;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int close_others(int *keep, size_t n, struct error *err)
{
	unsigned from = FIRST_FREE_FD;

	qsort(keep, n, sizeof(*keep), compare_ints);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned)keep[i] > from && close_range(from, (unsigned)keep[i] - 1, 0) < 0)
			return fail_sys(err, "close descriptors");
		from = (unsigned)keep[i] + 1;
	}
	return close_range(from, ~0u, 0) < 0 ? fail_sys(err, "close descriptors") : 0;
}

static int keep_own_descriptors(struct plan *plan, struct error *err)
{
	int keep[GRANTS_MAX + 5];
	size_t n = 0;
	int *lists[] = {&plan->socket, &plan->root, &plan->lock};
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return fail_sys(err, "open /dev/null");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (lift(lists[i], err) < 0)
			return -1;
		if (*lists[i] >= 0)
			keep[n++] = *lists[i];
	}
	for (size_t i = 0; i < GRANTS_MAX; i++) {
		if (lift(&plan->grants[i], err) < 0)
			return -1;
		if (plan->grants[i] >= 0)
			keep[n++] = plan->grants[i];
	}
	/* 3 as well: there the leash of each box will lie, and nothing else may get it. */
	for (int i = 0; i < FIRST_FREE_FD; i++)
		if (dup2(null, i) < 0)
			return fail_sys(err, "place /dev/null at %d", i);
	if (close_others(keep, n, err) < 0)
		return -1;
	null = -1; /* closed with the others */
	return 0;
}

/* While we are the host's root and already pid 1 of the slot: inherited by its boxes. */
static int forbid_executable_memfds(const struct plan *plan, struct error *err)
{
	if (!plan->root_mode || plan->profile->n_programs == 0)
		return 0;
	/* The filter refuses memfds anyway; kernels before 6.3 have no such file. */
	if (access("/proc/sys/vm/memfd_noexec", F_OK) < 0)
		return 0;
	return fd_put_file(AT_FDCWD, "/proc/sys/vm/memfd_noexec", "2", err);
}

static void ask_for_maps(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_NEED_MAP};

	if (tell(l, &news, NULL, 0) < 0)
		_exit(1);
}

static int compile_filters(struct launcher *l, struct error *err)
{
	struct seccomp_options options = l->plan->filter;

	if (filter_ready(&options, &l->filter, err) < 0)
		return -1;
	/* Whether it will be needed is not known yet, only whether it may be. */
	if (!(l->plan->profile->allow_degraded & 1u << LAYER_MEMORY))
		return 0;
	options.memory_by_rlimit = true;
	return seccomp_compile(&options, &l->filter_by_rlimit, err);
}

/* What needs no maps is done while the warden writes them; whatever will be born here inherits it.
 */
static int work_unmapped(struct error *err)
{
	return seal_signals(err) < 0 ? -1 : seal_bounding_set(err);
}

static int get_mapped(struct launcher *l, struct error *err)
{
	struct to_launcher order;
	int tools[MAPPED_FDS] = {-1, -1};
	size_t n = MAPPED_FDS;

	stay_awake(l->plan->socket);
	if (fd_receive(l->plan->socket, &order, sizeof(order), tools, &n, err) <= 0)
		_exit(1);
	l->plan->init_program = tools[MAPPED_INIT];
	l->plan->devices = n > MAPPED_DEVICES ? tools[MAPPED_DEVICES] : -1;
	if (order.order != ORDER_MAPPED || n == 0)
		return fail(err, ERR_INTERNAL, "order %d instead of the maps", (int)order.order);
	return 0;
}

/* Where there will be one box only, its mount namespace is made with it (box.c). */
static int enter_namespaces(struct plan *plan, struct error *err)
{
	if (plan->root >= 0 && fchdir(plan->root) < 0)
		return fail_sys(err, "--root %s", plan->profile->root);
	if (!plan->once && unshare(CLONE_NEWNS) < 0)
		return fail_sys(err, "mount namespace (is user.max_mnt_namespaces 0?)");
	return 0;
}

/* It takes half a millisecond: it is made beside the root and the box.  Where those are one, when
 * they are under way (box.c): earlier it would only keep the warden from its work.  */
static int begin_network(struct launcher *l, struct error *err)
{
	netspace_init(&l->network, l->plan->once, &l->board->unmounter);
	l->plan->beside = l->plan->once ? &l->network : NULL;
	return l->plan->once ? 0 : netspace_begin(&l->network, err);
}

static int enter_slot(struct launcher *l, struct error *err)
{
	struct plan *plan = l->plan;

	if (keep_own_descriptors(plan, err) < 0)
		return -1;
	(void)umask(022); /* the caller's may be stricter than a root can stand */
	if (forbid_executable_memfds(plan, err) < 0)
		return -1;
	if (plan->root_mode && identity_leave_root(plan, err) < 0)
		return -1;
	ask_for_maps(l);
	if (work_unmapped(err) < 0 || get_mapped(l, err) < 0 || begin_network(l, err) < 0 ||
	    compile_filters(l, err) < 0 || identity_settle(plan, l->board, err) < 0 ||
	    enter_namespaces(plan, err) < 0)
		return -1;
	/* Again: a change of uid clears it.  The leash is the socket; this is the second. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return fail_sys(err, "prctl");
	if (seal_keyring(err) < 0)
		*err = (struct error){0}; /* the payload renews it, and checks */
	return plan->once ? 0 : rootfs_build(plan, l->board, err);
}

/* One program and no more: its order comes while the network namespace is still being made, and
 * whoever makes that goes on with its errand until the program is to begin. */
static bool enters_late(const struct plan *plan)
{
	return plan->once && !plan->keeps;
}

static int enter_network(struct launcher *l, struct error *err)
{
	bool loopback = l->plan->profile->loopback;

	if (netspace_enter(&l->network, err) < 0 ||
	    (!enters_late(l->plan) && netspace_reap(&l->network, err) < 0) ||
	    (loopback && loopback_up(err) < 0))
		return -1;
	layer_stands(l->board, LAYER_NETWORK, "%s",
		     loopback ? "own; loopback only" : "own; no interface is up");
	return 0;
}

static int offer_box(struct launcher *l, const struct limits *limits, struct error *err)
{
	struct to_warden news = {.news = NEWS_BOX};
	int fds[BOX_FDS];

	if (box_make(&l->box, l->plan, limits, l->board, err) < 0)
		return -1;
	fds[BOX_WORK] = l->box.work;
	fds[BOX_PROC] = l->box.proc;
	if (tell(l, &news, fds, l->box.proc < 0 ? 1 : BOX_FDS) < 0)
		_exit(1);
	return 0;
}

static int read_words(int fd, struct pages *ret_bytes, struct words *ret, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > PACK_BYTES_MAX)
		return fail(err, ERR_INTERNAL, "packed words cannot be read");
	ret_bytes->size = (size_t)st.st_size;
	ret_bytes->room = pages_new(ret_bytes->size);
	if (!ret_bytes->room)
		return fail_sys(err, "allocate words");
	if (pread(fd, ret_bytes->room, ret_bytes->size, 0) != st.st_size)
		return fail_sys(err, "read words");
	return unpack_words(ret_bytes->room, ret_bytes->size, ret, err);
}

/* One way for every program, in a box of its own or in one that is kept. */
static int start(struct launcher *l, const struct to_launcher *order, const int *fds,
		 pid_t *ret_pid, struct error *err)
{
	own(words) words = {0};
	own(pages) bytes = {0};
	struct payload p = {
		.plan = l->plan,
		.box = &l->box,
		.limits = &order->limits,
		.words = &words,
		.board = l->board,
		.filter = order->memory_by_rlimit ? &l->filter_by_rlimit : &l->filter,
		.memory_by_rlimit = order->memory_by_rlimit,
		.last = !order->another && !l->kept,
		.cwd = l->kept ? order->cwd : NULL,
		.io = {fds[RUN_IN], fds[RUN_OUT], fds[RUN_ERR]},
		.v2_door = order->v2_door ? fds[RUN_DOORS] : -1,
		.n_doors = order->n_doors,
	};

	for (size_t i = 0; i < p.n_doors; i++)
		p.doors[i] = fds[(order->v2_door ? RUN_DOORS + 1 : RUN_DOORS) + i];
	if (read_words(fds[RUN_WORDS], &bytes, &words, err) < 0)
		return -1;
	if (enters_late(l->plan) && enter_network(l, err) < 0)
		return -1;
	return payload_start(&p, ret_pid, err);
}

static int start_only(struct launcher *l, const struct to_launcher *order, const int *fds,
		      struct error *err)
{
	if (start(l, order, fds, &l->program, err) < 0)
		return -1;
	l->program_fd = pidfd_open(l->program, 0);
	return l->program_fd < 0 ? fail_sys(err, "pidfd of the program") : 0;
}

static bool fits_order(const struct to_launcher *order, size_t n_fds)
{
	return n_fds == RUN_DOORS + order->n_doors + (order->v2_door ? 1 : 0);
}

/* Whatever happened, there is no program and no box any more. */
static bool clear_box(struct launcher *l)
{
	bool well = box_kill(&l->box);

	own_fd_end(&l->program_fd);
	l->program_fd = -1;
	l->program = 0;
	return well;
}

static void prepare_next(struct launcher *l)
{
	struct error err = {0};

	/* Used once: what we hold is taken down while the warden reads the counters. */
	if (!l->another)
		_exit(0);
	box_done(&l->box);
	if (offer_box(l, &l->next, &err) < 0)
		give_up(l, &err);
}

/* A child that failed is a zombie in the box: reap it, or the box cannot die. */
static void bury(pid_t child)
{
	if (child <= 0)
		return;
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* No further box: the tree we stand in, the host's or a template, is let go of now, and the box's
 * when we are gone.  But at once if it has something in it that the caller may want to unmount. */
static void let_mounts_go(struct launcher *l)
{
	const struct profile *profile = l->plan->profile;

	(void)setns(l->box.mounts, CLONE_NEWNS);
	if (profile->n_grants == 0 && !profile->root)
		letgo_at_exit(l->box.mounts);
}

static void run(struct launcher *l, const struct to_launcher *order, const int *fds, size_t n_fds)
{
	struct to_warden news = {.news = NEWS_STARTED};

	if (!fits_order(order, n_fds) || !l->box.init || l->program || l->kept)
		(void)fail(&news.error, ERR_INTERNAL, "a run came with %zu descriptors or no box",
			   n_fds);
	l->another = order->another;
	l->kill_ordered = false;
	l->next = order->limits;
	if (news.error.kind == ERR_NONE && start_only(l, order, fds, &news.error) == 0) {
		news.start_us = l->board->start_us;
		if (tell(l, &news, NULL, 0) < 0 || netspace_reap(&l->network, &news.error) < 0)
			_exit(1);
		if (!l->another && l->box.mounts >= 0)
			let_mounts_go(l);
		return;
	}
	bury(l->program);
	(void)clear_box(l);
	news.news = NEWS_NO_START;
	if (tell(l, &news, NULL, 0) < 0)
		_exit(1);
	prepare_next(l);
}

/* A program more in a kept box; whatever becomes of it, the box goes on. */
static void run_beside(struct launcher *l, const struct to_launcher *order, const int *fds,
		       size_t n_fds)
{
	struct to_warden news = {.news = NEWS_EXEC, .exec = order->exec};
	pid_t child = 0;

	if (!fits_order(order, n_fds) || !l->box.init || !l->kept)
		(void)fail(&news.error, ERR_INTERNAL,
			   "a program came with %zu descriptors, or no box", n_fds);
	if (news.error.kind == ERR_NONE && start(l, order, fds, &child, &news.error) == 0 &&
	    execs_add(&l->execs, order->exec, child, &news.error) == 0) {
		news.start_us = l->board->start_us;
		news.mark = l->board->mark;
	} else {
		bury(child);
		news.news = NEWS_NO_EXEC;
	}
	if (tell(l, &news, NULL, 0) < 0)
		_exit(1);
}

/* Everything in the kept box dies, each program's end is told, and last the box's. */
__attribute__((noreturn)) static void end_kept(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_EXEC_END};

	(void)pidfd_send_signal(l->box.pidfd, SIGKILL, NULL, 0);
	/* They are ours to wait for: pid 1 of the box ends after them. */
	while (l->execs.n > 0) {
		execs_reap(&l->execs, 0, &news);
		if (tell(l, &news, NULL, 0) < 0)
			_exit(1);
	}
	(void)clear_box(l);
	news = (struct to_warden){.news = NEWS_ENDED, .end_us = clock_us()};
	if (!l->kill_ordered)
		(void)fail(&news.error, ERR_SYSTEM, "pid 1 of the box died");
	(void)tell(l, &news, NULL, 0);
	_exit(0);
}

static void kill_all(struct launcher *l)
{
	l->kill_ordered = true;
	if (l->kept)
		end_kept(l);
	if (l->box.init)
		(void)pidfd_send_signal(l->box.pidfd, SIGKILL, NULL, 0);
}

static void obey(struct launcher *l)
{
	struct error err = {0};
	struct to_launcher order;
	int fds[RUN_FDS_MAX];
	size_t n_fds = RUN_FDS_MAX;

	/* The warden is gone: so are we, and with us everything beneath. */
	if (fd_receive(l->plan->socket, &order, sizeof(order), fds, &n_fds, &err) <= 0)
		_exit(0);
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
		l->kept = true;
		break;
	case ORDER_EXEC:
		run_beside(l, &order, fds, n_fds);
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
		(void)clear_box(l);
		box_done(&l->box);
		if (offer_box(l, &order.limits, &err) < 0)
			give_up(l, &err);
		break;
	case ORDER_NONE:
	case ORDER_MAPPED:
		_exit(1);
	}
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
}

static void see_end(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_ENDING, .start_us = l->board->start_us};
	siginfo_t info = {0};

	/* By number: libc's waitid has no rusage, and wait4 says less about the end. */
	if (syscall(SYS_waitid, P_PID, l->program, &info, WEXITED, &news.rusage) < 0)
		_exit(1);
	news.end_us = clock_us();
	news.end_code = info.si_code;
	news.end_status = info.si_status;
	/* The warden wakes up and counts while we clear away: it has more to do than we. */
	if (tell(l, &news, NULL, 0) < 0)
		_exit(1);
	news.news = NEWS_ENDED;
	/* Nobody asked for it: then the program did not die of anything it did. */
	if (!clear_box(l) && !l->kill_ordered)
		(void)fail(&news.error, ERR_SYSTEM, "pid 1 of the box died");
	if (tell(l, &news, NULL, 0) < 0)
		_exit(1);
	prepare_next(l);
}

/* Which of the kept box's programs have ended?  And does the box itself live? */
static void look_after_kept(struct launcher *l, const struct pollfd *fds, size_t n_execs)
{
	/* From the end: reaping moves the last into the free place. */
	for (size_t i = n_execs; i-- > 0;) {
		struct to_warden news = {.news = NEWS_EXEC_END};

		if (!fds[i].revents)
			continue;
		execs_reap(&l->execs, i, &news);
		if (tell(l, &news, NULL, 0) < 0)
			_exit(1);
	}
	if (fds[n_execs].revents)
		end_kept(l);
}

__attribute__((noreturn)) static void serve_orders(struct launcher *l)
{
	for (;;) {
		struct pollfd fds[2 + KEPT_EXECS_MAX + 1] = {
			{.fd = l->plan->socket, .events = POLLIN},
			{.fd = l->program_fd, .events = POLLIN}};
		size_t n_execs = l->execs.n, n = 2;

		for (size_t i = 0; i < n_execs; i++)
			fds[n++] = (struct pollfd){.fd = l->execs.list[i].fd, .events = POLLIN};
		if (l->kept)
			fds[n++] = (struct pollfd){.fd = l->box.pidfd, .events = POLLIN};
		if (poll(fds, n, -1) < 0 && errno != EINTR)
			_exit(1);
		if (fds[1].revents)
			see_end(l);
		if (l->kept)
			look_after_kept(l, fds + 2, n_execs);
		if (fds[0].revents)
			obey(l);
	}
}

void launcher_main(struct plan *plan, struct board *board)
{
	static struct launcher l; /* not on the stack: most of it is never touched */
	struct error err = {0};
	sigset_t all;

	l.plan = plan;
	l.board = board;
	l.program_fd = -1;
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	forget_environment();
	box_init(&l.box);
	if (enter_slot(&l, &err) < 0 || offer_box(&l, &plan->first, &err) < 0 ||
	    (!enters_late(plan) && enter_network(&l, &err) < 0))
		give_up(&l, &err);
	serve_orders(&l);
}
