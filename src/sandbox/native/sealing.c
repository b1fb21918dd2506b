/* SPDX-License-Identifier: Apache-2.0 */
/* sealing.c - what a process goes through before it may run anything of a caller's.
 *
 * Each step takes something away; none is skipped, and whoever fails one ends.
 * It may run in a process that shares its parent's memory, and in one that is an
 * interpreter: system calls, no allocation, an error is left on the board.
 */
#include "sandbox/native/sealing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "call/inside.h"
#include "sandbox/native/door.h"
#include "sandbox/native/landlock.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/spread.h"
#include "sandbox/native/turns.h"

/* v1: a process with one thread that moves itself through `tasks` does not wait for a grace
 * period.  v2: it was born in the group. */
static int join_groups(struct sealing *p)
{
	for (size_t i = 0; i < p->n_doors; i++)
		if (write(p->doors[i], "0", 1) != 1)
			return fail_sys(&p->board->error, "join a control group");
	return 0;
}

/* A cgroup namespace of its own, which nothing in a box can leave: what a program starts can be
 * told from what others start, however it detaches itself. */
static void note_mark(struct sealing *p)
{
	struct stat st;

	if (stat("/proc/self/ns/cgroup", &st) == 0)
		p->board->mark = st.st_ino;
}

static int join_namespaces(struct sealing *p)
{
	if (p->pidfd >= 0 && setns(p->pidfd, CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) < 0)
		return fail_sys(&p->board->error, "join the box");
	/* By itself, whatever the launcher's root and directory are. */
	if (fchdir(p->root) < 0 || chroot(".") < 0)
		return fail_sys(&p->board->error, "enter the box's root");
	/* After the groups were joined: its root is then the box's own group. */
	if (unshare(CLONE_NEWCGROUP) == 0) {
		layer_stands(p->board, LAYER_CGROUP_NAMESPACE, "own");
		if (p->marks)
			note_mark(p);
		return 0;
	}
	(void)fail_sys(&p->board->error, "cgroup namespace");
	return layer_missing(p->board, LAYER_CGROUP_NAMESPACE, NULL, &p->board->error);
}

static int renew_keyring(struct sealing *p)
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

/* Its descriptor came into the table that we have in common with the launcher; from here on we have
 * one of our own. */
static int join_network(struct sealing *p)
{
	static const struct timespec moment = {.tv_nsec = 1000000}; /* should the call be lost */
	struct error *err = &p->board->error;
	uint32_t *word = &p->board->network;

	if (!p->newborn)
		return 0;
	/* Once in any case: whoever takes the host's root away for pid 1 may wait for this
	 * processor since the network is there. */
	(void)sched_yield();
	if (p->meanwhile && !__atomic_load_n(word, __ATOMIC_ACQUIRE))
		p->meanwhile(p->program);
	stay_awake_for(word);
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, word, FUTEX_WAIT, 0, &moment);
	if (setns((int)__atomic_load_n(word, __ATOMIC_ACQUIRE) - 1, CLONE_NEWNET) < 0)
		return fail_sys(err, "enter the network namespace");
	return unshare(CLONE_FILES) < 0 ? fail_sys(err, "descriptors of its own") : 0;
}

static int leave_session(struct sealing *p)
{
	if (setsid() < 0)
		return fail_sys(&p->board->error, "new session");
	(void)umask(022);
	if (p->later)
		turns_as_ever();
	return 0;
}

/* Without input: the box's own null device.  The caller's is the host's inode, on which locks and
 * watches would meet those of others. */
static int place_null(struct sealing *p)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, 0) < 0)
		return fail_sys(&p->board->error, "open /dev/null");
	return close(fd) < 0 ? fail_sys(&p->board->error, "close /dev/null") : 0;
}

static int place_input(struct sealing *p)
{
	struct stat st;

	if (fstat(p->io[0], &st) < 0)
		return fail_sys(&p->board->error, "look at standard input");
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		return p->has_null ? 0 : place_null(p);
	return dup2(p->io[0], 0) < 0 ? fail_sys(&p->board->error, "place descriptor 0") : 0;
}

static int place_io(struct sealing *p)
{
	/* The sources lie above 2: the launcher has /dev/null at 0, 1 and 2. */
	for (int i = 1; i < 3; i++)
		if (dup2(p->io[i], i) < 0)
			return fail_sys(&p->board->error, "place descriptor %d", i);
	return place_input(p);
}

/* Above everything that the places below are taken from. */
static int lift(int *fd, struct error *err)
{
	if (*fd >= 0)
		*fd = fcntl(*fd, F_DUPFD_CLOEXEC, DOOR_LAST_FD + 1);
	return *fd < 0 ? fail_sys(err, "duplicate a descriptor") : 0;
}

/* Whoever waits keeps the door, and what it needs there. */
static int place_door(struct sealing *p)
{
	struct error *err = &p->board->error;

	if (lift(&p->door, err) < 0 || (p->library >= 0 && lift(&p->library, err) < 0))
		return -1;
	if (dup3(p->door, DOOR_FD, p->library < 0 ? O_CLOEXEC : 0) < 0 ||
	    (p->library >= 0 && dup2(p->library, DOOR_LIBRARY_FD) < 0))
		return fail_sys(err, "place the door");
	return p->library < 0 ? DOOR_FD : DOOR_LIBRARY_FD;
}

static int place_more(struct sealing *p)
{
	struct error *err = &p->board->error;

	if (lift(&p->more, err) < 0)
		return -1;
	if (dup2(p->more, INSIDE_MORE_FD) < 0)
		return fail_sys(err, "place a descriptor");
	return INSIDE_MORE_FD;
}

static int place_stdio(struct sealing *p)
{
	enum { GAP_FD = STDERR_FILENO + 1 }; /* what is placed lies above it */
	int last = STDERR_FILENO;

	if (p->door < 0 && place_io(p) < 0)
		return -1;
	if (p->door >= 0 && (last = place_door(p)) < 0)
		return -1;
	if (p->door < 0 && p->more >= 0 && (last = place_more(p)) < 0)
		return -1;
	if (close_range((unsigned)last + 1, ~0u, 0) < 0 ||
	    (last > GAP_FD && close_range(GAP_FD, GAP_FD, 0) < 0))
		return fail_sys(&p->board->error, "close descriptors");
	return 0;
}

static int become_user(struct sealing *p)
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
static int enter_other(struct sealing *p)
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

static int enter_work(struct sealing *p)
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

/* Made with the box: the rules know inodes, and no mount comes after them.  Their descriptor may be
 * the launcher's, too, and goes with the others. */
static int restrict_files(struct sealing *p)
{
	struct error *err = &p->board->error;

	if (p->rules < 0) {
		(void)fail(err, ERR_CONFIG, "there are no rules");
		return layer_missing(p->board, LAYER_LANDLOCK, NULL, err);
	}
	return landlock_enter(p->rules, err) < 0
		       ? layer_missing(p->board, LAYER_LANDLOCK, NULL, err)
		       : 0;
}

/* Below the steps that need many descriptors. */
static int set_rlimits(struct sealing *p)
{
	const struct seal_limits limits = {
		.limits = p->limits,
		.memory_by_rlimit = p->memory_by_rlimit,
		.processes_by_rlimit = p->board->layers[LAYER_PROCESSES].state != LAYER_FULL,
		/* In user mode the launcher and init have the program's uid. */
		.own_processes = p->root_mode ? 0 : 2,
	};

	if (seal_rlimits(&limits, &p->board->error) < 0)
		return -1;
	layer_stands(p->board, LAYER_RLIMITS, "core files fsize nproc cpu stack memlock");
	return 0;
}

/* Mostly it is there by now, and the host's root is gone; but the program does not begin before. If
 * it died on its way there, so do we.  Here and below, the filter of any box allows all calls. */
static int await_init(struct sealing *p)
{
	static const struct timespec moment = {.tv_nsec = 1000000}; /* should the call be lost */
	uint32_t *maker = &p->board->maker;

	while (__atomic_load_n(maker, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, maker, FUTEX_WAIT, 1, &moment);
	if (__atomic_load_n(&p->board->left, __ATOMIC_ACQUIRE))
		return 0;
	p->board->error = p->board->init_error;
	return p->board->error.kind == ERR_NONE
		       ? fail(&p->board->error, ERR_SYSTEM, "it died while the box was made")
		       : -1;
}

/* What must be written down about the program before it runs is being written while we seal
 * ourselves.  If it cannot be, the warden kills us here.  Who waits at the door has none yet. */
static int await_leave(struct sealing *p)
{
	static const struct timespec moment = {.tv_nsec = 10000000}; /* should the call be lost */
	uint32_t *leave = &p->board->leave;

	if (p->door >= 0)
		return 0;
	(void)getcpu(&p->board->cpu, NULL);
	stay_awake_for(leave);
	while (!__atomic_load_n(leave, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, leave, FUTEX_WAIT, 0, &moment);
	return 0;
}

/* Who built the box, pid 1 there, sleeps until the host's root is gone, which takes as long as the
 * network namespace that is being made.  Then we both have work, and it goes on where that was
 * made. */
static int part_from_init(struct sealing *p)
{
	if (p->newborn && p->board->room)
		spread_apart(1, p->cpus);
	return 0;
}

/* What the first half of the filter forbids already. */
static int lock_down(struct sealing *p)
{
	struct error *err = &p->board->error;

	return seal_securebits(err) < 0 ? -1 : seal_core_dumps(err);
}

/* What takes the kernel longest, while others have yet to finish what we wait for next.  It allows
 * what the steps from here on need; until the second half, only our own code runs under it. */
static int filter_most(struct sealing *p)
{
	const struct seccomp_half *first = &p->halves.first;

	if (first->code)
		return seccomp_install(first->code, first->len, &p->board->error);
	if (first->len > 0 && !seal_is_filtered())
		return fail(&p->board->error, ERR_INTERNAL, "the first half is not in force");
	return 0;
}

static int filter_calls(struct sealing *p)
{
	const struct seccomp_half *second = &p->halves.second;
	bool whole = p->halves.first.len == 0;

	if (seccomp_install(whole ? p->filter->code : second->code,
			    whole ? p->filter->len : second->len, &p->board->error) < 0)
		return -1;
	layer_stands(p->board, LAYER_SECCOMP, "allowlist, %u instructions in %u filter%s",
		     whole ? p->filter->len : p->halves.first.len + second->len, whole ? 1U : 2U,
		     whole ? "" : "s");
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct sealing *p);
} steps[] = {
	{"processor", part_from_init},   /* only saves time, if it is before that wakes up */
	{"cgroup", join_groups},         /* first: whatever follows is charged to the box */
	{"namespaces", join_namespaces}, /* mounts, ipc, host name; pids by birth */
	{"keyring", renew_keyring},      /* no key of the caller's */
	{"session", leave_session},      /* no terminal, no signal mask */
	{"landlock", restrict_files},    /* again, by inode, in case a mount was wrong */
	{"locks", lock_down},            /* securebits, no core dumps: while it is allowed to */
	{"seccomp", filter_most},        /* where it can be had in two */
	{"network", join_network},       /* where it is not ours by birth */
	{"descriptors", place_stdio},    /* 0, 1, 2 and nothing else */
	{"identity", become_user},       /* uid, capabilities, no_new_privs */
	{"directory", enter_work},       /* beneath the new root, checked */
	{"rlimits", set_rlimits},        /* the steps above need descriptors */
	{"seccomp", filter_calls},       /* all, or the rest: it forbids what the others need */
	{"pid 1", await_init},           /* late: it execs beside us */
	{"leave", await_leave},          /* last: nothing ran so far */
};

int sealing_take(struct sealing *p)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (steps[i].take(p) < 0)
			return fail_in(&p->board->error, "%s", steps[i].name);
	return 0;
}

/* What was used until here is not the call's. */
static void note_use(struct board *board)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use) < 0)
		return;
	board->used_user_us =
		(uint64_t)use.ru_utime.tv_sec * 1000000 + (uint64_t)use.ru_utime.tv_usec;
	board->used_system_us =
		(uint64_t)use.ru_stime.tv_sec * 1000000 + (uint64_t)use.ru_stime.tv_usec;
}

int sealing_wait(struct sealing *p, int *ret_words)
{
	struct error *err = &p->board->error;
	int fds[DOOR_FDS];

	/* Most calls bring no input: there is time for it now. */
	if (place_null(p) < 0)
		return -1;
	p->has_null = true;
	if (door_wait(DOOR_FD, fds, &p->called) < 0)
		return fail(err, ERR_INTERNAL, "nobody came to the door");
	for (int i = 0; i < 3; i++)
		p->io[i] = fds[DOOR_IN + i];
	if (place_io(p) < 0)
		return -1;
	if (dup3(fds[DOOR_WORDS], DOOR_WORDS_FD, O_CLOEXEC) < 0 ||
	    close_range(DOOR_WORDS_FD + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	*ret_words = DOOR_WORDS_FD;
	note_use(p->board);
	return 0;
}
