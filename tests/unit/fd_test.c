/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of ours do not take the place of standard streams. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>

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
