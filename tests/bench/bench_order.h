/* SPDX-License-Identifier: Apache-2.0 */
/* bench_order.h - who runs behind whom. */
#ifndef BENCH_ORDER_H
#define BENCH_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* 0 to n - 1 in an order of its own for each turn, the same in every run of the benchmark.  What
 * one leaves to the kernel to clear away (a network namespace takes it half a millisecond, and some
 * time later) falls on the next: in a circle, always on the same. */
void order_of_turn(uint64_t turn, size_t *ret_order, size_t n);

#endif
