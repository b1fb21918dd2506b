/* SPDX-License-Identifier: Apache-2.0 */
/* netspace.c - an empty network namespace, made beside other work.
 *
 * Making one takes the kernel half a millisecond, as long as a whole root.  A
 * child that shares our memory and descriptors makes it on the other core and
 * leaves its descriptor in our table.  The child runs while we do, with our
 * thread-local storage: it must not call libc, which would write to errno.
 */
#include "sandbox/native/netspace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/spread.h"

#if defined(__x86_64__)
static long raw_call(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

static long raw_open(const char *path, long flags)
{
	return raw_call(SYS_open, (long)path, flags, 0);
}
#elif defined(__aarch64__)
static long raw_call(long nr, long a, long b, long c)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}

static long raw_open(const char *path, long flags)
{
	return raw_call(SYS_openat, AT_FDCWD, (long)path, flags);
}
#else
#error "netspace: this architecture has no raw system call yet"
#endif

static _Noreturn int make(void *arg)
{
	struct netspace *n = arg;

	if (raw_call(SYS_unshare, CLONE_NEWNET, 0, 0) == 0)
		n->fd = (int)raw_open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	for (;;)
		(void)raw_call(SYS_exit_group, 0, 0, 0);
}

int netspace_begin(struct netspace *n, struct error *err)
{
	static char stack[16384] __attribute__((aligned(16)));

	n->fd = -1;
	n->maker = clone(make, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, n);
	if (n->maker < 0)
		return fail_sys(err, "clone for a network namespace");
	spread(n->maker, true);
	return 0;
}

int netspace_enter(struct netspace *n, struct error *err)
{
	int result = 0;

	while (waitpid(n->maker, NULL, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for the network namespace");
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
