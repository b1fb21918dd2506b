/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c - two processes that work side by side belong on two processors. */
#include "sandbox/native/spread.h"

#include <sched.h>

void spread(pid_t pid)
{
	cpu_set_t all, others;
	unsigned here;

	if (sched_getaffinity(0, sizeof(all), &all) < 0 || getcpu(&here, NULL) < 0)
		return;
	others = all;
	CPU_CLR(here, &others);
	if (CPU_COUNT(&others) == 0 || sched_setaffinity(pid, sizeof(others), &others) < 0)
		return;
	(void)sched_setaffinity(pid, sizeof(all), &all);
}
