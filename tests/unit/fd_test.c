/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of ours do not take the place of standard streams; those that came are counted. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "base/own.h"
#include "tap.h"

TEST(a_low_descriptor_is_lifted_and_the_low_one_closed)
{
	int low, lifted;

	(void)close(STDIN_FILENO);
	low = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(low == STDIN_FILENO);
	lifted = fd_lift(low);
	CHECK(lifted > STDERR_FILENO);
	CHECK(fcntl(lifted, F_GETFD) == FD_CLOEXEC);
	CHECK(fcntl(STDIN_FILENO, F_GETFD) < 0 && errno == EBADF);
}

TEST(a_high_descriptor_and_an_error_stay_what_they_are)
{
	own_fd high = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);

	CHECK(fd_lift(high) == high);
	errno = ENOENT;
	CHECK(fd_lift(-1) == -1 && errno == ENOENT);
}

TEST(where_nothing_could_be_received_no_descriptor_came)
{
	int ends[2], fds[FD_PASS_MAX];
	size_t n = FD_PASS_MAX;
	struct error err = {0};
	char byte;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
	CHECK(fd_receive(ends[0], &byte, 1, fds, &n, &err) < 0 && err.sys == EAGAIN);
	CHECK(n == 0);
	/* Twin: one that comes is counted. */
	n = FD_PASS_MAX;
	CHECK(fd_send(ends[1], "x", 1, (int[]){STDOUT_FILENO}, 1, &err) == 0);
	CHECK(fd_receive(ends[0], &byte, 1, fds, &n, &err) == 1 && n == 1);
	CHECK(n != 1 || close(fds[0]) == 0);
	(void)close(ends[0]);
	(void)close(ends[1]);
}
