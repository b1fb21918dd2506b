/* SPDX-License-Identifier: Apache-2.0 */
/* box.c - an empty box: fresh namespaces, its own /proc, /work and /tmp, and a pid 1.
 *
 * The launcher clones a child that shares its memory and descriptors into new
 * namespaces, and waits; the child mounts what the box has for itself, gives
 * everything up, lets the launcher go on and becomes init.  Nothing of the
 * launcher's memory stays in pid 1, because init is exec'ed from a sealed memfd.
 */
#include "sandbox/native/box.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/filerules.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/mounts.h"
#include "sandbox/native/procfs.h"
#include "sandbox/native/procfull.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/rootfs.h"
#include "sandbox/native/seal.h"

enum { LEASH_FD = 3 };

struct maker {
	struct plan *plan;
	const struct limits *limits;
	struct board *board;
	int work, rules, mounts, proc,
		root; /* opened by the child in the shared descriptor table */
	struct error err;
	uint32_t built; /* enum built; a futex */
};

enum built { BUILT_NOT_YET, BUILT_WELL, BUILT_NOT };

static int build_root(struct maker *m)
{
	return m->plan->once ? rootfs_build(m->plan, m->board, &m->err) : 0;
}

static int mount_proc(struct maker *m)
{
	if (m->plan->once)
		return 0; /* came with the root */
	if (procfs_mount("/proc", m->plan->profile->proc_full, m->board, &m->err) < 0)
		return -1;
	if (m->board->layers[LAYER_PROC].state == LAYER_FULL)
		return 0;
	/* Never the outer one: without our own there is an empty directory. */
	return umount2("/proc", MNT_DETACH) < 0 ? fail_sys(&m->err, "take /proc away") : 0;
}

/* One tmpfs behind /work, /tmp and /dev/shm, so that one number limits them together. */
static int mount_disk(struct maker *m)
{
	bool listed = m->plan->profile->n_programs > 0;
	char options[128];

	(void)snprintf(options, sizeof(options), "mode=0755,size=%" PRIu64 ",nr_inodes=%" PRIu64,
		       m->limits->disk_bytes, m->limits->inodes + BOX_OWN_INODES);
	if (mount("tmpfs", "/work", "tmpfs", MS_NOSUID | MS_NODEV | (listed ? MS_NOEXEC : 0),
		  options) < 0)
		return fail_sys(&m->err, "mount /work");
	if (mkdir("/work/work", 0755) < 0 || mkdir("/work/tmp", 0755) < 0 ||
	    mkdir("/work/shm", 0755) < 0)
		return fail_sys(&m->err, "make directories on the box's disk");
	if (chown("/work/work", INSIDE_UID, INSIDE_GID) < 0 || chmod("/work/tmp", 01777) < 0 ||
	    chmod("/work/shm", 01777) < 0)
		return fail_sys(&m->err, "give /work to the program");
	layer_stands(m->board, LAYER_DISK, "tmpfs, size and inodes limited%s",
		     listed ? ", noexec" : "");
	return 0;
}

static int place_disk(struct maker *m)
{
	if (mounts_bind("/work/tmp", "/tmp", false, &m->err) < 0 ||
	    mounts_bind("/work/shm", "/dev/shm", false, &m->err) < 0 ||
	    mounts_restrict("/dev/shm", MOUNT_ATTR_NOEXEC, false, &m->err) < 0)
		return -1;
	/* Last: it covers the tmpfs's own root. */
	return mounts_bind("/work/work", "/work", false, &m->err);
}

static int fill_proc(struct maker *m)
{
	if (!m->plan->profile->proc_full || m->board->layers[LAYER_PROC].state != LAYER_FULL)
		return 0;
	return procfull_mask(m->limits, &m->err);
}

static int place_grants(struct maker *m)
{
	return grants_place_late(m->plan, &m->err);
}

static int name_host(struct maker *m)
{
	if (sethostname("box", 3) < 0 || setdomainname("", 0) < 0)
		return fail_sys(&m->err, "set the host name");
	return 0;
}

static int open_handles(struct maker *m)
{
	m->work = open("/work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->work < 0)
		return fail_sys(&m->err, "open /work");
	if (m->plan->keeps && m->board->layers[LAYER_PROC].state == LAYER_FULL) {
		m->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (m->proc < 0)
			return fail_sys(&m->err, "open /proc");
	}
	m->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (m->root < 0)
		return fail_sys(&m->err, "open /");
	/* Only saves time: without /proc the namespace is taken down at once. */
	m->mounts = m->plan->mounts >= 0 ? m->plan->mounts
					 : open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	return 0;
}

static int make_rules(struct maker *m)
{
	return filerules_make(m->plan, m->board, &m->rules, &m->err);
}

static int give_up(struct maker *m)
{
	/* Ignored, so that the kernel reaps for us; survives exec. */
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	uid_t uid = m->plan->root_mode ? 0 : INSIDE_UID;

	if (sigaction(SIGCHLD, &ignore, NULL) < 0)
		return fail_sys(&m->err, "ignore SIGCHLD");
	if (seal_born_identity(uid, uid, &m->err) < 0)
		return -1;
	return seal_no_new_privs(&m->err);
}

/* The launcher goes on meanwhile, with the same thread-local storage: no libc from here on.  If it
 * fails there is no pid 1, and the program's process cannot be born. */
static _Noreturn int become_init(struct maker *m)
{
	static char name[] = "init";
	static char *const argv[] = {name, NULL};
	static char *const env[] = {NULL};
	int program = m->plan->init_program;

	raw_post(&m->built, BUILT_WELL);
	(void)raw_call(SYS_execveat, program, (long)"", (long)argv, (long)env, AT_EMPTY_PATH);
	for (;;)
		(void)raw_call(SYS_exit_group, 1, 0, 0, 0, 0);
}

static const struct {
	const char *name;
	int (*take)(struct maker *m);
} steps[] = {
	{"root", build_root},      /* unless the slot has one for all its boxes */
	{"proc", mount_proc},      /* before the masks and the handles */
	{"proc full", fill_proc},  /* uses /work while it is free */
	{"disk", mount_disk},      /* the quota for everything writable */
	{"places", place_disk},    /* hides the disk's own root */
	{"grants", place_grants},  /* beneath /work and /tmp */
	{"host name", name_host},  /* uts namespace */
	{"handles", open_handles}, /* for the launcher: after the last mount */
	{"landlock", make_rules},  /* the program enters them later */
	{"privileges", give_up},   /* nothing below may need one */
	{"init", become_init},     /* does not return */
};

static _Noreturn int make_inside(void *arg)
{
	struct maker *m = arg;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (steps[i].take(m) == 0)
			continue;
		(void)fail_in(&m->err, "box: %s", steps[i].name);
		break;
	}
	raw_post(&m->built, BUILT_NOT);
	for (;;)
		(void)raw_call(SYS_exit_group, 1, 0, 0, 0, 0);
}

static int wait_until_built(const struct box *box, struct maker *m, struct error *err)
{
	static const struct timespec moment = {.tv_nsec = 20000000};
	struct pollfd end = {.fd = box->pidfd, .events = POLLIN};

	while (__atomic_load_n(&m->built, __ATOMIC_ACQUIRE) == BUILT_NOT_YET) {
		(void)syscall(SYS_futex, &m->built, FUTEX_WAIT, BUILT_NOT_YET, &moment);
		if (__atomic_load_n(&m->built, __ATOMIC_ACQUIRE) == BUILT_NOT_YET &&
		    poll(&end, 1, 0) > 0)
			return fail(err, ERR_SYSTEM, "who builds the box was killed");
	}
	if (m->err.kind == ERR_NONE)
		return 0;
	*err = m->err;
	return -1;
}

void box_init(struct box *box)
{
	*box = (struct box){.pidfd = -1,
			    .leash = -1,
			    .work = -1,
			    .rules = -1,
			    .mounts = -1,
			    .proc = -1,
			    .root = -1};
}

/* The read end lies at a fixed place, where init expects it; it must survive the exec. */
static int make_leash(struct box *box, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe");
	box->leash = ends[1];
	if (ends[0] != LEASH_FD) {
		int result = dup2(ends[0], LEASH_FD);

		(void)close(ends[0]);
		return result < 0 ? fail_sys(err, "place the leash") : 0;
	}
	return fcntl(LEASH_FD, F_SETFD, 0) < 0 ? fail_sys(err, "place the leash") : 0;
}

int box_make(struct box *box, struct plan *plan, const struct limits *limits, struct board *board,
	     struct error *err)
{
	static struct maker m; /* stays where it is: the child has it when we go on */
	/* A box that is kept is looked into from outside, through its pid 1: not before its exec.
	 */
	const int flags = CLONE_VM | CLONE_FILES | CLONE_PIDFD | CLONE_NEWNS | CLONE_NEWPID |
			  CLONE_NEWIPC | CLONE_NEWUTS | SIGCHLD | (plan->keeps ? CLONE_VFORK : 0);
	struct error aside = {0};
	int result;

	m = (struct maker){.plan = plan,
			   .limits = limits,
			   .board = board,
			   .work = -1,
			   .rules = -1,
			   .mounts = -1,
			   .proc = -1,
			   .root = -1};
	box_init(box);
	if (make_leash(box, err) < 0)
		return -1;
	result = clone(make_inside, childstack_top(CHILDSTACK_BOX), flags, &m, &box->pidfd);
	if (result < 0)
		return fail_sys(err, "namespaces for a box");
	box->init = result;
	result = plan->beside ? netspace_begin(plan->beside, &aside) : 0;
	if (wait_until_built(box, &m, err) < 0)
		result = -1;
	else if (result < 0)
		*err = aside;
	box->work = m.work;
	box->rules = m.rules;
	box->mounts = m.mounts;
	box->proc = m.proc;
	box->root = m.root;
	box->made_for = *limits;
	if (result < 0) {
		(void)box_kill(box);
		box_done(box);
		return -1;
	}
	layer_stands(board, LAYER_PID_NAMESPACE, "own");
	layer_stands(board, LAYER_IPC_NAMESPACE, "own");
	layer_stands(board, LAYER_UTS_NAMESPACE, "own, named box");
	layer_stands(board, LAYER_INIT, "%s",
		     plan->root_mode ? "own uid, not dumpable, filtered"
				     : "not dumpable, filtered");
	return 0;
}

bool box_kill(struct box *box)
{
	enum { MOMENT_MS = 100 };
	struct pollfd end = {.fd = box->pidfd, .events = POLLIN};
	bool ours = false;
	int status = 0;

	if (!box->init)
		return true;
	/* The leash first: how pid 1 ends then tells whether it was alive and well until now. */
	own_fd_end(&box->leash);
	box->leash = -1;
	if (poll(&end, 1, MOMENT_MS) <= 0) {
		ours = true;
		(void)pidfd_send_signal(box->pidfd, SIGKILL, NULL, 0);
	}
	/* Returns only after every process of the pid namespace is gone. */
	while (waitpid(box->init, &status, 0) < 0 && errno == EINTR)
		;
	box->init = 0;
	return ours || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void box_done(struct box *box)
{
	own_fd_end(&box->pidfd);
	own_fd_end(&box->leash);
	own_fd_end(&box->work);
	own_fd_end(&box->rules);
	own_fd_end(&box->mounts);
	own_fd_end(&box->proc);
	own_fd_end(&box->root);
	box_init(box);
}
