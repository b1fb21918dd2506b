/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever stays beside another is on one processor, and afterwards wherever it was allowed to be.
 */
#include "base/beside.h"

#include "tap.h"

static cpu_set_t mask(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
	return set;
}

TEST(one_that_stays_is_on_that_processor_and_is_let_go_again)
{
	struct beside b = {0};
	cpu_set_t before = mask(), now;
	uint32_t here = beside_here();

	CHECK(here > 0 && CPU_ISSET(here - 1, &before));
	beside_stay(&b, here);
	now = mask();
	CHECK(b.place == here && CPU_COUNT(&now) == 1 && CPU_ISSET(here - 1, &now));
	beside_stay(&b, here);
	CHECK(b.place == here);
	beside_stay(&b, 0);
	now = mask();
	CHECK(b.place == 0 && CPU_EQUAL(&before, &now));
}

/* Somebody may have chosen it: taskset, a unit's CPUAffinity. */
TEST(it_never_goes_where_it_was_not_allowed_to_be)
{
	struct beside b = {0};
	cpu_set_t before = mask(), only, now;
	uint32_t here = beside_here(), other = 0;

	for (uint32_t i = 1; i <= CPU_SETSIZE && !other; i++)
		if (i != here && CPU_ISSET(i - 1, &before))
			other = i;
	if (!other)
		SKIP("one processor");
	CPU_ZERO(&only);
	CPU_SET(here - 1, &only);
	CHECK(sched_setaffinity(0, sizeof(only), &only) == 0);
	beside_stay(&b, other);
	now = mask();
	CHECK(b.place == 0 && CPU_EQUAL(&only, &now));
	beside_stay(&b, here);
	beside_stay(&b, 0);
	now = mask();
	CHECK(CPU_EQUAL(&only, &now));
	CHECK(sched_setaffinity(0, sizeof(before), &before) == 0);
	/* The twin: where it may, it goes. */
	b = (struct beside){0};
	beside_stay(&b, other);
	CHECK(b.place == other && beside_here() == other);
	beside_stay(&b, 0);
}

TEST(one_that_leaves_is_elsewhere_and_is_let_go_again)
{
	struct beside b = {0};
	cpu_set_t before = mask(), now;
	uint32_t here = beside_here();

	if (CPU_COUNT(&before) < 2)
		SKIP("one processor");
	beside_leave(&b, here);
	now = mask();
	CHECK(b.apart && !CPU_ISSET(here - 1, &now) && CPU_COUNT(&now) == CPU_COUNT(&before) - 1);
	CHECK(beside_here() != here);
	beside_leave(&b, here);
	CHECK(b.apart);
	beside_stay(&b, here);
	CHECK(!b.apart && beside_here() == here);
	beside_leave(&b, here);
	beside_stay(&b, 0);
	now = mask();
	CHECK(!b.apart && b.place == 0 && CPU_EQUAL(&before, &now));
}

/* An administrator's taskset, a cpuset that shrank. */
TEST(what_it_may_use_is_learnt_anew_once_it_was_let_go)
{
	struct beside b = {0};
	cpu_set_t before = mask(), only, now;
	uint32_t here = beside_here();

	if (CPU_COUNT(&before) < 2)
		SKIP("one processor");
	beside_leave(&b, here);
	beside_stay(&b, 0);
	CHECK(beside_has_others(&b));
	beside_stay(&b, here);
	CHECK(beside_has_others(&b));
	beside_stay(&b, 0);
	CPU_ZERO(&only);
	CPU_SET(here - 1, &only);
	CHECK(sched_setaffinity(0, sizeof(only), &only) == 0);
	beside_leave(&b, here);
	beside_stay(&b, 0);
	now = mask();
	CHECK(CPU_EQUAL(&only, &now) && !beside_has_others(&b));
	CHECK(sched_setaffinity(0, sizeof(before), &before) == 0);
}

TEST(who_may_be_on_one_processor_only_does_not_leave_it)
{
	struct beside b = {0};
	cpu_set_t before = mask(), only, now;
	uint32_t here = beside_here();

	CPU_ZERO(&only);
	CPU_SET(here - 1, &only);
	CHECK(sched_setaffinity(0, sizeof(only), &only) == 0);
	beside_leave(&b, here);
	beside_leave(&b, 0);
	beside_leave(&b, UINT32_MAX);
	now = mask();
	CHECK(!b.apart && b.place == 0 && CPU_EQUAL(&only, &now));
	CHECK(sched_setaffinity(0, sizeof(before), &before) == 0);
}

TEST(a_processor_that_there_is_not_is_none)
{
	struct beside b = {0};
	cpu_set_t before = mask(), now;

	beside_stay(&b, UINT32_MAX);
	beside_stay(&b, CPU_SETSIZE + 1);
	beside_stay(&b, CPU_SETSIZE);
	now = mask();
	CHECK(CPU_EQUAL(&before, &now));
}
