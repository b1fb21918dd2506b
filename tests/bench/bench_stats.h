/* SPDX-License-Identifier: Apache-2.0 */
/* bench_stats.h - what many measures say: a failed run is NAN and never a measure. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

struct stats {
	size_t n;      /* measures */
	size_t failed; /* runs that were none */
	double min;
	double median;
	double p99; /* nearest rank */
	double max;
};

/* All values are NAN: so is everything in the answer. */
struct stats stats_of(const double *values, size_t n);
/* The median of value/base over the places where both were measured: noise that comes and goes
 * falls on both halves of a pair alike. */
double stats_ratio(const double *values, const double *bases, size_t n);

#endif
