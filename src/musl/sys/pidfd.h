/* SPDX-License-Identifier: Apache-2.0 */
/* sys/pidfd.h - what glibc has in its file of this name. */
#ifndef MUSL_SYS_PIDFD_H
#define MUSL_SYS_PIDFD_H

#include <signal.h>
#include <unistd.h>

static inline int pidfd_open(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

static inline int pidfd_send_signal(int pidfd, int signal, siginfo_t *info, unsigned flags)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, info, flags);
}

#endif
