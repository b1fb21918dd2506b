/* SPDX-License-Identifier: Apache-2.0 */
/* node_door.c - makes a node wait at the door, as a library that node loads and lets go of again.
 *
 * Loading it is all there is: it waits in its constructor, and has nothing that node could
 * register, so that node unmaps it at once.  It needs no library (not even by name) and only
 * functions that every C library has had for long: the node is whatever the root holds.
 */
#include <fcntl.h>
#include <linux/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/native/door.h"
#include "sandbox/native/nodewire.h"

enum { TYPE_MASK = 0170000, TYPE_CHAR = 0020000, NULL_MAJOR = 1, NULL_MINOR = 3 };

static bool is_null_device(int fd, bool *ret)
{
	struct statx st = {0};

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return false;
	*ret = (st.stx_mode & TYPE_MASK) == TYPE_CHAR && st.stx_rdev_major == NULL_MAJOR &&
	       st.stx_rdev_minor == NULL_MINOR;
	return true;
}

/* Without input: the box's own null device, as for a program that is started for its call. */
static bool reopen_null(void)
{
	bool null = false;
	long fd;

	if (!is_null_device(0, &null))
		return false;
	if (!null)
		return true;
	fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && dup2((int)fd, 0) == 0 && close((int)fd) == 0;
}

static bool place(const int fds[DOOR_FDS])
{
	for (int i = 0; i < 3; i++)
		if (dup2(fds[i], i) < 0)
			return false;
	if (syscall(SYS_dup3, fds[DOOR_WORDS], NODE_WORDS_FD, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < DOOR_FDS; i++)
		if (close(fds[i]) < 0)
			return false;
	return reopen_null();
}

/* Something to rehearse output on: node itself has no way to make one. */
static bool make_pipe(void)
{
	int ends[2];

	return syscall(SYS_pipe2, ends, O_CLOEXEC) == 0 &&
	       syscall(SYS_dup3, ends[0], NODE_PIPE_OUT_FD, O_CLOEXEC) >= 0 &&
	       syscall(SYS_dup3, ends[1], NODE_PIPE_IN_FD, O_CLOEXEC) >= 0 && close(ends[0]) == 0 &&
	       close(ends[1]) == 0;
}

static uint64_t us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* The launcher cannot see from outside what was used until now, and is not the call's. */
static bool say_begun(void)
{
	struct door_begun begun = {.says = DOOR_BEGUN};
	struct rusage use = {0};

	if (syscall(SYS_getrusage, RUSAGE_SELF, &use) < 0)
		return false;
	begun.used_user_us = us(&use.ru_utime);
	begun.used_system_us = us(&use.ru_stime);
	return send(NODE_DOOR_FD, &begun, sizeof(begun), MSG_NOSIGNAL) == (ssize_t)sizeof(begun) &&
	       close(NODE_DOOR_FD) == 0;
}

static bool wait_for_go(void)
{
	int fds[DOOR_FDS];
	bool called; /* nobody is, of us */

	return close(NODE_LIBRARY_FD) == 0 && door_wait(NODE_DOOR_FD, fds, &called) == 0 &&
	       place(fds) && say_begun();
}

/* It is loaded twice; the second time the pipe is there.  Whatever is not as it should be: the
 * launcher sees that nobody began. */
__attribute__((constructor)) static void come_in(void)
{
	if (!(close(NODE_PIPE_OUT_FD) == 0 ? wait_for_go() : make_pipe()))
		_exit(1);
}
