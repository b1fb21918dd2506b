/* SPDX-License-Identifier: Apache-2.0 */
/* slotbuild.c - the warden builds a slot: checks, identity, groups, launcher.
 *
 * The order is made for time: the launcher is started as early as it can be,
 * and what it does not need yet is made beside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "call/limits.h"
#include "sandbox/native/etcshared.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/initprogram.h"
#include "sandbox/native/landlock.h"
#include "sandbox/native/launcher.h"
#include "sandbox/native/needskeep.h"
#include "sandbox/native/shelf.h"
#include "sandbox/native/slot_state.h"
#include "sandbox/native/spread.h"

static int look_up_programs(struct slot *s, struct error *err)
{
	const struct profile *p = &s->profile;
	own(witness) seen = {0};

	if (p->root)
		return programs_needed(p->root, p->programs, p->n_programs, NULL, &s->plan.needed,
				       err);
	if (needskeep_find(p->programs, p->n_programs, &s->plan.needed))
		return 0;
	witness_begin(&seen);
	if (programs_needed("", p->programs, p->n_programs, &seen, &s->plan.needed, err) < 0)
		return -1;
	needskeep_put(p->programs, p->n_programs, &seen, &s->plan.needed);
	return 0;
}

static int find_programs(struct slot *s, struct error *err)
{
	const struct profile *p = &s->profile;

	if (p->n_programs == 0 || look_up_programs(s, err) == 0)
		return 0;
	/* Not the program that is to run: what was asked for is wrong. */
	if (err->kind == ERR_NOT_FOUND)
		err->kind = ERR_CALLER;
	return fail_in(err, "--programs");
}

/* The launcher starts meanwhile, and begins with the root. */
static int tell_programs(struct slot *s, struct error *err)
{
	return find_programs(s, err) < 0
		       ? -1
		       : shelf_fill(s->plan.shelf, &s->plan.needed, &s->plan.first, err);
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
	return plan_tells_late(&s->plan) ? 0 : find_programs(s, err);
}

static bool grants_writing(const struct profile *p)
{
	for (size_t i = 0; i < p->n_grants; i++)
		if (p->grants[i].write)
			return true;
	return false;
}

/* A socket in a granted directory leads out of the box: read-only mounts do not stop connect, and
 * Landlock does from ABI 9 on. */
static bool grants_sockets(const struct profile *p)
{
	struct stat st;

	if (p->n_grants == 0 || landlock_abi() >= 9)
		return false;
	for (size_t i = 0; i < p->n_grants; i++)
		if (stat(p->grants[i].source, &st) < 0 || S_ISDIR(st.st_mode))
			return true;
	return false;
}

static int choose_identity(struct slot *s, struct error *err)
{
	s->plan.root_mode = identity_is_root_mode(err);
	if (s->plan.root_mode) {
		s->lock = s->plan.lock = identity_reserve(&s->plan, err);
		return s->lock < 0 ? -1 : 0;
	}
	if (geteuid() == 0 && layer_missing(s->board, LAYER_OWN_UID, "the caller's uid", err) < 0)
		return -1;
	*err = (struct error){0};
	s->plan.payload_uid = s->plan.init_uid = geteuid();
	return 0;
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

static const struct {
	enum controller controller;
	enum layer layer;
	const char *instead;
} controlled[] = {
	{CONTROLLER_MEMORY, LAYER_MEMORY, "RLIMIT_DATA per process, sampled sum"},
	{CONTROLLER_PIDS, LAYER_PROCESSES, "RLIMIT_NPROC"},
	{CONTROLLER_CPU, LAYER_CPU, "RLIMIT_CPU, per process; no share"},
};

static int find_groups(struct slot *s, struct error *err)
{
	bool quick = !s->profile.cgroup && cgroup_find_quick(&s->host);

	if (!quick && (cgroup_find(&s->host, s->profile.cgroup, "/proc/self/mountinfo",
				   "/proc/self/cgroup", err) < 0 ||
		       cgroup_prepare(&s->host, err) < 0))
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
	s->groups.sockets = s->profile.loopback;
	s->groups_open = true;
	return 0;
}

static int clone_launcher(struct slot *s, struct error *err)
{
	int group = s->groups_open ? cgroup_slot_launcher_fd(&s->groups) : -1;
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
	(void)sched_getaffinity(0, sizeof(s->plan.cpus), &s->plan.cpus);
	s->board->room = spread_finds_room(&s->plan.cpus, 1);
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0)
		launcher_main(&s->plan, s->board);
	if (child < 0)
		return fail_sys(err, "clone a launcher%s",
				s->plan.root_mode ? ""
						  : " in a user namespace (see belljar doctor)");
	s->launcher = (pid_t)child;
	/* Perhaps it was something of the kernel's own, which is over in a moment. */
	if (!s->board->room)
		s->board->room = spread_has_room(&s->plan.cpus, 2);
	if (s->board->room)
		spread(s->launcher, false);
	return 0;
}

static int start_launcher(struct slot *s, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socketpair");
	s->socket = fd_lift(ends[0]);
	s->plan.socket = fd_lift(ends[1]);
	if (s->socket < 0 || s->plan.socket < 0)
		return fail_sys(err, "duplicate a descriptor");
	if (clone_launcher(s, err) < 0)
		return -1;
	(void)close(s->plan.socket);
	s->plan.socket = -1;
	return 0;
}

/* Pure version 2: the launcher must be born in a group.  Elsewhere the groups can wait. */
static bool launcher_needs_group(void)
{
	struct statfs fs;

	return statfs("/sys/fs/cgroup", &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Version 2 controllers beside version 1: the launcher is there already, and moves. */
static int move_launcher(struct slot *s, struct error *err)
{
	int group = cgroup_slot_launcher_fd(&s->groups);
	char pid[16];

	if (group < 0)
		return 0;
	(void)snprintf(pid, sizeof(pid), "%d", s->launcher);
	return fd_put_file(group, "cgroup.procs", pid, err);
}

/* Somebody waits for our answer while we make groups. */
static void answer_launcher(void *context)
{
	struct slot *s = context;

	if (!s->mapped)
		(void)slot_take_one(s, 0);
}

/* The only box's groups, while the launcher starts: its first question is answered between two of
 * them.  If one fails, the call tries again and says why. */
static void prepare_groups(struct slot *s)
{
	s->groups.between = answer_launcher;
	s->groups.context = s;
	watch_prepare(&s->watch, &s->groups, &s->plan.first);
	s->groups.between = NULL;
}

static int build_beside(struct slot *s, bool groups_found, struct error *err)
{
	/* While it starts: both go to it together with the news that it is mapped. */
	s->plan.init_program = initprogram_open(err);
	if (s->plan.init_program < 0 || etcshared_find(&s->plan, err) < 0)
		return -1;
	if (!groups_found && find_groups(s, err) < 0)
		return -1;
	if (plan_is_single(&s->plan))
		prepare_groups(s);
	/* It asks for its maps and goes straight on into half a millisecond of kernel work: if we
	 * slept, the scheduler would wake us on its processor, behind that. */
	if (!s->mapped)
		stay_awake(s->socket);
	if (slot_wait_until(s, &s->mapped, err) < 0)
		return -1;
	return groups_found ? 0 : move_launcher(s, err);
}

/* The launcher compiles it, while it waits for its maps. */
static void choose_filter(struct slot *s)
{
	s->plan.filter = (struct seccomp_options){
		.programs_listed = s->profile.n_programs > 0,
		.host_writable = grants_writing(&s->profile),
		.host_sockets = grants_sockets(&s->profile),
	};
}

static int put_up_board(struct slot *s, struct error *err)
{
	s->board = board_new(s->profile.allow_degraded,
			     s->profile.warm.kind == WARM_PYTHON ? &s->plan.board_fd : NULL, err);
	return s->board ? 0 : -1;
}

static int begin(struct slot *s, bool groups_first, struct error *err)
{
	if (choose_identity(s, err) < 0 || grants_open(&s->plan, err) < 0)
		return -1;
	choose_filter(s);
	if (plan_tells_late(&s->plan) && !(s->plan.shelf = shelf_new(err)))
		return -1;
	if (groups_first && find_groups(s, err) < 0)
		return -1;
	return start_launcher(s, err);
}

int slot_build(struct slot *s, struct error *err)
{
	bool groups_first = launcher_needs_group();

	if (put_up_board(s, err) < 0 || limits_check(&s->plan.first, err) < 0 ||
	    check_profile(s, err) < 0 || begin(s, groups_first, err) < 0)
		return -1;
	if (plan_tells_late(&s->plan) && tell_programs(s, err) < 0)
		return -1;
	return build_beside(s, groups_first, err);
}

int slot_build_early(struct slot *s, struct error *err)
{
	bool groups_first = launcher_needs_group();

	return put_up_board(s, err) < 0 || begin(s, groups_first, err) < 0
		       ? -1
		       : build_beside(s, groups_first, err);
}

int slot_build_rest(struct slot *s, struct error *err)
{
	if (limits_check(&s->plan.first, err) < 0 || tell_programs(s, err) < 0)
		return -1;
	watch_relimit(&s->watch, &s->plan.first);
	prepare_groups(s);
	return 0;
}

void slot_drop_plan(struct slot *s)
{
	int *fds[] = {&s->plan.init_program, &s->plan.root, &s->plan.socket, &s->plan.board_fd,
		      &s->plan.etc};

	grants_close(&s->plan);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		own_fd_end(fds[i]);
		*fds[i] = -1;
	}
}
