/* SPDX-License-Identifier: Apache-2.0 */
/* turns_test.c - what the kernel knows of a wish for the processor, and that nothing else changes.
 */
#include "sandbox/native/turns.h"

#include <linux/sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

struct seen {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static struct seen look(void)
{
	struct seen s = {.size = sizeof(s)};

	CHECK(syscall(SYS_sched_getattr, 0, &s, sizeof(s), 0) == 0);
	return s;
}

TEST(short_turns_are_asked_for_and_the_weight_stays)
{
	struct seen before, after;

	CHECK(setpriority(PRIO_PROCESS, 0, 3) == 0);
	before = look();
	turns_short();
	after = look();
	CHECK(after.policy == SCHED_NORMAL && after.nice == 3 && after.flags == before.flags);
	if (after.runtime == before.runtime)
		SKIP("this kernel knows no such wish");
	CHECK(after.runtime < before.runtime || before.runtime == 0);
}

TEST(who_can_wait_is_as_ever_afterwards)
{
	struct seen before = look();

	CHECK(turns_later());
	CHECK(look().policy == SCHED_BATCH);
	CHECK(!turns_later());
	turns_as_ever();
	CHECK(look().policy == before.policy && look().nice == before.nice);
	CHECK(look().runtime == before.runtime);
}

TEST(another_class_is_left_alone)
{
	const int none = 0;

	CHECK(syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &none) == 0);
	turns_short();
	turns_later();
	CHECK(look().policy == SCHED_IDLE);
	turns_as_ever();
	CHECK(look().policy == SCHED_IDLE);
}
