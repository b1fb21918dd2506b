/* SPDX-License-Identifier: Apache-2.0 */
/* execs.c - the programs of a kept box, as its launcher has them: children to wait for. */
#include "sandbox/native/execs.h"

#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"

int execs_add(struct execs *e, uint64_t number, pid_t pid, struct error *err)
{
	int fd;

	if (e->n == KEPT_EXECS_MAX)
		return fail(err, ERR_CALLER, "%d programs run in the box already", KEPT_EXECS_MAX);
	fd = pidfd_open(pid, 0);
	if (fd < 0)
		return fail_sys(err, "pidfd of the program");
	e->list[e->n++] = (struct exec_child){.number = number, .pid = pid, .fd = fd};
	return 0;
}

void execs_signal(const struct execs *e, uint64_t number, int signal, bool group)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct exec_child *child = &e->list[i];

		if (child->number != number)
			continue;
		/* Not waited for yet: its number, and so its group's, cannot be another's. */
		if (!group || kill(-child->pid, signal) < 0)
			(void)pidfd_send_signal(child->fd, signal, NULL, 0);
	}
}

void execs_reap(struct execs *e, size_t i, struct to_warden *ret)
{
	siginfo_t info = {0};

	/* By number: libc's waitid has no rusage, and wait4 says less about the end. */
	while (syscall(SYS_waitid, P_PID, e->list[i].pid, &info, WEXITED, &ret->rusage) < 0)
		if (errno != EINTR)
			_exit(1);
	ret->end_us = clock_us();
	ret->end_code = info.si_code;
	ret->end_status = info.si_status;
	ret->exec = e->list[i].number;
	own_fd_end(&e->list[i].fd);
	e->list[i] = e->list[--e->n];
}
