/* SPDX-License-Identifier: Apache-2.0 */
/* closeby.c - who takes part in a short call takes turns on one processor.
 *
 * Warden, launcher and program hand a call over to each other, and nobody has
 * anything to do while the next one works.  Woken on another processor, each
 * waits until that has come to, and finds nothing of its own in its caches.  So
 * each calls the next one to where it is itself, and the next one takes its turn
 * only when the caller sleeps: one that is still awake would make the kernel move
 * the program, when it execs, to a processor that is free.
 */
#include "sandbox/native/closeby.h"

#include "sandbox/native/spread.h"

void closeby_call(pid_t pid, const cpu_set_t *cpus)
{
	spread_here(pid, cpus);
}

void closeby_free(const cpu_set_t *cpus)
{
	if (CPU_COUNT(cpus) > 0)
		(void)sched_setaffinity(0, sizeof(*cpus), cpus);
}

/* Since Linux 6.12 who falls asleep too early stays in the queue until its turn comes.  Whoever
 * called us would count at our exec, which then moved to a processor that is asleep: 0.2 ms.  Now
 * its turn has come. */
void closeby_leave(const cpu_set_t *cpus)
{
	(void)sched_yield();
	closeby_free(cpus);
}
