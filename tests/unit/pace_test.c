/* SPDX-License-Identifier: Apache-2.0 */
/* When a slot gets ready for its next call. */
#include "cli/pace.h"

#include "tap.h"

enum { LONG_US = 1000000 };

static const uint64_t begin_us = 5000000000;

/* A call from its request to its answer, which takes a while. */
static uint64_t call(struct pace *p, uint64_t asked_us)
{
	pace_asked(p, asked_us);
	pace_answered(p, asked_us + LONG_US);
	return asked_us + LONG_US;
}

TEST(there_is_nothing_to_do_before_the_first_call)
{
	struct pace p = {0};

	CHECK(pace_wait_ms(&p, begin_us) == -1 && !pace_is_due(&p, begin_us));
	pace_asked(&p, begin_us);
	CHECK(pace_wait_ms(&p, begin_us) == -1 && !pace_is_due(&p, begin_us));
}

TEST(after_a_call_now_and_then_others_have_the_processor_first)
{
	struct pace p = {0};
	uint64_t at = call(&p, begin_us);

	for (int i = 0; i < 3; i++) {
		CHECK(!pace_is_due(&p, at) && pace_wait_ms(&p, at) == 1);
		CHECK(!pace_is_due(&p, at + PACE_TIDY_US - 1));
		CHECK(pace_wait_ms(&p, at + PACE_TIDY_US) == 0);
		CHECK(pace_is_due(&p, at + PACE_TIDY_US));
		CHECK(!pace_is_due(&p, at + LONG_US) && pace_wait_ms(&p, at + LONG_US) == -1);
		at = call(&p, at + PACE_BUSY_US); /* not soon enough */
	}
}

TEST(where_calls_follow_each_other_it_is_ready_at_once)
{
	struct pace p = {0};
	uint64_t at = call(&p, begin_us);

	for (int i = 0; i < 3; i++) {
		at = call(&p, at + PACE_BUSY_US - 1);
		CHECK(pace_wait_ms(&p, at) == 0);
		CHECK(pace_is_due(&p, at));
		CHECK(!pace_is_due(&p, at));
	}
	at = call(&p, at + LONG_US); /* and then they do not any more */
	CHECK(!pace_is_due(&p, at) && pace_is_due(&p, at + PACE_TIDY_US));
}

/* Files for a call come before it: what counts is how long ago the last answer was. */
TEST(how_much_is_asked_for_one_call_does_not_count)
{
	struct pace p = {0};
	uint64_t at = call(&p, begin_us);

	pace_asked(&p, at + 1);
	pace_asked(&p, at + LONG_US);
	pace_asked(&p, at + LONG_US + 1);
	pace_answered(&p, at + LONG_US + 2);
	CHECK(!pace_is_due(&p, at + LONG_US + 2));
}

/* One that comes before anything was prepared is not disturbed by what was due for it. */
TEST(what_is_due_while_a_call_runs_is_due_once)
{
	struct pace p = {0};
	uint64_t at = call(&p, begin_us);

	pace_asked(&p, at + 1);
	CHECK(pace_is_due(&p, at + PACE_TIDY_US));
	CHECK(!pace_is_due(&p, at + PACE_TIDY_US) && pace_wait_ms(&p, at + LONG_US) == -1);
}
