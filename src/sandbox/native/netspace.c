/* SPDX-License-Identifier: Apache-2.0 */
/* netspace.c - an empty network namespace, made beside other work.
 *
 * Making one takes the kernel half a millisecond, as long as a whole root.  A
 * child that shares our memory and descriptors makes it on the other core and
 * leaves its descriptor in our table; then it may have an errand.  The child runs while we do, with
 * our thread-local storage: it must not call libc, which would write to errno.
 */
#include "sandbox/native/netspace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/board.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/spread.h"

enum { BEGIN_NOT_YET, BEGIN_NOW, BEGIN_NEVER };

/* In the box's mount namespace "/" is, for whoever comes in, what was mounted there last. */
static void run_errand(struct netspace *n)
{
	static const struct timespec moment = {.tv_nsec = 1000000}; /* should the call be lost */
	uint32_t begin;

	while ((begin = __atomic_load_n(&n->begin, __ATOMIC_ACQUIRE)) == BEGIN_NOT_YET)
		(void)raw_call(SYS_futex, (long)&n->begin, FUTEX_WAIT, BEGIN_NOT_YET, (long)&moment,
			       0);
	if (begin != BEGIN_NOW)
		return;
	if (raw_call(SYS_setns, n->mounts, CLONE_NEWNS, 0, 0, 0) == 0 &&
	    raw_call(SYS_umount2, (long)"/", MNT_DETACH, 0, 0, 0) == 0)
		raw_post(n->done, OLD_ROOT_GONE);
	else
		raw_post(n->done, OLD_ROOT_THERE);
}

static _Noreturn int make(void *arg)
{
	struct netspace *n = arg;

	if (raw_call(SYS_unshare, CLONE_NEWNET, 0, 0, 0, 0) == 0)
		n->fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)"/proc/self/ns/net",
				      O_RDONLY | O_CLOEXEC, 0, 0);
	raw_post(&n->made, 1);
	if (n->errand)
		run_errand(n);
	for (;;)
		(void)raw_call(SYS_exit_group, 0, 0, 0, 0, 0);
}

void netspace_init(struct netspace *n, bool errand, uint32_t *alive)
{
	*n = (struct netspace){.fd = -1, .mounts = -1, .errand = errand, .alive = alive};
	*alive = 1;
}

int netspace_begin(struct netspace *n, struct error *err)
{
	long maker = raw_clone(CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | SIGCHLD,
			       childstack_top(CHILDSTACK_NETWORK), n->alive, make, n);

	if (maker < 0) {
		__atomic_store_n(n->alive, 0, __ATOMIC_RELEASE);
		errno = (int)-maker;
		return fail_sys(err, "clone for a network namespace");
	}
	n->maker = (pid_t)maker;
	spread(n->maker, true);
	return 0;
}

void netspace_unmount(struct netspace *n, int mounts, uint32_t *done)
{
	n->mounts = mounts;
	n->done = done;
	__atomic_store_n(done, OLD_ROOT_GOING, __ATOMIC_RELEASE);
	raw_post(&n->begin, BEGIN_NOW);
}

/* Or until the maker is dead. */
static void wait_until_made(struct netspace *n)
{
	static const struct timespec moment = {.tv_nsec = 1000000};

	stay_awake_for(&n->made);
	while (__atomic_load_n(&n->made, __ATOMIC_ACQUIRE) == 0 &&
	       __atomic_load_n(n->alive, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, &n->made, FUTEX_WAIT, 0, &moment);
}

int netspace_enter(struct netspace *n, struct error *err)
{
	int result = 0;

	if (n->errand && n->begin == BEGIN_NOT_YET) /* there is no box, or it did it itself */
		raw_post(&n->begin, BEGIN_NEVER);
	wait_until_made(n);
	if (n->fd < 0)
		return fail(err, ERR_CONFIG,
			    "no network namespace could be made (is "
			    "user.max_net_namespaces 0?)");
	if (setns(n->fd, CLONE_NEWNET) < 0)
		result = fail_sys(err, "enter the network namespace");
	own_fd_end(&n->fd);
	n->fd = -1;
	return result;
}

int netspace_reap(struct netspace *n, struct error *err)
{
	while (n->maker > 0 && waitpid(n->maker, NULL, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for the network namespace");
	n->maker = 0;
	return 0;
}
