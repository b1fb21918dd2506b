/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - who has the processor when two want it. */
#include "sandbox/native/turns.h"

#include <linux/sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/native/rawcall.h"

enum { SHORT_NS = 100000 }; /* as short as the kernel allows */

/* libc has no such struct before 2.41. */
struct attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void turns_short(void)
{
	struct attributes a = {.size = sizeof(a)};

	/* Somebody may have given us another class, or another weight: that stays. */
	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) < 0 || a.policy != SCHED_NORMAL)
		return;
	a.runtime = SHORT_NS;
	(void)syscall(SYS_sched_setattr, 0, &a, 0);
}

/* From one class to the other and nowhere else.  Without libc: who builds a box asks for it in
 * memory that others use, and what is refused is no failure (box.c). */
static bool change(long from, long to)
{
	const int none = 0; /* a struct sched_param */

	return raw_call(SYS_sched_getscheduler, 0, 0, 0, 0, 0) == from &&
	       raw_call(SYS_sched_setscheduler, 0, to, (long)&none, 0, 0) == 0;
}

bool turns_later(void)
{
	return change(SCHED_NORMAL, SCHED_BATCH);
}

void turns_as_ever(void)
{
	(void)change(SCHED_BATCH, SCHED_NORMAL);
}
