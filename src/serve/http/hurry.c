/* SPDX-License-Identifier: Apache-2.0 */
/* hurry.c - what a stranger has sent is thrown away, and may not hold us up. */
#include "serve/http/hurry.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"

enum { HURRY_US = 2000 };

static void wake(int number)
{
	(void)number;
}

void hurry_ready(void)
{
	struct sigaction action = {.sa_handler = wake, .sa_flags = SA_RESTART};

	(void)sigaction(SIGALRM, &action, NULL);
}

bool hurry_needed(int fd)
{
	int family = AF_UNSPEC;
	socklen_t len = sizeof(family);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) < 0 || family != AF_UNIX)
		return false;
	return !fd_refuses_rights(fd);
}

/* Again and again: the first may come before there is anything to wait for. */
static void set(suseconds_t us)
{
	const struct itimerval every = {{.tv_usec = us}, {.tv_usec = us}};

	(void)setitimer(ITIMER_REAL, &every, NULL);
}

void hurry_begin(bool needed)
{
	if (needed)
		set(HURRY_US);
}

void hurry_end(bool needed)
{
	if (needed)
		set(0);
}

void hurry_close(int fd, bool needed)
{
	hurry_begin(needed);
	(void)close(fd);
	hurry_end(needed);
}
