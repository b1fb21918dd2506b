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
#include <linux/futex.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/spread.h"

/* By way of a socket: the /proc that is in sight may be that of a box, which does not know us. */
int netspace_become(int *ret_socket)
{
	long result = raw_call(SYS_unshare, CLONE_NEWNET, 0, 0, 0, 0);
	long sock;

	if (result < 0)
		return (int)result;
	sock = raw_call(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0, 0);
	if (sock < 0)
		return (int)sock;
	result = raw_call(SYS_ioctl, sock, SIOCGSKNS, 0, 0, 0);
	if (result < 0)
		(void)raw_call(SYS_close, sock, 0, 0, 0, 0);
	*ret_socket = (int)sock;
	return (int)result;
}

static _Noreturn int make(void *arg)
{
	struct netspace *n = arg;

	if (raw_call(SYS_unshare, CLONE_NEWNET, 0, 0, 0, 0) == 0)
		n->fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)"/proc/self/ns/net",
				      O_RDONLY | O_CLOEXEC, 0, 0);
	raw_post(&n->made, 1);
	for (;;)
		(void)raw_call(SYS_exit_group, 0, 0, 0, 0, 0);
}

int netspace_begin(struct netspace *n, struct error *err)
{
	long maker;

	*n = (struct netspace){.fd = -1, .alive = 1};
	maker = raw_clone(CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | SIGCHLD,
			  childstack_top(CHILDSTACK_NETWORK), NULL, &n->alive, make, n);
	if (maker < 0) {
		errno = (int)-maker;
		return fail_sys(err, "clone for a network namespace");
	}
	n->maker = (pid_t)maker;
	spread(n->maker, true);
	return 0;
}

/* Or until the maker is dead. */
static void wait_until_made(struct netspace *n)
{
	static const struct timespec moment = {.tv_nsec = 1000000};

	stay_awake_for(&n->made);
	while (__atomic_load_n(&n->made, __ATOMIC_ACQUIRE) == 0 &&
	       __atomic_load_n(&n->alive, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, &n->made, FUTEX_WAIT, 0, &moment);
}

int netspace_enter(struct netspace *n, struct error *err)
{
	int result = 0;

	wait_until_made(n);
	if (n->fd < 0)
		return fail(err, ERR_CONFIG,
			    "no network namespace could be made (is "
			    "user.max_net_namespaces 0?)");
	if (setns(n->fd, CLONE_NEWNET) < 0)
		result = fail_sys(err, "enter the network namespace");
	own_fd_end(&n->fd);
	n->fd = -1;
	while (waitpid(n->maker, NULL, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for the network namespace");
	return result;
}
