/* SPDX-License-Identifier: Apache-2.0 */
/* slots_test.c - what slots tell of their interpreters adds up, whichever call it came with. */
#include "gate/slots.h"

#include "tap.h"

static struct slots s;

static void saw(size_t slot, uint64_t interpreters, uint64_t calls)
{
	const struct start start = {
		.how = START_WAITING, .interpreters = interpreters, .interpreter_calls = calls};

	slots_saw(&s, &s.list[slot].remote, &start);
}

TEST(interpreters_and_what_came_out_of_them_are_counted_once)
{
	slots_init(&s, -1, NULL, SLOTS_KEPT);
	saw(0, 1, 1);
	CHECK(s.interpreters == 1 && s.forked == 1);
	saw(0, 1, 2);
	saw(0, 1, 5); /* some were made and not used */
	CHECK(s.interpreters == 1 && s.forked == 5);
	saw(1, 2, 3); /* another slot, whose first one nobody heard of */
	CHECK(s.interpreters == 3 && s.forked == 8);
	saw(0, 2, 1); /* renewed */
	CHECK(s.interpreters == 4 && s.forked == 9);
	saw(0, 0, 0); /* a cold one, of a slot that has none */
	CHECK(s.interpreters == 4 && s.forked == 9);
	saw(0, 1, 1); /* it lies: nothing goes down */
	CHECK(s.interpreters == 4 && s.forked == 9);
	slots_done(&s);
}

TEST(what_is_told_of_a_remote_that_is_no_slot_counts_nothing)
{
	const struct start start = {.interpreters = 7, .interpreter_calls = 7};
	struct remote other;

	remote_init(&other);
	slots_init(&s, -1, NULL, SLOTS_KEPT);
	slots_saw(&s, &other, &start);
	CHECK(s.interpreters == 0 && s.forked == 0);
	slots_done(&s);
}
