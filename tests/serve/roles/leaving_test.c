/* SPDX-License-Identifier: Apache-2.0 */
/* leaving_test.c - a process that is on its way out is told from one that lives. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/roles/leaving.h"
#include "tap.h"

enum { TIMES = 200 };

/* One that holds the other end of *ret_end, by a name that looks like the end of one. */
static pid_t start(int *ret_end)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		_exit(1);
	pid = fork();
	if (pid == 0) {
		(void)close(ends[0]);
		(void)prctl(PR_SET_NAME, "a) Z 1 (b");
		(void)send(ends[1], "!", 1, 0);
		for (;;)
			(void)pause();
	}
	(void)close(ends[1]);
	*ret_end = ends[0];
	return pid;
}

/* Whoever sees its socket closed finds it so, every time; before that, never. */
TEST(one_whose_socket_is_closed_is_leaving)
{
	for (int i = 0; i < TIMES; i++) {
		char byte;
		int end;
		pid_t pid = start(&end);

		CHECK(pid > 0);
		CHECK(recv(end, &byte, 1, 0) == 1);
		CHECK(!leaving(pid));
		CHECK(kill(pid, SIGKILL) == 0);
		CHECK(recv(end, &byte, 1, 0) <= 0);
		CHECK(leaving(pid));
		CHECK(close(end) == 0);
		CHECK(waitpid(pid, NULL, 0) == pid);
	}
}

TEST(nobody_is_not_leaving)
{
	CHECK(!leaving(0x3fffffff));
	CHECK(!leaving(getpid()));
}
