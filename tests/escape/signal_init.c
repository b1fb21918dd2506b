/* SPDX-License-Identifier: Apache-2.0 */
/* signal_init.c - attacks pid 1 with every signal there is, by each call that sends one.
 *
 * If pid 1 dies, so do we, and the runner sees that we did not get to say "blocked".  If it is
 * stopped or gone in a way that leaves us alive, we see it.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "escape.h"

static char state_of_init(void)
{
	char line[512] = "";
	const char *end;
	int fd = open("/proc/1/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return '?'; /* hidden from us, which is as it should be */
	if (read(fd, line, sizeof(line) - 1) <= 0)
		return '?';
	(void)close(fd);
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : '?';
}

int main(void)
{
	struct timespec pause = {.tv_nsec = 30000000};
	long pidfd = syscall(SYS_pidfd_open, 1, 0);
	char state;

	tried("signals 1..64 to pid 1");
	for (int sig = 1; sig <= 64; sig++) {
		(void)kill(1, sig);
		(void)syscall(SYS_tgkill, 1, 1, sig);
		(void)sigqueue(1, sig, (union sigval){0});
		if (pidfd >= 0)
			(void)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
	}
	(void)nanosleep(&pause, NULL);
	if (kill(1, 0) < 0 && errno == ESRCH)
		escaped("pid 1 is gone");
	state = state_of_init();
	if (state == 'T' || state == 'Z' || state == 'X')
		escaped("pid 1 is in state %c", state);
	blocked("pid 1 is still there, state %c", state);
}
