/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_stats.h"

#include <math.h>

#include "bench_order.h"
#include "tap.h"

TEST(the_median_is_in_the_middle)
{
	static const double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};

	CHECK(stats_of(odd, 3).median == 2);
	CHECK(stats_of(even, 4).median == 2.5);
	CHECK(stats_of(one, 1).median == 7 && stats_of(one, 1).p99 == 7);
	CHECK(stats_of(odd, 3).min == 1 && stats_of(odd, 3).max == 3);
}

TEST(p99_is_the_nearest_rank)
{
	double values[200];

	for (int i = 0; i < 200; i++)
		values[i] = 200 - i;
	CHECK(stats_of(values, 200).p99 == 198);
	CHECK(stats_of(values + 100, 100).p99 == 99);
	CHECK(stats_of(values + 140, 60).p99 == 60);
}

TEST(a_failed_run_is_not_a_measure)
{
	static const double values[] = {NAN, 5, NAN, 1, 3};
	static const double none[] = {NAN, NAN};
	struct stats s = stats_of(values, 5);

	CHECK(s.n == 3 && s.failed == 2 && s.median == 3);
	s = stats_of(none, 2);
	CHECK(s.n == 0 && s.failed == 2 && isnan(s.median) && isnan(s.p99));
	s = stats_of(none, 0);
	CHECK(s.n == 0 && s.failed == 0 && isnan(s.median));
}

TEST(ratios_are_taken_round_by_round)
{
	static const double fast[] = {1, 10, 2}, slow[] = {2, 20, 40};
	static const double holes[] = {NAN, 10, 4}, zero[] = {0, 0, 0};

	CHECK(stats_ratio(slow, fast, 3) == 2); /* the medians alone would say 10 */
	CHECK(stats_ratio(holes, fast, 3) == 1.5);
	CHECK(stats_ratio(fast, holes, 3) == 0.75);
	CHECK(isnan(stats_ratio(fast, zero, 3)));
}

TEST(everybody_has_one_turn_and_nobody_a_fixed_neighbour)
{
	enum { N = 5, TURNS = 1000 };
	int behind[N][N] = {0};

	for (uint64_t turn = 0; turn < TURNS; turn++) {
		size_t order[N], again[N];
		int seen[N] = {0};

		order_of_turn(turn, order, N);
		order_of_turn(turn, again, N);
		for (size_t i = 0; i < N; i++) {
			seen[order[i]]++;
			CHECK(order[i] == again[i]);
		}
		for (size_t i = 0; i < N; i++)
			CHECK(seen[i] == 1);
		for (size_t i = 1; i < N; i++)
			behind[order[i]][order[i - 1]]++;
	}
	/* A fifth of the turns each; in a circle one would have all. */
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			CHECK(i == j || (behind[i][j] > TURNS / 8 && behind[i][j] < TURNS / 3));
}
