/* SPDX-License-Identifier: Apache-2.0 */
/* barestart.c - programs started as they are, for measuring. */
#include "barestart.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loadclient.h"

/* posix_spawn() does not copy this process: what is measured is the other program. */
static pid_t start(const char *const argv[], int out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int failed;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, out, 1);
	failed =
		posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (failed)
		die(argv[0]);
	return pid;
}

double bare_us(const char *const argv[], char *ret_text, size_t room)
{
	double since = now_us();
	size_t len = 0;
	ssize_t n;
	char rest[256];
	int fds[2], status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		die("pipe2");
	pid = start(argv, fds[1]);
	(void)close(fds[1]);
	do {
		bool is_full = len + 1 >= room;

		n = read(fds[0], is_full ? rest : ret_text + len,
			 is_full ? sizeof(rest) : room - 1 - len);
		if (n > 0 && !is_full)
			len += (size_t)n;
	} while (n > 0);
	ret_text[len] = '\0';
	(void)close(fds[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return NAN;
	return now_us() - since;
}

double bare_per_second(const char *const argv[], size_t n, double for_us)
{
	double since = now_us();
	size_t running = 0, done = 0;
	bool failed = false;
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), status;

	if (nowhere < 0)
		die("/dev/null");
	for (;;) {
		bool goes_on = now_us() - since < for_us;

		for (; goes_on && running < n; running++)
			(void)start(argv, nowhere);
		if (running == 0)
			break;
		if (wait(&status) < 0)
			die("wait");
		failed = failed || status != 0;
		running--;
		done++;
	}
	(void)close(nowhere);
	return failed ? NAN : 1e6 * (double)done / (now_us() - since);
}
