/* SPDX-License-Identifier: Apache-2.0 */
/* slot.c - the warden's side of a slot: builds it, starts calls in it, takes it down.
 *
 * The warden never waits for a launcher on the path of a call: orders are sent
 * ahead, news are taken when they come.  What the program does with its time
 * and space is watched in watch.c.
 */
#include "sandbox/native/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "call/limits.h"
#include "call/pack.h"
#include "sandbox/native/board.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/launcher.h"
#include "sandbox/native/plan.h"
#include "sandbox/native/watch.h"
#include "sandbox/native/wire.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

enum {
	SETUP_MS = 10000, /* until a program runs; more means that the host is in trouble */
	KILL_MS = 2000,   /* from the order to kill until the end; more means a stuck process */
};

enum phase { PHASE_IDLE = 0, PHASE_STARTING, PHASE_RUNNING, PHASE_ENDED };

struct slot {
	struct profile profile;
	struct plan plan;
	struct board *board;
	bool resident;
	bool dead;   /* the launcher is gone or cannot be trusted any more */
	bool mapped; /* its user namespace has its maps: it takes other orders now */
	int lock;
	int socket;
	pid_t launcher;
	int launcher_fd;

	struct cgroup_host host;
	struct cgroup_slot groups;
	bool groups_open;
	unsigned calls;

	int work; /* of the waiting or running box */
	bool box_waits;
	struct limits box_limits;

	enum phase phase;
	uint64_t asked_us; /* when the first call or the current one was asked for */
	uint64_t give_up_us;
	bool kill_sent;
	struct watch watch;
	struct outcome outcome;
};

extern const char init_blob_start[], init_blob_end[];

static int open_init_program(struct error *err)
{
	size_t len = (size_t)(init_blob_end - init_blob_start);
	own_fd fd = memfd_create("belljar-init", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (fd < 0 && errno == EINVAL) /* before 6.3 */
		fd = memfd_create("belljar-init", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return fail_sys(err, "memfd for pid 1 (is vm.memfd_noexec 2 on this host?)");
	if (fd_write_all(fd, init_blob_start, len, err) < 0)
		return fail_in(err, "pid 1");
	if (fchmod(fd, 0555) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal pid 1");
	return take_fd(&fd);
}

static int check_profile(struct slot *s, struct error *err)
{
	const struct profile *p = &s->profile;

	if (grants_check(p, err) < 0)
		return -1;
	if (p->root) {
		s->plan.root = open(p->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (s->plan.root < 0)
			return fail_sys(err, "--root %s", p->root), err->kind = ERR_CALLER, -1;
	}
	if (p->n_programs && programs_needed(p->root ? p->root : "", p->programs, p->n_programs,
					     &s->plan.needed, err) < 0)
		return fail_in(err, "--programs");
	return 0;
}

static bool grants_writing(const struct profile *p)
{
	for (size_t i = 0; i < p->n_grants; i++)
		if (p->grants[i].write)
			return true;
	return false;
}

static int choose_identity(struct slot *s, struct error *err)
{
	s->plan.root_mode = identity_is_root_mode(err);
	if (s->plan.root_mode) {
		s->lock = identity_reserve(&s->plan, err);
		return s->lock < 0 ? -1 : 0;
	}
	if (geteuid() == 0 && layer_missing(s->board, LAYER_OWN_UID, "the caller's uid", err) < 0)
		return -1;
	*err = (struct error){0};
	s->plan.payload_uid = s->plan.init_uid = geteuid();
	return 0;
}

static const struct {
	enum controller controller;
	enum layer layer;
	const char *instead;
} controlled[] = {
	{CONTROLLER_MEMORY, LAYER_MEMORY, "RLIMIT_DATA, per process"},
	{CONTROLLER_PIDS, LAYER_PROCESSES, "RLIMIT_NPROC"},
	{CONTROLLER_CPU, LAYER_CPU, "RLIMIT_CPU, per process; no share"},
};

static int find_groups(struct slot *s, struct error *err)
{
	if (cgroup_find(&s->host, s->profile.cgroup, "/proc/self/mountinfo", "/proc/self/cgroup",
			err) < 0 ||
	    cgroup_prepare(&s->host, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(controlled); i++) {
		const struct cgroup_place *place = &s->host.places[controlled[i].controller];

		if (place->version) {
			layer_stands(s->board, controlled[i].layer, "cgroup v%d", place->version);
			continue;
		}
		(void)fail(err, ERR_CONFIG, "%s", place->why_not);
		if (layer_missing(s->board, controlled[i].layer, controlled[i].instead, err) < 0)
			return -1;
	}
	if (cgroup_slot_open(&s->host, "slot", s->plan.init_uid, &s->groups, err) < 0)
		return -1;
	s->groups_open = true;
	return 0;
}

static int clone_launcher(struct slot *s, struct error *err)
{
	int group = cgroup_slot_launcher_fd(&s->groups);
	struct clone_args args = {
		.flags = (uint64_t)(CLONE_PIDFD | CLONE_NEWPID) |
			 (uint64_t)(s->plan.root_mode ? 0 : CLONE_NEWUSER),
		.pidfd = (uint64_t)(uintptr_t)&s->launcher_fd,
		.exit_signal = SIGCHLD,
	};
	long child;

	if (group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (unsigned)group;
	}
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0)
		launcher_main(&s->plan, s->board);
	if (child < 0)
		return fail_sys(err, "clone a launcher%s",
				s->plan.root_mode ? ""
						  : " in a user namespace (see belljar doctor)");
	s->launcher = (pid_t)child;
	return 0;
}

static int start_launcher(struct slot *s, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socketpair");
	s->socket = ends[0];
	s->plan.socket = ends[1];
	if (clone_launcher(s, err) < 0)
		return -1;
	(void)close(ends[1]);
	s->plan.socket = -1;
	return 0;
}

static void slot_init(struct slot *s, const struct profile *profile, const struct limits *limits)
{
	s->profile = *profile;
	s->plan = (struct plan){.profile = &s->profile,
				.socket = -1,
				.init_program = -1,
				.root = -1,
				.first = *limits};
	for (size_t i = 0; i < GRANTS_MAX; i++)
		s->plan.grants[i] = -1;
	s->lock = s->socket = s->launcher_fd = s->work = -1;
	s->box_limits = *limits;
	s->asked_us = clock_us();
	s->give_up_us = s->asked_us + SETUP_MS * 1000ULL;
	watch_init(&s->watch);
}

static int build(struct slot *s, struct error *err)
{
	const struct seccomp_options options = {
		.programs_listed = s->profile.n_programs > 0,
		.host_writable = grants_writing(&s->profile),
	};

	s->board = board_new(s->profile.allow_degraded, err);
	if (!s->board || limits_check(&s->plan.first, err) < 0 || check_profile(s, err) < 0 ||
	    choose_identity(s, err) < 0 || grants_open(&s->plan, err) < 0 ||
	    seccomp_compile(&options, &s->plan.seccomp, err) < 0 || find_groups(s, err) < 0)
		return -1;
	s->plan.init_program = open_init_program(err);
	if (s->plan.init_program < 0)
		return -1;
	return start_launcher(s, err);
}

int slot_open(const struct profile *profile, const struct limits *limits, bool resident,
	      struct slot **ret, struct error *err)
{
	struct slot *s = calloc(1, sizeof(*s));

	if (!s)
		return fail_sys(err, "allocate a slot");
	slot_init(s, profile, limits);
	s->resident = resident;
	if (build(s, err) < 0) {
		slot_close(s);
		return -1;
	}
	/* The launcher has its own now. */
	grants_close(&s->plan);
	own_fd_end(&s->plan.init_program);
	own_fd_end(&s->plan.root);
	s->plan.init_program = s->plan.root = -1;
	*ret = s;
	return 0;
}

/* Everything in the slot dies with its launcher, which is pid 1 there. */
static void end_launcher(struct slot *s)
{
	if (s->launcher <= 0)
		return;
	(void)pidfd_send_signal(s->launcher_fd, SIGKILL, NULL, 0);
	while (waitpid(s->launcher, NULL, 0) < 0 && errno == EINTR)
		;
	s->launcher = 0;
	s->dead = true;
}

void slot_close(struct slot *s)
{
	struct error ignored = {0};

	if (!s)
		return;
	/* Closing first saves the launcher from telling us anything. */
	own_fd_end(&s->socket);
	end_launcher(s);
	watch_close(&s->watch);
	if (s->groups_open)
		(void)cgroup_slot_close(&s->groups, &ignored);
	grants_close(&s->plan);
	needed_list_done(&s->plan.needed);
	own_fd_end(&s->plan.init_program);
	own_fd_end(&s->plan.root);
	own_fd_end(&s->plan.socket);
	own_fd_end(&s->launcher_fd);
	own_fd_end(&s->work);
	own_fd_end(&s->lock);
	if (s->board)
		(void)munmap(s->board, sizeof(*s->board));
	free(s);
}

void slot_end(struct slot **slot)
{
	slot_close(*slot);
}

bool slot_is_root_mode(const struct slot *s)
{
	return s->plan.root_mode;
}

uid_t slot_uid(const struct slot *s)
{
	return s->plan.payload_uid;
}

gid_t slot_gid(const struct slot *s)
{
	return s->plan.root_mode ? s->plan.payload_uid : getegid();
}

int slot_fd(const struct slot *s)
{
	return s->socket;
}

bool slot_is_usable(const struct slot *s)
{
	return !s->dead;
}

static void end_call(struct slot *s, enum end end)
{
	s->outcome.end = end;
	s->phase = PHASE_ENDED;
	watch_finish(&s->watch, s->work, &s->outcome);
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
}

/* The launcher is of no more use; what it leaves undone is not to be guessed. */
static void lose_launcher(struct slot *s, struct error *err)
{
	bool ran = s->phase == PHASE_RUNNING;

	end_launcher(s);
	hear_last_words(s, err);
	s->outcome.error = *err;
	if (s->phase == PHASE_IDLE || s->phase == PHASE_ENDED)
		return;
	end_call(s, ran ? END_UNKNOWN : END_NOT_STARTED);
}

static void take_box(struct slot *s, int *fds, size_t n_fds)
{
	if (n_fds != 1)
		return;
	own_fd_end(&s->work);
	s->work = take_fd(&fds[0]);
	s->box_waits = true;
}

static void take_start(struct slot *s, const struct to_warden *news)
{
	uint64_t now = clock_us();

	if (s->phase != PHASE_STARTING)
		return;
	/* The launcher's clock is ours; its word is not to move a deadline into the future. */
	s->watch.start_us =
		news->start_us > now || news->start_us < s->asked_us ? now : news->start_us;
	s->outcome.setup_us = s->watch.start_us - s->asked_us;
	s->phase = PHASE_RUNNING;
	s->give_up_us = 0;
	watch_begin(&s->watch);
}

static void take_end(struct slot *s, const struct to_warden *news)
{
	struct outcome *o = &s->outcome;
	bool exited = news->end_code == CLD_EXITED;

	if (s->phase != PHASE_RUNNING)
		return;
	o->exit_code = exited ? news->end_status : 0;
	o->signal = exited ? 0 : news->end_status;
	o->run_us = news->end_us > s->watch.start_us ? news->end_us - s->watch.start_us : 0;
	watch_rusage(&s->watch, &news->rusage, o);
	end_call(s, exited ? END_EXITED : END_SIGNALLED);
}

static void take_layers(struct slot *s, const struct to_warden *news)
{
	/* What the warden put up itself is not the launcher's to report. */
	for (int i = 0; i < LAYER_COUNT; i++)
		if (i != LAYER_MEMORY && i != LAYER_PROCESSES && i != LAYER_CPU)
			s->outcome.layers[i] = news->layers[i];
	for (int i = 0; i < LAYER_COUNT; i++)
		s->outcome.layers[i].detail[sizeof(s->outcome.layers[i].detail) - 1] = '\0';
}

static void take_news(struct slot *s, struct to_warden *news, int *fds, size_t n_fds)
{
	struct error err = {0};
	const struct to_launcher mapped = {.order = ORDER_MAPPED};

	news->error.text[sizeof(news->error.text) - 1] = '\0';
	switch (news->news) {
	case NEWS_NEED_MAP:
		if (identity_write_maps(&s->plan, s->launcher, &err) < 0 ||
		    fd_send(s->socket, &mapped, sizeof(mapped), NULL, 0, &err) < 0)
			lose_launcher(s, &err);
		s->mapped = true;
		return;
	case NEWS_BOX:
		take_box(s, fds, n_fds);
		return;
	case NEWS_STARTED:
		take_layers(s, news);
		take_start(s, news);
		return;
	case NEWS_ENDED:
		take_end(s, news);
		return;
	case NEWS_NO_START:
		take_layers(s, news);
		s->outcome.error = news->error;
		end_call(s, END_NOT_STARTED);
		return;
	case NEWS_FAILED:
		lose_launcher(s, &news->error);
		return;
	case NEWS_NONE:
		break;
	}
	(void)fail(&err, ERR_INTERNAL, "the launcher said %d", (int)news->news);
	lose_launcher(s, &err);
}

/* Takes one message if there is one.  Returns whether there was. */
static bool take_one(struct slot *s, int wait_ms)
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
		lose_launcher(s, &err);
		return true;
	}
	take_news(s, &news, fds, n_fds);
	for (size_t i = 0; i < n_fds; i++)
		own_fd_end(&fds[i]);
	return true;
}

static bool same_box(const struct limits *a, const struct limits *b)
{
	return a->disk_bytes == b->disk_bytes && a->inodes == b->inodes;
}

/* What it dies of, if it dies, is in the outcome's error. */
static int wait_until(struct slot *s, const bool *done, struct error *err)
{
	while (!*done && !s->dead)
		if (!take_one(s, SETUP_MS))
			return fail(err, ERR_SYSTEM, "no box after %d s", SETUP_MS / 1000);
	if (*done && !s->dead)
		return 0;
	*err = s->outcome.error;
	return err->kind == ERR_NONE ? fail(err, ERR_INTERNAL, "the launcher died") : -1;
}

static int want_box(struct slot *s, const struct limits *limits, struct error *err)
{
	const struct to_launcher order = {.order = ORDER_BOX, .limits = *limits};

	if (same_box(limits, &s->box_limits))
		return 0;
	/* The answer to the first request must not pass for the answer to this one. */
	if (wait_until(s, &s->box_waits, err) < 0)
		return -1;
	s->box_waits = false;
	s->box_limits = *limits;
	return fd_send(s->socket, &order, sizeof(order), NULL, 0, err);
}

int slot_box(struct slot *s, const struct limits *limits, int *ret_work, struct error *err)
{
	if (limits_check(limits, err) < 0 || want_box(s, limits, err) < 0)
		return -1;
	if (wait_until(s, &s->box_waits, err) < 0)
		return -1;
	*ret_work = s->work;
	return 0;
}

static int send_run(struct slot *s, const struct limits *limits, const int io[3], int words,
		    struct error *err)
{
	struct cgroup_doors doors;
	int fds[RUN_FDS_MAX] = {io[0], io[1], io[2], words};
	size_t n = RUN_DOORS;
	struct to_launcher order = {
		.order = ORDER_RUN,
		.another = s->resident,
		.memory_by_rlimit = s->board->layers[LAYER_MEMORY].state != LAYER_FULL,
		.limits = *limits,
	};

	cgroup_doors(&s->watch.group, &doors);
	if (doors.v2 >= 0)
		fds[n++] = doors.v2;
	for (size_t i = 0; i < doors.n_v1; i++)
		fds[n++] = doors.v1[i];
	order.v2_door = doors.v2 >= 0;
	order.n_doors = (uint32_t)doors.n_v1;
	return fd_send(s->socket, &order, sizeof(order), fds, n, err);
}

int slot_start_words(struct slot *s, const struct limits *limits, const int io[3], int words,
		     struct error *err)
{
	char name[32];

	if (s->dead || s->phase != PHASE_IDLE)
		return fail(err, ERR_INTERNAL, "the slot is %s", s->dead ? "dead" : "busy");
	if (limits_check(limits, err) < 0 || want_box(s, limits, err) < 0)
		return -1;
	if (s->calls++) /* the first call waits for the slot as well */
		s->asked_us = clock_us();
	s->give_up_us = clock_us() + SETUP_MS * 1000ULL;
	s->outcome = (struct outcome){0};
	s->kill_sent = false;
	memcpy(s->outcome.layers, s->board->layers, sizeof(s->outcome.layers));
	(void)snprintf(name, sizeof(name), "box%u", s->calls);
	/* Making the groups and making the slot go on at the same time. */
	if (watch_open(&s->watch, &s->groups, name, limits, err) < 0 ||
	    wait_until(s, &s->mapped, err) < 0 || send_run(s, limits, io, words, err) < 0) {
		watch_close(&s->watch);
		return -1;
	}
	s->phase = PHASE_STARTING;
	s->box_waits = false;
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

	if (s->phase != PHASE_STARTING && s->phase != PHASE_RUNNING)
		return;
	if (s->watch.killed_for == KILL_NONE)
		s->watch.killed_for = reason;
	if (s->kill_sent)
		return;
	s->kill_sent = true;
	s->give_up_us = clock_us() + KILL_MS * 1000ULL;
	if (fd_send(s->socket, &order, sizeof(order), NULL, 0, &err) < 0)
		lose_launcher(s, &err);
}

int slot_wait_ms(const struct slot *s)
{
	uint64_t now = clock_us(), next = s->give_up_us;

	if (s->phase != PHASE_STARTING && s->phase != PHASE_RUNNING)
		return -1;
	if (s->phase == PHASE_RUNNING && !s->kill_sent && (next == 0 || s->watch.next_us < next))
		next = s->watch.next_us;
	if (next <= now)
		return 0;
	return (int)((next - now + 999) / 1000);
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
		lose_launcher(s, &err);
		return;
	}
	if (s->phase != PHASE_RUNNING || s->kill_sent)
		return;
	reason = watch_look(&s->watch, now, s->work);
	if (reason != KILL_NONE)
		slot_kill(s, reason);
}

bool slot_step(struct slot *s)
{
	while (s->phase != PHASE_ENDED && take_one(s, 0))
		;
	if (s->phase == PHASE_STARTING || s->phase == PHASE_RUNNING)
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
