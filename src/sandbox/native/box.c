/* SPDX-License-Identifier: Apache-2.0 */
/* box.c - an empty box: fresh namespaces, its own /proc, /work and /tmp, and a pid 1.
 *
 * The launcher clones a child that shares its memory and descriptors into new
 * namespaces, and waits; the child mounts what the box has for itself, lets the
 * launcher go on, gives everything up and becomes init.  Nothing of the
 * launcher's memory stays in pid 1, because init is exec'ed from a sealed memfd.
 * For a single program the namespaces are the launcher's own: what it bears then
 * is in the box.
 */
#include "sandbox/native/box.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
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
#include "sandbox/native/identity.h"
#include "sandbox/native/mounts.h"
#include "sandbox/native/procfs.h"
#include "sandbox/native/procfull.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/rootfs.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/turns.h"

enum { LEASH_FD = 3 };
enum { GET_MNT_NAMESPACE = _IO(0xFF, 3) }; /* of a pidfd: Debian 12 has no header for it */

struct maker {
	struct plan *plan;
	const struct limits *limits;
	struct board *board;
	int work, rules, mounts, proc,
		root;     /* opened by the child in the shared descriptor table */
	int ready;        /* an eventfd: it is built, or trouble says why not */
	const int *pidfd; /* the child's own */
	struct error trouble;
	struct error *err; /* where it writes what goes wrong: trouble, later on the board */
};

/* Of the only box: its launcher has left that to us. */
static int be_last(struct maker *m)
{
	struct error ignored = {0};

	if (!plan_is_single(m->plan))
		return 0;
	identity_be_last(m->board);
	(void)seal_keyring(&ignored); /* the payload renews it, and checks */
	return 0;
}

static int build_root(struct maker *m)
{
	return m->plan->once ? rootfs_build(m->plan, m->board, m->err) : 0;
}

static int mount_proc(struct maker *m)
{
	if (m->plan->once)
		return 0; /* came with the root */
	if (procfs_mount("/proc", m->plan->profile->proc_full, m->board, m->err) < 0)
		return -1;
	if (m->board->layers[LAYER_PROC].state == LAYER_FULL)
		return 0;
	/* Never the outer one: without our own there is an empty directory. */
	return umount2("/proc", MNT_DETACH) < 0 ? fail_sys(m->err, "take /proc away") : 0;
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
		return fail_sys(m->err, "mount /work");
	if (mkdir("/work/work", 0755) < 0 || mkdir("/work/tmp", 0755) < 0 ||
	    mkdir("/work/shm", 0755) < 0)
		return fail_sys(m->err, "make directories on the box's disk");
	if (chown("/work/work", INSIDE_UID, INSIDE_GID) < 0 || chmod("/work/tmp", 01777) < 0 ||
	    chmod("/work/shm", 01777) < 0)
		return fail_sys(m->err, "give /work to the program");
	layer_stands(m->board, LAYER_DISK, "tmpfs, size and inodes limited%s",
		     listed ? ", noexec" : "");
	return 0;
}

static int place_disk(struct maker *m)
{
	if (mounts_bind("/work/tmp", "/tmp", false, m->err) < 0 ||
	    mounts_bind("/work/shm", "/dev/shm", false, m->err) < 0 ||
	    mounts_restrict("/dev/shm", MOUNT_ATTR_NOEXEC, false, m->err) < 0)
		return -1;
	/* Last: it covers the tmpfs's own root. */
	return mounts_bind("/work/work", "/work", false, m->err);
}

static int fill_proc(struct maker *m)
{
	if (!m->plan->profile->proc_full || m->board->layers[LAYER_PROC].state != LAYER_FULL)
		return 0;
	return procfull_mask(m->limits, m->err);
}

static int place_grants(struct maker *m)
{
	return grants_place_late(m->plan, m->err);
}

static int name_host(struct maker *m)
{
	if (sethostname("box", 3) < 0 || setdomainname("", 0) < 0)
		return fail_sys(m->err, "set the host name");
	return 0;
}

/* Of the child's own.  Since Linux 6.11 it need not be looked for in /proc, which takes 15 us. */
static int open_mounts(const struct maker *m)
{
	int fd = ioctl(*m->pidfd, GET_MNT_NAMESPACE, 0);

	return fd >= 0 ? fd : open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
}

static int open_handles(struct maker *m)
{
	m->work = open("/work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->work < 0)
		return fail_sys(m->err, "open /work");
	if (m->plan->keeps && m->board->layers[LAYER_PROC].state == LAYER_FULL) {
		m->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (m->proc < 0)
			return fail_sys(m->err, "open /proc");
	}
	m->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (m->root < 0)
		return fail_sys(m->err, "open /");
	/* Only saves time: without /proc the namespace is taken down at once. */
	m->mounts = open_mounts(m);
	return 0;
}

static int make_rules(struct maker *m)
{
	return filerules_make(m->plan, m->board, &m->rules, m->err);
}

static int give_up(struct maker *m)
{
	/* Ignored, so that the kernel reaps for us; survives exec. */
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	uid_t uid = m->plan->root_mode ? 0 : INSIDE_UID;

	if (sigaction(SIGCHLD, &ignore, NULL) < 0)
		return fail_sys(m->err, "ignore SIGCHLD");
	if (seal_securebits(m->err) < 0 || seal_born_identity(uid, uid, m->err) < 0)
		return -1;
	return seal_no_new_privs(m->err);
}

/* From here on somebody waits for the launcher, and nobody for us yet: woken where that makes the
 * network, we go on when it is made and told. */
static int go_last(struct maker *m)
{
	if (plan_is_single(m->plan) && m->board->room)
		(void)turns_later();
	return 0;
}

static int leave_old_root(struct maker *m)
{
	return m->plan->once ? rootfs_leave_old(m->err) : 0;
}

static int become_init(struct maker *m)
{
	static char name[] = "init";
	static char *const argv[] = {name, NULL};
	static char *const env[] = {NULL};
	int program = m->plan->init_program;

	__atomic_store_n(&m->board->left, 1, __ATOMIC_RELEASE);
	errno = (int)-raw_call(SYS_execveat, program, (long)"", (long)argv, (long)env,
			       AT_EMPTY_PATH);
	__atomic_store_n(&m->board->left, 0, __ATOMIC_RELEASE);
	return fail_sys(m->err, "exec");
}

struct step {
	const char *name;
	int (*take)(struct maker *m);
};

static const struct step building[] = {
	{"spaces", be_last},       /* while the host's /proc is there */
	{"root", build_root},      /* unless the slot has one for all its boxes */
	{"proc", mount_proc},      /* before the masks and the handles */
	{"proc full", fill_proc},  /* uses /work while it is free */
	{"disk", mount_disk},      /* the quota for everything writable */
	{"places", place_disk},    /* hides the disk's own root */
	{"grants", place_grants},  /* beneath /work and /tmp */
	{"host name", name_host},  /* uts namespace */
	{"handles", open_handles}, /* for the launcher: after the last mount */
	{"landlock", make_rules},  /* the program enters them later */
};

/* While the launcher goes on and the program's process seals itself, which waits for the last of
 * these (sealing.c): no program begins before. */
static const struct step leaving[] = {
	{"turn", go_last},            /* only saves time */
	{"old root", leave_old_root}, /* nothing leads there since the box has its root */
	{"privileges", give_up},      /* nothing below may need one */
	{"init", become_init},        /* does not return */
};

static int take_steps(struct maker *m, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (steps[i].take(m) < 0)
			return fail_in(m->err, "box: %s", steps[i].name);
	return 0;
}

/* The launcher has the same errno, and uses it when it goes on: from there on we write to it only
 * if we fail, and then there will be no box for the launcher to be wrong about. */
static _Noreturn int make_inside(void *arg)
{
	static const uint64_t one = 1;
	struct maker *m = arg;
	bool built = take_steps(m, building, ARRAY_LEN(building)) == 0;

	m->err = &m->board->init_error;
	if (built)
		raw_post(&m->board->built, 1);
	/* If it does not get through, our end does. */
	if (raw_call(SYS_write, m->ready, (long)&one, sizeof(one), 0, 0) > 0 && built)
		(void)take_steps(m, leaving, ARRAY_LEN(leaving));
	for (;;)
		(void)raw_call(SYS_exit_group, 1, 0, 0, 0, 0);
}

/* Without libc, whose errno is also the maker's, for as long as it may use that. */
static int wait_until_built(const struct box *box, struct error *err)
{
	enum { READY, END };
	struct pollfd fds[] = {[READY] = {.fd = box->ready, .events = POLLIN},
			       [END] = {.fd = box->pidfd, .events = POLLIN}};

	for (;;) {
		long n = raw_call(SYS_ppoll, (long)fds, ARRAY_LEN(fds), 0, 0, 0);

		if (n < 0 && n != -EINTR)
			return fail(err, ERR_SYSTEM, "wait for the box: error %ld", -n);
		if (fds[READY].revents)
			break;
		if (fds[END].revents)
			return fail(err, ERR_SYSTEM, "who builds the box was killed");
	}
	if (box->maker->trouble.kind == ERR_NONE)
		return 0;
	*err = box->maker->trouble;
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
			    .root = -1,
			    .ready = -1};
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

/* What a box has for itself beside its network, which takes longer. */
enum { SPACES = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS };

int box_enter_spaces(struct error *err)
{
	return unshare(SPACES) < 0 ? fail_sys(err, "namespaces for a box") : 0;
}

/* A box that is kept is looked into from outside, through its pid 1: not before its exec. */
static int start_maker(struct box *box, struct maker *m, struct error *err)
{
	const unsigned long flags = CLONE_VM | CLONE_FILES | CLONE_PIDFD | CLONE_CHILD_CLEARTID |
				    SIGCHLD | (plan_is_single(m->plan) ? 0 : SPACES) |
				    (m->plan->keeps ? CLONE_VFORK : 0);
	long child;

	m->board->maker = 1;
	m->board->left = 0;
	m->board->init_error = (struct error){0};
	child = raw_clone(flags, childstack_top(CHILDSTACK_BOX), &box->pidfd, &m->board->maker,
			  make_inside, m);
	if (child < 0)
		return errno = (int)-child, fail_sys(err, "namespaces for a box");
	box->init = (pid_t)child;
	return 0;
}

int box_begin(struct box *box, struct plan *plan, const struct limits *limits, struct board *board,
	      struct error *err)
{
	static struct maker m; /* stays where it is: the child has it when we go on */

	m = (struct maker){.plan = plan,
			   .limits = limits,
			   .board = board,
			   .work = -1,
			   .rules = -1,
			   .mounts = -1,
			   .proc = -1,
			   .root = -1,
			   .pidfd = &box->pidfd,
			   .err = &m.trouble};
	box_init(box);
	board->built = 0;
	box->made_for = *limits;
	box->ready = m.ready = eventfd(0, EFD_CLOEXEC);
	if (m.ready < 0)
		return fail_sys(err, "eventfd");
	if (make_leash(box, err) < 0 || start_maker(box, &m, err) < 0) {
		box_done(box);
		return -1;
	}
	box->maker = &m;
	return 0;
}

void box_lend(const struct box *box, int *ret_root, int *ret_rules)
{
	*ret_root = box->maker ? box->maker->root : box->root;
	*ret_rules = box->maker ? box->maker->rules : box->rules;
}

int box_await(struct box *box, struct error *err)
{
	struct maker *m = box->maker;
	int result = wait_until_built(box, err);

	box->work = m->work;
	box->rules = m->rules;
	box->mounts = m->mounts;
	box->proc = m->proc;
	box->root = m->root;
	box->maker = NULL;
	if (result < 0)
		return -1;
	own_fd_end(&box->ready); /* nobody writes to it any more */
	box->ready = -1;
	layer_stands(m->board, LAYER_PID_NAMESPACE, "own");
	layer_stands(m->board, LAYER_IPC_NAMESPACE, "own");
	layer_stands(m->board, LAYER_UTS_NAMESPACE, "own, named box");
	layer_stands(m->board, LAYER_INIT, "%s",
		     m->plan->root_mode ? "own uid, not dumpable, filtered"
					: "not dumpable, filtered");
	return 0;
}

int box_make(struct box *box, struct plan *plan, const struct limits *limits, struct board *board,
	     struct error *err)
{
	if (box_begin(box, plan, limits, board, err) < 0)
		return -1;
	if (box_await(box, err) == 0)
		return 0;
	(void)box_kill(box);
	box_done(box);
	return -1;
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
	own_fd_end(&box->ready);
	box_init(box);
}
