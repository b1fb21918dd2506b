/* SPDX-License-Identifier: Apache-2.0 */
/* bench_order.c - who runs behind whom. */
#include "bench_order.h"

/* splitmix64: turns that follow each other have nothing in common. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void order_of_turn(uint64_t turn, size_t *ret_order, size_t n)
{
	uint64_t state = turn;

	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)(draw(&state) % (i + 1));

		ret_order[i] = ret_order[at];
		ret_order[at] = i;
	}
}
