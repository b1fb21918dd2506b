/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - a process goes to the processor of whoever asks it, while nobody else does. */
#include "base/beside.h"

uint32_t beside_here(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (uint32_t)cpu + 1;
}

/* Never more than what it had before it was moved: somebody may have chosen that, and may choose
 * something else while it is anywhere. */
static bool know(struct beside *b)
{
	if (b->place == 0)
		b->known = sched_getaffinity(0, sizeof(b->all), &b->all) == 0;
	return b->known;
}

void beside_stay(struct beside *b, uint32_t place)
{
	cpu_set_t only;

	if (place == b->place && !b->apart)
		return;
	if (place > CPU_SETSIZE || !know(b) || (place && !CPU_ISSET(place - 1, &b->all)))
		place = 0;
	if (place == b->place && !b->apart)
		return;
	CPU_ZERO(&only);
	if (place)
		CPU_SET(place - 1, &only);
	if (sched_setaffinity(0, sizeof(only), place ? &only : &b->all) == 0)
		b->place = place, b->apart = false;
}

bool beside_has_others(struct beside *b)
{
	return know(b) && CPU_COUNT(&b->all) > 1;
}

void beside_leave(struct beside *b, uint32_t place)
{
	cpu_set_t others;

	if (place == 0 || place > CPU_SETSIZE || (b->apart && b->place == place) || !know(b))
		return;
	others = b->all;
	CPU_CLR(place - 1, &others);
	if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) < 0)
		return;
	b->place = place;
	b->apart = true;
}
