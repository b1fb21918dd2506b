/* SPDX-License-Identifier: Apache-2.0 */
/* attack_processes.c - attempts on other processes, on pid 1 above all, and for more privileges. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

static const char hidden[] = "ENOENT EACCES EPERM ESRCH";

static void try_read(struct attack_result *r, const char *path)
{
	own_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char byte;

	if (fd < 0)
		(void)judge(r, fd, hidden);
	else
		(void)judge(r, read(fd, &byte, 1), "EACCES EPERM ESRCH");
}

ATTACK(read_init_root)
{
	own_fd fd = open("/proc/1/root/etc", O_PATH | O_CLOEXEC);

	(void)self, (void)bait;
	(void)judge(r, fd, hidden);
}

ATTACK(read_init_environ)
{
	(void)self, (void)bait;
	try_read(r, "/proc/1/environ");
}

ATTACK(read_init_memory)
{
	own_fd fd = open("/proc/1/mem", O_RDWR | O_CLOEXEC);

	(void)self, (void)bait;
	(void)judge(r, fd, hidden);
}

ATTACK(trace_init)
{
	(void)self, (void)bait;
	(void)judge(r, ptrace(PTRACE_SEIZE, 1, NULL, NULL), "EPERM ENOSYS");
}

ATTACK(trace_parent)
{
	(void)self, (void)bait;
	(void)judge(r, ptrace(PTRACE_SEIZE, getppid(), NULL, NULL), "EPERM ENOSYS");
}

/* Asks and sets nothing: the filter must refuse any pid but 0. */
ATTACK(limit_parent)
{
	struct rlimit limit;

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, &limit),
		    "EPERM ENOSYS");
}

/* We are a copy of our parent: this is at the same address there. */
static char landmark[16] = "landmark";

ATTACK(read_parent_memory)
{
	char copy[sizeof(landmark)];
	struct iovec here = {copy, sizeof(copy)}, there = {landmark, sizeof(landmark)};

	(void)self, (void)bait;
	(void)judge(r, process_vm_readv(getppid(), &here, 1, &there, 1, 0), "EPERM ENOSYS");
}

ATTACK(steal_descriptor)
{
	own_fd parent = (int)syscall(SYS_pidfd_open, getppid(), 0);

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_pidfd_getfd, parent, 1, 0), "EPERM ENOSYS");
}

ATTACK(compare_parent)
{
	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_kcmp, getpid(), getppid(), KCMP_VM, 0, 0), "EPERM ENOSYS");
}

/* A fresh pid namespace starts at 1, and a box has had few processes by now. */
enum { PIDS_TO_SCAN = 65536 };

static size_t count_others(pid_t *ret_one)
{
	size_t n = 0;

	for (pid_t pid = 2; pid < PIDS_TO_SCAN; pid++) {
		if (pid == getpid() || pid == getppid() || (kill(pid, 0) < 0 && errno == ESRCH))
			continue;
		*ret_one = pid;
		n++;
	}
	return n;
}

ATTACK(see_processes)
{
	pid_t one = 0;
	size_t n = count_others(&one);

	(void)self, (void)bait;
	if (n > 0)
		fell(r, "%zu other processes exist, e.g. %d", n, one);
	else
		held(r, "nobody there but pid 1 and ourselves");
}

/* EPERM would mean that the process is there. */
ATTACK(signal_outside)
{
	(void)self;
	if (bait->pid < 1024)
		skipped(r, "the pid outside could be one of ours");
	else
		(void)judge(r, kill((pid_t)bait->pid, 0), "ESRCH");
}

/* Whether it dies is not for us to say: with pid 1 the box ends, and nobody reports. */
ATTACK(kill_init)
{
	static const int signals[] = {SIGTERM, SIGHUP,  SIGINT,  SIGUSR1,
				      SIGSEGV, SIGPIPE, SIGSTOP, SIGKILL};
	struct timespec moment = {.tv_nsec = 20000000};
	int taken = 0;

	(void)self, (void)bait;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		taken += kill(1, signals[i]) == 0;
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		taken += kill(1, i) == 0;
	(void)nanosleep(&moment, NULL);
	if (kill(1, 0) < 0 && errno == ESRCH)
		fell(r, "pid 1 is gone");
	else
		held(r, "alive after every signal (%d sent, the others refused)", taken);
}

/* Only where there is nobody to hit: if the wall has fallen, the host must not suffer for it. */
ATTACK(kill_everyone)
{
	pid_t one = 0;
	size_t n = count_others(&one);

	(void)self, (void)bait;
	if (n > 0 || getpid() > PIDS_TO_SCAN || getppid() != 0) {
		fell(r, "would have hit %zu processes that are not the box's", n + 1);
		return;
	}
	(void)kill(-1, SIGKILL);
	if (kill(1, 0) < 0 && errno == ESRCH)
		fell(r, "pid 1 is gone");
	else
		held(r, "hit nobody outside, pid 1 lives");
}

/* 0 is not mapped or not ours: EINVAL or EPERM. */
ATTACK(become_root)
{
	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_setresuid, 0, 0, 0), "EPERM EINVAL");
	if (geteuid() == 0 || getuid() == 0)
		fell(r, "we are uid 0");
}

ATTACK(join_groups)
{
	gid_t zero = 0;

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_setgroups, 1, &zero), "EPERM EINVAL");
}

ATTACK(raise_capabilities)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	(void)self, (void)bait;
	data[0].effective = data[0].permitted = 1U << CAP_SYS_ADMIN;
	(void)judge(r, syscall(SYS_capset, &head, data), "EPERM ENOSYS");
}

ATTACK(keep_bounding_set)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	(void)self, (void)bait;
	for (int cap = 0; cap <= 63; cap++) {
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 1)
			continue;
		fell(r, "capability %d is in the bounding set", cap);
		return;
	}
	if (syscall(SYS_capget, &head, data) == 0 &&
	    (data[0].permitted | data[1].permitted | data[0].inheritable | data[1].inheritable))
		fell(r, "capabilities are left");
	else
		held(r, "every set is empty");
}

ATTACK(gain_by_exec)
{
	(void)self, (void)bait;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		fell(r, "no_new_privs is not set");
	else
		held(r, "no_new_privs is set");
}

ATTACK(without_filter)
{
	own_file status = fopen("/proc/self/status", "re");
	char line[256];

	(void)self, (void)bait;
	while (status && fgets(line, sizeof(line), status)) {
		if (strcmp(line, "Seccomp:\t2\n") == 0) {
			held(r, "Seccomp: 2");
			return;
		}
	}
	fell(r, "no filter on this process");
}

/* Back to what it was if it works: nobody else must be chosen in our place. */
ATTACK(shield_from_oom)
{
	own_fd fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	(void)self, (void)bait;
	if (fd < 0)
		(void)judge(r, fd, hidden);
	else
		(void)judge(r, write(fd, "-1000", 5), "EACCES EPERM EROFS");
}

ATTACK(real_time)
{
	struct sched_param param = {.sched_priority = 1};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &param), "EPERM ENOSYS");
}

/* PR_SET_MM with an option that does not exist. */
ATTACK(move_memory_map)
{
	(void)self, (void)bait;
	(void)judge(r, prctl(PR_SET_MM, 9999, 0, 0, 0), "EPERM ENOSYS");
}
