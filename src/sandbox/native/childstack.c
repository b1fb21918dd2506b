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

enum {
	BOX_END = LARGE,
	PROGRAM_END = BOX_END + LARGE,
	BETWEEN_END = PROGRAM_END + SMALL,
	NETWORK_END = BETWEEN_END + SMALL,
	MAP_END = NETWORK_END + SMALL,
};

static const size_t ends[CHILDSTACK_COUNT] = {
	[CHILDSTACK_BOX] = BOX_END,         [CHILDSTACK_PROGRAM] = PROGRAM_END,
	[CHILDSTACK_BETWEEN] = BETWEEN_END, [CHILDSTACK_NETWORK] = NETWORK_END,
	[CHILDSTACK_MAP] = MAP_END,
};

static char *room(void)
{
	static char stacks[MAP_END] __attribute__((aligned(PAGE)));

	return stacks;
}

char *childstack_top(enum childstack which)
{
	return room() + ends[which];
}

void childstacks_forget(void)
{
	pages_forget(room(), MAP_END);
}
