/* SPDX-License-Identifier: Apache-2.0 */
/* signal_process.c - attacks the pid namespace: end a process of the host, by each call that can.
 *
 * WAY PID
 */
#include <signal.h>
#include <sys/syscall.h>

#include "escape.h"

static pid_t target(int argc, char **argv)
{
	pid_t pid = (pid_t)number(need_arg(argc, argv, 2, "pid"));

	tried("%s %d", argv[1], (int)pid);
	return pid;
}

static void by_kill(int argc, char **argv)
{
	end_by(kill(target(argc, argv), SIGTERM), "kill");
}

static void by_tgkill(int argc, char **argv)
{
	pid_t pid = target(argc, argv);

	end_by(syscall(SYS_tgkill, pid, pid, SIGTERM), "tgkill");
}

static void by_tkill(int argc, char **argv)
{
	end_by(syscall(SYS_tkill, target(argc, argv), SIGTERM), "tkill");
}

static void by_queue(int argc, char **argv)
{
	end_by(sigqueue(target(argc, argv), SIGTERM, (union sigval){0}), "sigqueue");
}

static void by_pidfd(int argc, char **argv)
{
	long fd = syscall(SYS_pidfd_open, target(argc, argv), 0);

	if (fd < 0)
		blocked("pidfd_open: %m");
	end_by(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0), "pidfd_send_signal");
}

static const struct way ways[] = {
	{"kill", by_kill},     /* the plain one */
	{"tgkill", by_tgkill}, /* one thread */
	{"tkill", by_tkill},   /* one thread, the old call */
	{"queue", by_queue},   /* with a value */
	{"pidfd", by_pidfd},   /* by descriptor */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
