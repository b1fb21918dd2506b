/* SPDX-License-Identifier: Apache-2.0 */
/* outlive.c - attacks the end of the call: leave something running, or make the end wait.
 *
 * WAY MARKER SECONDS: whatever is left behind carries MARKER in its command line and ends by
 * itself after SECONDS.  The runner looks for it, and at the clock.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "escape.h"

static unsigned seconds(int argc, char **argv)
{
	(void)need_arg(argc, argv, 2, "marker");
	tried("%s", argv[1]);
	return (unsigned)number(need_arg(argc, argv, 3, "seconds"));
}

static void close_all(void)
{
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
}

/* Two forks and a session of its own: nobody's child, nobody's group. */
static void by_daemon(int argc, char **argv)
{
	unsigned life = seconds(argc, argv);

	if (fork() == 0) {
		(void)setsid();
		if (fork() != 0)
			_exit(0);
		close_all();
		(void)sleep(life);
		_exit(0);
	}
	(void)wait(NULL);
	_exit(0);
}

/* A stopped process does not act on a polite signal. */
static void by_stopped(int argc, char **argv)
{
	unsigned life = seconds(argc, argv);
	pid_t child = fork();

	if (child == 0) {
		close_all();
		(void)alarm(life);
		(void)raise(SIGSTOP);
		_exit(0);
	}
	(void)waitpid(child, NULL, WUNTRACED);
	_exit(0);
}

/* The reader of a pipe waits for its last writer. */
static void by_stdout(int argc, char **argv)
{
	unsigned life = seconds(argc, argv);

	if (fork() == 0) {
		(void)sleep(life);
		_exit(0);
	}
	_exit(0);
}

/* Ignores everything that can be ignored and is not a child of anybody who waits. */
static void by_deaf(int argc, char **argv)
{
	unsigned life = seconds(argc, argv);

	for (int sig = 1; sig <= 64; sig++)
		(void)sigaction(sig, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	if (fork() == 0) {
		(void)setsid();
		close_all();
		(void)sleep(life);
		_exit(0);
	}
	_exit(0);
}

/* The program itself stops: only the clock can end it. */
static void by_stop_self(int argc, char **argv)
{
	(void)seconds(argc, argv);
	(void)raise(SIGSTOP);
	_exit(0);
}

/* A parent in vfork waits for its child and for nothing else. */
static void by_vfork(int argc, char **argv)
{
	struct timespec life = {.tv_sec = seconds(argc, argv)};

	if (vfork() == 0) {
		(void)syscall(SYS_nanosleep, &life, NULL);
		_exit(0);
	}
	_exit(0);
}

static const struct way ways[] = {
	{"daemon", by_daemon},       /* leave by double fork */
	{"stopped", by_stopped},     /* leave a stopped child */
	{"stdout", by_stdout},       /* leave the pipe open */
	{"deaf", by_deaf},           /* leave one that listens to no signal */
	{"stop-self", by_stop_self}, /* never end */
	{"vfork", by_vfork},         /* never end, waiting */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
