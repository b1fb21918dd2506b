/* SPDX-License-Identifier: Apache-2.0 */
/* payload.c - fills a box: a child joins it, seals itself and becomes the program.
 *
 * The child shares the launcher's memory until it execs, and the launcher waits
 * for that: an error is simply left on the board.  Each step takes something
 * away; none is skipped, and a failed one ends in _exit, never in exec.
 */
#include "sandbox/native/payload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "sandbox/native/landlock.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/spread.h"

enum { STACK_BYTES = 256 << 10, RULES_FD = 3 };

/* v1: a process with one thread that moves itself through `tasks` does not wait for a grace
 * period.  v2: it was born in the group. */
static int join_groups(struct payload *p)
{
	for (size_t i = 0; i < p->n_doors; i++)
		if (write(p->doors[i], "0", 1) != 1)
			return fail_sys(&p->board->error, "join a control group");
	return 0;
}

/* A cgroup namespace of its own, which nothing in a box can leave: what a program starts can be
 * told from what others start, however it detaches itself. */
static void note_mark(struct payload *p)
{
	struct stat st;

	if (stat("/proc/self/ns/cgroup", &st) == 0)
		p->board->mark = st.st_ino;
}

static int join_namespaces(struct payload *p)
{
	if (setns(p->box->pidfd, CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) < 0)
		return fail_sys(&p->board->error, "join the box");
	/* As long as the host's root is not unmounted, whoever joins finds himself there. */
	if (fchdir(p->box->root) < 0 || chroot(".") < 0)
		return fail_sys(&p->board->error, "enter the box's root");
	/* After the groups were joined: its root is then the box's own group. */
	if (unshare(CLONE_NEWCGROUP) == 0) {
		layer_stands(p->board, LAYER_CGROUP_NAMESPACE, "own");
		if (p->box->proc >= 0)
			note_mark(p);
		return 0;
	}
	(void)fail_sys(&p->board->error, "cgroup namespace");
	return layer_missing(p->board, LAYER_CGROUP_NAMESPACE, NULL, &p->board->error);
}

static int renew_keyring(struct payload *p)
{
	if (seal_keyring(&p->board->error) == 0) {
		layer_stands(p->board, LAYER_KEYRING, "empty session keyring");
		return 0;
	}
	/* A kernel without keyrings has nothing to leak. */
	if (p->board->error.sys != ENOSYS)
		return layer_missing(p->board, LAYER_KEYRING, NULL, &p->board->error);
	p->board->error = (struct error){0};
	layer_stands(p->board, LAYER_KEYRING, "this kernel has none");
	return 0;
}

static int leave_session(struct payload *p)
{
	if (setsid() < 0)
		return fail_sys(&p->board->error, "new session");
	(void)umask(022);
	return 0;
}

/* Without input: the box's own null device.  The caller's is the host's inode, on which locks and
 * watches would meet those of others. */
static int reopen_null(struct payload *p)
{
	struct stat st;
	int fd;

	if (fstat(0, &st) < 0)
		return fail_sys(&p->board->error, "look at standard input");
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3))
		return 0;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, 0) < 0)
		return fail_sys(&p->board->error, "open /dev/null");
	return 0;
}

static int place_stdio(struct payload *p)
{
	/* The sources lie above 2: the launcher has /dev/null at 0, 1 and 2. */
	for (int i = 0; i < 3; i++)
		if (dup2(p->io[i], i) < 0)
			return fail_sys(&p->board->error, "place descriptor %d", i);
	if (reopen_null(p) < 0)
		return -1;
	/* Only the rules stay, for a moment. */
	if (p->box->rules >= 0 && dup2(p->box->rules, RULES_FD) < 0)
		return fail_sys(&p->board->error, "place the rules");
	if (close_range(p->box->rules >= 0 ? RULES_FD + 1 : RULES_FD, ~0u, 0) < 0)
		return fail_sys(&p->board->error, "close descriptors");
	return 0;
}

static int become_user(struct payload *p)
{
	if (seal_born_identity(INSIDE_UID, INSIDE_GID, &p->board->error) < 0)
		return -1;
	layer_stands(p->board, LAYER_CAPABILITIES, "none, bounding set empty, locked");
	if (seal_no_new_privs(&p->board->error) < 0)
		return -1;
	layer_stands(p->board, LAYER_NO_NEW_PRIVS, "set");
	return 0;
}

/* A name of the box's own, as the program's user. */
static int enter_other(struct payload *p)
{
	struct error *err = &p->board->error;
	char cwd[4096];

	if (p->cwd[0] != '/')
		return fail(err, ERR_CALLER, "%.200s: not an absolute name", p->cwd);
	if (chdir(p->cwd) < 0)
		return fail(err, ERR_CALLER, "%.200s: %s", p->cwd, strerror(errno));
	if (syscall(SYS_getcwd, cwd, sizeof(cwd)) < 0 || cwd[0] != '/')
		return fail(err, ERR_CALLER, "%.200s: not a directory of the box", p->cwd);
	return 0;
}

static int enter_work(struct payload *p)
{
	char cwd[64];

	if (p->cwd && strcmp(p->cwd, "/work") != 0)
		return enter_other(p);
	/* Exactly there: a directory outside the root would read "(unreachable)"
	 * (CVE-2024-21626). */
	if (chdir("/work") < 0)
		return fail_sys(&p->board->error, "enter /work");
	if (syscall(SYS_getcwd, cwd, sizeof(cwd)) < 0 || strcmp(cwd, "/work") != 0)
		return fail(&p->board->error, ERR_INTERNAL, "the working directory is not /work");
	return 0;
}

struct door {
	struct payload *p;
	pid_t child;
};

/* Made with the box: the rules know inodes, and no mount comes after them. */
static int restrict_files(struct payload *p)
{
	struct error *err = &p->board->error;

	if (p->box->rules < 0) {
		(void)fail(err, ERR_CONFIG, "there are no rules");
		return layer_missing(p->board, LAYER_LANDLOCK, NULL, err);
	}
	if (landlock_enter(RULES_FD, err) < 0)
		return layer_missing(p->board, LAYER_LANDLOCK, NULL, err);
	return close(RULES_FD) < 0 ? fail_sys(err, "close the rules") : 0;
}

/* Below the steps that need many descriptors. */
static int set_rlimits(struct payload *p)
{
	const struct seal_limits limits = {
		.limits = p->limits,
		.memory_by_rlimit = p->memory_by_rlimit,
		.processes_by_rlimit = p->board->layers[LAYER_PROCESSES].state != LAYER_FULL,
		/* In user mode the launcher and init have the program's uid. */
		.own_processes = p->plan->root_mode ? 0 : 2,
	};

	if (seal_rlimits(&limits, &p->board->error) < 0)
		return -1;
	layer_stands(p->board, LAYER_RLIMITS, "core files fsize nproc cpu stack memlock");
	return 0;
}

/* Nothing leads there any more, and it is mostly gone by now; but the program does not begin before
 * it is. */
static int leave_old_root(struct payload *p)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	uint32_t *there = &p->board->old_root;

	while (__atomic_load_n(there, __ATOMIC_ACQUIRE) == OLD_ROOT_GOING &&
	       __atomic_load_n(&p->board->unmounter, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, there, FUTEX_WAIT, OLD_ROOT_GOING, &moment);
	if (__atomic_load_n(there, __ATOMIC_ACQUIRE) != OLD_ROOT_GONE)
		return fail(&p->board->error, ERR_SYSTEM, "the host's root could not be let go of");
	return 0;
}

/* What must be written down about the program before it runs is being written while we seal
 * ourselves.  If it cannot be, the warden kills us here. */
static int await_leave(struct payload *p)
{
	static const struct timespec moment = {.tv_nsec = 10000000}; /* should the call be lost */
	uint32_t *leave = &p->board->leave;

	stay_awake_for(leave);
	while (!__atomic_load_n(leave, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, leave, FUTEX_WAIT, 0, &moment);
	return 0;
}

static int filter_calls(struct payload *p)
{
	if (seccomp_install(p->filter, &p->board->error) < 0)
		return -1;
	layer_stands(p->board, LAYER_SECCOMP, "allowlist, %u instructions", p->filter->len);
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct payload *p);
} steps[] = {
	{"cgroup", join_groups},         /* first: whatever follows is charged to the box */
	{"namespaces", join_namespaces}, /* mounts, ipc, host name; pids by birth */
	{"keyring", renew_keyring},      /* no key of the caller's */
	{"session", leave_session},      /* no terminal, no signal mask */
	{"descriptors", place_stdio},    /* 0, 1, 2 and nothing else */
	{"identity", become_user},       /* uid, capabilities, no_new_privs */
	{"directory", enter_work},       /* beneath the new root, checked */
	{"landlock", restrict_files},    /* again, by inode, in case a mount was wrong */
	{"rlimits", set_rlimits},        /* landlock's rules needed descriptors */
	{"old root", leave_old_root},    /* late: another process unmounts it */
	{"leave", await_leave},          /* after all that takes time; nothing ran so far */
	{"seccomp", filter_calls},       /* last: it forbids what the others need */
};

/* Says why exec failed; not on the board, where an error means that nothing runs: the next
 * directory may have it. */
static void note_exec_error(const struct payload *p, const char *path, struct error *err)
{
	struct stat st;

	if (errno == ENOENT && lstat(path, &st) == 0)
		(void)fail(err, ERR_NOT_FOUND,
			   "%.200s: its interpreter or loader is not in the box", path);
	else if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		(void)fail(err, ERR_NOT_FOUND, "%.200s: no such program in the box",
			   p->words->argv[0]);
	else if (errno == ENOEXEC)
		(void)fail(err, ERR_REFUSED,
			   "%.200s: not executable (neither a binary of this machine nor #!)",
			   path);
	else if (errno == EACCES || errno == EPERM || errno == EISDIR)
		(void)fail(err, ERR_REFUSED, "%.200s: may not be executed", path);
	else
		(void)fail_sys(err, "execute %.200s", path);
}

/* The first refusal counts for more than a later "no such program". */
static void try_exec(struct payload *p, const char *path, struct error *err)
{
	p->board->start_us = clock_us();
	(void)execve(path, p->words->argv, p->words->env);
	if (err->kind == ERR_NONE || err->kind == ERR_NOT_FOUND)
		note_exec_error(p, path, err);
}

static const char *path_variable(char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

static void become_program(struct payload *p, struct error *err)
{
	const char *name = p->words->argv[0];
	const char *dirs = path_variable(p->words->env);

	if (strchr(name, '/') || name[0] == '\0') {
		try_exec(p, name, err);
		return;
	}
	for (;;) {
		size_t len = strcspn(dirs, ":");
		char path[4096];

		if (snprintf(path, sizeof(path), "%.*s/%s", (int)len, dirs, name) <
		    (int)sizeof(path))
			try_exec(p, path, err);
		if (dirs[len] == '\0')
			return;
		dirs += len + 1;
	}
}

static int run_inside(void *arg)
{
	struct payload *p = arg;
	struct error err = {0};

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (steps[i].take(p) == 0)
			continue;
		(void)fail_in(&p->board->error, "%s", steps[i].name);
		_exit(1);
	}
	become_program(p, &err);
	p->board->error = err;
	_exit(1);
}

/* Born in a v2 group: clone3 has no wrapper that brings a stack along, so this child gets a copy
 * of our memory instead; CLONE_VFORK makes us wait just the same. */
static pid_t clone_into(struct payload *p)
{
	struct clone_args args = {
		.flags = CLONE_VFORK | CLONE_INTO_CGROUP,
		.exit_signal = p->last ? SIGCHLD : 0,
		.cgroup = (unsigned)p->v2_door,
	};
	long child;

	if (!p->last)
		args.flags |= CLONE_PARENT;
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0)
		(void)run_inside(p);
	return (pid_t)child;
}

static pid_t clone_here(struct payload *p)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));

	return clone(run_inside, stack + sizeof(stack),
		     CLONE_VM | CLONE_VFORK | SIGCHLD | (p->last ? 0 : CLONE_PARENT), p);
}

/* We are here a moment before init's exec has replaced the memory that it had in common with us.
 * That memory is not dumpable and belongs to the host's user namespace, so until then the
 * kernel refuses us the right to look at init, and with it its namespaces. */
static int join_pid_namespace(int pidfd)
{
	enum { AWAKE = 200, TRIES = 20000 };
	const struct timespec moment = {.tv_nsec = 20000};

	for (int i = 0; setns(pidfd, CLONE_NEWPID) < 0; i++) {
		if (errno != EPERM || i == TRIES)
			return -1;
		if (i < AWAKE)
			(void)sched_yield();
		else
			(void)nanosleep(&moment, NULL);
	}
	return 0;
}

static void bear(struct door *door)
{
	struct payload *p = door->p;

	if (join_pid_namespace(p->box->pidfd) < 0) {
		(void)fail_sys(&p->board->error, "the box's pid namespace");
		return;
	}
	door->child = p->v2_door >= 0 ? clone_into(p) : clone_here(p);
	if (door->child < 0)
		(void)fail_sys(&p->board->error, "clone into the box");
}

static int open_door(void *arg)
{
	bear(arg);
	_exit(0);
}

/* Joining a pid namespace is for one's children, and a launcher may not come back from it (its own
 * belongs to the host).  So a child in between goes, and bears the program as its own sibling. */
static int bear_by_another(struct door *door, struct error *err)
{
	static char stack[16384] __attribute__((aligned(16)));
	pid_t between =
		clone(open_door, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, door);

	if (between < 0)
		return fail_sys(err, "clone");
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int payload_start(struct payload *p, pid_t *ret_pid, struct error *err)
{
	struct door door = {.p = p, .child = -1};

	*ret_pid = 0;
	p->board->error = (struct error){0};
	p->board->start_us = p->board->mark = 0;
	if (p->last)
		bear(&door);
	else if (bear_by_another(&door, err) < 0)
		return -1;
	if (door.child > 0)
		*ret_pid = door.child;
	if (p->board->error.kind != ERR_NONE) {
		*err = p->board->error;
		return -1;
	}
	if (door.child <= 0)
		return fail(err, ERR_INTERNAL, "no child was born");
	/* Killed on its way: by the death of pid 1, or from outside.  Nothing of the program ran.
	 */
	if (p->board->start_us == 0)
		return fail(err, ERR_SYSTEM, "the process died before it was sealed");
	return 0;
}
