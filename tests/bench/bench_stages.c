/* SPDX-License-Identifier: Apache-2.0 */
/* bench_stages.c - where the time of a one-shot run goes.
 *
 * The whole is measured from here; the account says how long the box took to make and the program
 * to run; "belljar --version" is what starting and ending our own program costs.  What is left is
 * taking the box apart and telling what happened.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "bench_stats.h"

enum { ACCOUNT_MAX = 65536 };

enum stage { STAGE_WHOLE, STAGE_START, STAGE_SETUP, STAGE_PROGRAM, STAGE_REST, STAGE_COUNT };

static const char *const stage_texts[] = {
	[STAGE_WHOLE] = "the whole run",
	[STAGE_START] = "  starting and ending belljar itself (belljar --version)",
	[STAGE_SETUP] = "  making the box, until the program's first instruction",
	[STAGE_PROGRAM] = "  the program",
	[STAGE_REST] = "  taking the box apart, the account",
};
static_assert(ARRAY_LEN(stage_texts) == STAGE_COUNT, "one text per stage");

static double number_after(const char *json, const char *key)
{
	const char *at = strstr(json, key);
	double value;

	return at && sscanf(at + strlen(key), "%lf", &value) == 1 ? value : NAN;
}

static int measure(struct bench *b, const struct bench_job *job, double *ret_stages,
		   struct error *err)
{
	struct command version = {.argv = {b->belljar, "--version"}, .mounts = -1};
	struct command run = {.argv = {b->belljar, "run", "--json", "--"}, .mounts = -1};
	static char account[ACCOUNT_MAX];

	for (size_t i = 0; job->argv[i]; i++)
		run.argv[4 + i] = job->argv[i];
	if (bench_time(b, &version, &ret_stages[STAGE_START], err) < 0 ||
	    bench_time(b, &run, &ret_stages[STAGE_WHOLE], err) < 0)
		return -1;
	bench_output(b, account, sizeof(account));
	ret_stages[STAGE_SETUP] = number_after(account, "\"setup_time_ms\":");
	ret_stages[STAGE_PROGRAM] = number_after(account, "\"execution_time_ms\":");
	ret_stages[STAGE_REST] = ret_stages[STAGE_WHOLE] - ret_stages[STAGE_START] -
				 ret_stages[STAGE_SETUP] - ret_stages[STAGE_PROGRAM];
	return 0;
}

static int report_job(struct bench *b, const struct bench_job *job, size_t rounds, FILE *out,
		      struct error *err)
{
	own_mem double *all = calloc(STAGE_COUNT * rounds, sizeof(*all));

	if (!all)
		return fail_sys(err, "remember the stages");
	for (size_t i = 0; i < rounds; i++) {
		double stages[STAGE_COUNT];

		if (measure(b, job, stages, err) < 0)
			return -1;
		for (size_t s = 0; s < STAGE_COUNT; s++)
			all[s * rounds + i] = stages[s];
	}
	(void)fprintf(out, "\n%s: where the time goes, medians of %zu runs in ms\n", job->name,
		      rounds);
	for (size_t s = 0; s < STAGE_COUNT; s++)
		(void)fprintf(out, "  %-58s %8.3f\n", stage_texts[s],
			      stats_of(all + s * rounds, rounds).median);
	return 0;
}

int report_stages(struct bench *b, size_t rounds, FILE *out, struct error *err)
{
	const struct contender *us = contender_find("belljar");

	if (us->absent(b))
		return fail(err, ERR_CALLER, "--stages is about belljar: %s", us->absent(b));
	for (size_t i = 0; i < bench_job_count; i++) {
		if (access(bench_jobs[i].argv[0], X_OK) < 0)
			continue;
		if (report_job(b, &bench_jobs[i], rounds, out, err) < 0)
			return fail_in(err, "%s", bench_jobs[i].name);
	}
	return 0;
}
