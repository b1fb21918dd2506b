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
#include "sandbox/native/spread.h"

enum { BEGIN_NOT_YET, BEGIN_NOW, BEGIN_NEVER };

#if defined(__x86_64__)
static long raw_call(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

static long raw_open(const char *path, long flags)
{
	return raw_call(SYS_open, (long)path, flags, 0, 0);
}
#elif defined(__aarch64__)
static long raw_call(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

static long raw_open(const char *path, long flags)
{
	return raw_call(SYS_openat, AT_FDCWD, (long)path, flags, 0);
}
#else
#error "netspace: this architecture has no raw system call yet"
#endif

/* In the box's mount namespace "/" is, for whoever comes in, what was mounted there last. */
static void run_errand(struct netspace *n)
{
	static const struct timespec moment = {.tv_nsec = 1000000}; /* should the call be lost */
	unsigned begin;

	while ((begin = __atomic_load_n(&n->begin, __ATOMIC_ACQUIRE)) == BEGIN_NOT_YET)
		(void)raw_call(SYS_futex, (long)&n->begin, FUTEX_WAIT, BEGIN_NOT_YET,
			       (long)&moment);
	if (begin == BEGIN_NOW && raw_call(SYS_setns, n->mounts, CLONE_NEWNS, 0, 0) == 0 &&
	    raw_call(SYS_umount2, (long)"/", MNT_DETACH, 0, 0) == 0)
		n->unmounted = true;
}

static _Noreturn int make(void *arg)
{
	struct netspace *n = arg;

	if (raw_call(SYS_unshare, CLONE_NEWNET, 0, 0, 0) == 0)
		n->fd = (int)raw_open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (n->errand)
		run_errand(n);
	for (;;)
		(void)raw_call(SYS_exit_group, 0, 0, 0, 0);
}

int netspace_begin(struct netspace *n, bool errand, struct error *err)
{
	static char stack[16384] __attribute__((aligned(16)));

	*n = (struct netspace){.fd = -1, .mounts = -1, .errand = errand};
	n->maker = clone(make, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, n);
	if (n->maker < 0)
		return fail_sys(err, "clone for a network namespace");
	spread(n->maker, true);
	return 0;
}

static void send_off(struct netspace *n, unsigned begin)
{
	__atomic_store_n(&n->begin, begin, __ATOMIC_RELEASE);
	(void)syscall(SYS_futex, &n->begin, FUTEX_WAKE, 1);
}

void netspace_unmount(struct netspace *n, int mounts)
{
	n->mounts = mounts;
	send_off(n, BEGIN_NOW);
}

int netspace_enter(struct netspace *n, struct error *err)
{
	int result = 0;

	if (n->errand && n->begin == BEGIN_NOT_YET) /* there is no box, or it did it itself */
		send_off(n, BEGIN_NEVER);
	while (waitpid(n->maker, NULL, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for the network namespace");
	if (n->begin == BEGIN_NOW && !n->unmounted)
		return fail(err, ERR_SYSTEM, "the host's root could not be let go of");
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
