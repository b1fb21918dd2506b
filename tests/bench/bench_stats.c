/* SPDX-License-Identifier: Apache-2.0 */
/* bench_stats.c - what many measures say. */
#include "bench_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* A sorted copy without the failed runs; the caller frees it. */
static double *sorted(const double *values, size_t n, size_t *ret_n)
{
	double *good = calloc(n + 1, sizeof(*good));
	size_t kept = 0;

	if (!good)
		abort(); /* a benchmark without memory measures nothing */
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			good[kept++] = values[i];
	qsort(good, kept, sizeof(*good), by_size);
	*ret_n = kept;
	return good;
}

static double median_of(const double *good, size_t n)
{
	if (n == 0)
		return NAN;
	return n % 2 ? good[n / 2] : (good[n / 2 - 1] + good[n / 2]) / 2;
}

struct stats stats_of(const double *values, size_t n)
{
	struct stats s = {.min = NAN, .median = NAN, .p99 = NAN, .max = NAN};
	double *good = sorted(values, n, &s.n);

	s.failed = n - s.n;
	if (s.n > 0) {
		s.min = good[0];
		s.median = median_of(good, s.n);
		s.p99 = good[(99 * s.n + 99) / 100 - 1];
		s.max = good[s.n - 1];
	}
	free(good);
	return s;
}

double stats_ratio(const double *values, const double *bases, size_t n)
{
	double *ratios = calloc(n + 1, sizeof(*ratios));
	double result;
	struct stats s;

	if (!ratios)
		abort();
	for (size_t i = 0; i < n; i++)
		ratios[i] = bases[i] > 0 ? values[i] / bases[i] : NAN;
	s = stats_of(ratios, n);
	result = s.median;
	free(ratios);
	return result;
}
