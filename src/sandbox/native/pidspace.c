/* SPDX-License-Identifier: Apache-2.0 */
/* pidspace.c - into a box's pid namespace, as soon as its pid 1 lets itself be looked at.
 *
 * Who comes a moment before init's exec has replaced the memory that it had in common with its
 * launcher comes too early: that memory is not dumpable and belongs to the host's user namespace,
 * so until then the kernel refuses us the right to look at init, and with it its namespaces.
 * Neither the end of a vfork nor a cleared tid tells when it is over: both come before.
 */
#include "sandbox/native/pidspace.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

int pidspace_join(int pidfd)
{
	enum { AWAKE = 200, TRIES = 20000 };
	const struct timespec moment = {.tv_nsec = 20000};

	for (int i = 0; setns(pidfd, CLONE_NEWPID) < 0; i++) {
		if (errno != EPERM || i == TRIES)
			return -1;
		if (i < AWAKE)
			(void)sched_yield();
		else
			(void)nanosleep(&moment, NULL);
	}
	return 0;
}
