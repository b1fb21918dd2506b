/* SPDX-License-Identifier: Apache-2.0 */
/* childstack.c - where children that share their maker's memory have their stacks.
 *
 * In one place, so that a launcher that waits for hours can give back what
 * they touched.  Who never has such a child pays nothing: they are zeros that
 * the kernel has not been asked for.
 */
#include "sandbox/native/childstack.h"

#include <stddef.h>

#include "base/pages.h"

enum { SMALL = 16 << 10, LARGE = 256 << 10, PAGE = 4096 };

static const size_t ends[CHILDSTACK_COUNT] = {
	[CHILDSTACK_BOX] = LARGE,
	[CHILDSTACK_PROGRAM] = 2 * LARGE,
	[CHILDSTACK_BETWEEN] = 2 * LARGE + SMALL,
	[CHILDSTACK_NETWORK] = 2 * LARGE + 2 * SMALL,
	[CHILDSTACK_MAP] = 2 * LARGE + 3 * SMALL,
};

static char *room(void)
{
	static char stacks[2 * LARGE + 3 * SMALL] __attribute__((aligned(PAGE)));

	return stacks;
}

char *childstack_top(enum childstack which)
{
	return room() + ends[which];
}

void childstacks_forget(void)
{
	pages_forget(room(), 2 * LARGE + 3 * SMALL);
}
