/* SPDX-License-Identifier: Apache-2.0 */
/* opencalls_test.c - calls that began and have not ended. */
#include "scribe/opencalls.h"

#include "tap.h"

static struct open_calls o;

TEST(a_call_is_open_until_it_ends)
{
	CHECK(open_calls_add(&o, "a", 1, 10));
	CHECK(open_calls_add(&o, "b", 1, 11));
	CHECK(o.n == 2 && open_calls_since(&o, 99) == 10);
	CHECK(open_calls_remove(&o, "a"));
	CHECK(!open_calls_remove(&o, "a"));
	CHECK(o.n == 1 && open_calls_since(&o, 99) == 11);
	CHECK(open_calls_remove(&o, "b") && open_calls_since(&o, 99) == 99);
}

TEST(who_goes_leaves_orphans_and_only_his_own)
{
	CHECK(open_calls_add(&o, "a", 1, 1));
	CHECK(open_calls_add(&o, "b", 2, 2));
	CHECK(open_calls_add(&o, "c", 1, 3));
	open_calls_orphan(&o, 1);
	CHECK(o.n_orphans == 2);
	open_calls_orphan(&o, 1);
	CHECK(o.n_orphans == 2);
	CHECK(open_calls_remove(&o, "a") && o.n_orphans == 1);
	CHECK(open_calls_remove(&o, "b") && o.n_orphans == 1);
	CHECK(open_calls_remove(&o, "c") && o.n_orphans == 0 && o.n == 0);
}

TEST(there_are_never_more_than_fit)
{
	char id[16];

	for (int i = 0; i < OPEN_CALLS_MAX; i++) {
		(void)snprintf(id, sizeof(id), "c%d", i);
		CHECK(open_calls_add(&o, id, 1, (uint64_t)i));
	}
	CHECK(!open_calls_add(&o, "more", 1, 1));
	CHECK(open_calls_remove(&o, "c17") && open_calls_add(&o, "more", 1, 1));
}
