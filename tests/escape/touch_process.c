/* SPDX-License-Identifier: Apache-2.0 */
/* touch_process.c - attacks another process (pid 1 of the box): its memory, descriptors, limits.
 *
 * WAY PID
 */
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "escape.h"

static char byte;

static pid_t target(int argc, char **argv)
{
	pid_t pid = (pid_t)number(need_arg(argc, argv, 2, "pid"));

	tried("%s %d", argv[1], (int)pid);
	return pid;
}

/* Let go of it again: where there is no wall, it is somebody's shell that would stay stopped. */
static void by_attach(int argc, char **argv)
{
	pid_t pid = target(argc, argv);
	long result = ptrace(PTRACE_ATTACH, pid, NULL, NULL);

	if (result == 0 && waitpid(pid, NULL, __WALL) == pid)
		(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
	end_by(result, "PTRACE_ATTACH");
}

static void by_seize(int argc, char **argv)
{
	end_by(ptrace(PTRACE_SEIZE, target(argc, argv), NULL, NULL), "PTRACE_SEIZE");
}

/* A wrong address is enough: EFAULT comes after the permission check. */
static void by_readv(int argc, char **argv)
{
	struct iovec here = {&byte, 1}, there = {(void *)4096, 1};
	ssize_t n = process_vm_readv(target(argc, argv), &here, 1, &there, 1, 0);

	if (n < 0 && errno == EFAULT)
		escaped("process_vm_readv was allowed to look");
	end_by(n, "process_vm_readv");
}

static void by_writev(int argc, char **argv)
{
	struct iovec here = {&byte, 1}, there = {(void *)4096, 1};
	ssize_t n = process_vm_writev(target(argc, argv), &here, 1, &there, 1, 0);

	if (n < 0 && errno == EFAULT)
		escaped("process_vm_writev was allowed to look");
	end_by(n, "process_vm_writev");
}

static void by_getfd(int argc, char **argv)
{
	long pidfd = syscall(SYS_pidfd_open, target(argc, argv), 0);

	if (pidfd < 0)
		blocked("pidfd_open: %m");
	for (int fd = 0; fd < 16; fd++)
		if (syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0)
			escaped("took its descriptor %d", fd);
	blocked("pidfd_getfd: %m");
}

static void by_kcmp(int argc, char **argv)
{
	pid_t pid = target(argc, argv);

	end_by(syscall(SYS_kcmp, pid, pid, KCMP_VM, 0, 0), "kcmp");
}

static void by_madvise(int argc, char **argv)
{
	long pidfd = syscall(SYS_pidfd_open, target(argc, argv), 0);
	struct iovec nothing = {(void *)4096, 0};

	if (pidfd < 0)
		blocked("pidfd_open: %m");
	end_by(syscall(SYS_process_madvise, pidfd, &nothing, 1, 20 /* MADV_COLD */, 0),
	       "process_madvise");
}

static void by_prlimit(int argc, char **argv)
{
	pid_t pid = target(argc, argv);
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_NOFILE, NULL, &limit) < 0)
		blocked("prlimit: %m");
	end_by(prlimit(pid, RLIMIT_NOFILE, &limit, NULL), "prlimit");
}

static void by_affinity(int argc, char **argv)
{
	pid_t pid = target(argc, argv);
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		cannot("sched_getaffinity: %m");
	end_by(sched_setaffinity(pid, sizeof(set), &set), "sched_setaffinity");
}

static void by_priority(int argc, char **argv)
{
	pid_t pid = target(argc, argv);

	end_by(setpriority(PRIO_PROCESS, (id_t)pid, 19), "setpriority");
}

static const struct way ways[] = {
	{"attach", by_attach},     /* stop it and rule it */
	{"seize", by_seize},       /* rule it without a stop */
	{"readv", by_readv},       /* read its memory */
	{"writev", by_writev},     /* write its memory */
	{"getfd", by_getfd},       /* take a descriptor */
	{"kcmp", by_kcmp},         /* learn kernel addresses' order */
	{"madvise", by_madvise},   /* throw its pages out */
	{"prlimit", by_prlimit},   /* change its limits */
	{"affinity", by_affinity}, /* move it */
	{"priority", by_priority}, /* slow it down */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
