/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c - belljar against bare programs and other sandboxes, in turns.
 *
 * Everybody runs each job once a round, one after the other and behind another each time: noise of
 * the machine falls on all alike, and a ratio within a round hardly feels it.  A short rest before
 * each run lets the kernel forget the last one: without it, a move between cgroups looks a hundred
 * times cheaper than it is.
 */
#include "bench.h"

#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "base/text.h"
#include "bench_order.h"
#include "bench_stats.h"

struct options {
	const char *belljar;
	const char *box;
	const char *json;
	const char *only; /* contenders, separated by commas */
	uint64_t rounds;
	uint64_t warmup;
	uint64_t rest_ms;
	bool stages;
};

static const struct option long_options[] = {
	{"rounds", required_argument, NULL, 'r'},  /* */
	{"warmup", required_argument, NULL, 'w'},  /* */
	{"rest", required_argument, NULL, 't'},    /* */
	{"json", required_argument, NULL, 'j'},    /* */
	{"belljar", required_argument, NULL, 'b'}, /* */
	{"box", required_argument, NULL, 'x'},     /* */
	{"only", required_argument, NULL, 'o'},    /* */
	{"quick", no_argument, NULL, 'q'},         /* */
	{"stages", no_argument, NULL, 's'},        /* */
	{"help", no_argument, NULL, 'h'},          /* */
	{0},
};

static const char usage[] = "usage: bench [options]\n"
			    "  --rounds N         how often everybody runs each job (60)\n"
			    "  --warmup N         rounds before that, not counted (3)\n"
			    "  --rest MS          pause before each run (10)\n"
			    "  --quick            10 rounds, 1 for warming up\n"
			    "  --only A,B         only these contenders\n"
			    "  --json FILE        all measures, for programs\n"
			    "  --stages           where the time of belljar's one-shot runs goes\n"
			    "  --belljar PROGRAM  the belljar to measure\n"
			    "  --box PROGRAM      the same box without the path around it\n";

static int set_number(const char *text, uint64_t most, uint64_t *ret, struct error *err)
{
	uint64_t value;

	if (text_parse_uint(text, &value, err) < 0)
		return -1;
	if (value > most)
		return fail(err, ERR_CALLER, "%s is more than %ju", text, (uintmax_t)most);
	*ret = value;
	return 0;
}

/* Returns 1 for --help. */
static int set_option(struct options *o, int letter, const char *value, struct error *err)
{
	switch (letter) {
	case 'r':
		return set_number(value, 100000, &o->rounds, err);
	case 'w':
		return set_number(value, 1000, &o->warmup, err);
	case 't':
		return set_number(value, 10000, &o->rest_ms, err);
	case 'j':
		o->json = value;
		return 0;
	case 'b':
		o->belljar = value;
		return 0;
	case 'x':
		o->box = value;
		return 0;
	case 'o':
		o->only = value;
		return 0;
	case 'q':
		o->rounds = 10;
		o->warmup = 1;
		return 0;
	case 's':
		o->stages = true;
		return 0;
	case 'h':
		return 1;
	default:
		return fail(err, ERR_CALLER, "see --help");
	}
}

static int parse_options(int argc, char **argv, struct options *ret, struct error *err)
{
	struct options o = {.rounds = 60, .warmup = 3, .rest_ms = 10};
	int letter, result;

	while ((letter = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		result = set_option(&o, letter, optarg, err);
		if (result != 0)
			return result;
	}
	if (optind < argc)
		return fail(err, ERR_CALLER, "'%s' is not an option, see --help", argv[optind]);
	if (o.rounds == 0)
		return fail(err, ERR_CALLER, "--rounds must be at least 1");
	*ret = o;
	return 0;
}

/* Is name one of the words in a list separated by commas? */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

/* Who takes part, and at what. */
static void choose(struct bench *b, const struct options *o, struct results *r)
{
	for (size_t i = 0; i < contender_count; i++) {
		const char *why;

		if (o->only && !is_listed(o->only, contenders[i].name))
			continue;
		why = contenders[i].absent(b);
		if (why)
			printf("without %s: %s\n", contenders[i].name, why);
		else
			r->who[r->n_who++] = &contenders[i];
	}
	for (size_t i = 0; i < bench_job_count; i++) {
		if (access(bench_jobs[i].argv[0], X_OK) < 0)
			printf("without the job %s: not installed\n", bench_jobs[i].name);
		else
			r->what[r->n_what++] = &bench_jobs[i];
	}
}

static void rest(uint64_t ms)
{
	struct timespec pause = {.tv_sec = (time_t)(ms / 1000),
				 .tv_nsec = (long)(ms % 1000) * 1000000};

	(void)nanosleep(&pause, NULL);
}

/* Says why the first time; a broken contender would fill the screen otherwise. */
static void report_failure(const struct contender *c, const struct bench_job *job,
			   const struct error *err)
{
	static const struct contender *said[CONTENDERS_MAX * JOBS_MAX];
	static size_t n_said;

	for (size_t i = 0; i < n_said; i++)
		if (said[i] == c)
			return;
	if (n_said < ARRAY_LEN(said))
		said[n_said++] = c;
	(void)fprintf(stderr, "bench: %s failed at %s: %s\n", c->name, job->name, err->text);
}

static double run_once(struct bench *b, const struct contender *c, const struct bench_job *job)
{
	struct error err = {0};
	double ms;

	if (bench_run(b, c, job, &ms, &err) == 0)
		return ms;
	report_failure(c, job, &err);
	return NAN;
}

/* Round -1 and below warm up. */
static void run_round(struct bench *b, const struct options *o, struct results *r, int64_t round)
{
	size_t order[CONTENDERS_MAX];

	for (size_t what = 0; what < r->n_what; what++) {
		order_of_turn((uint64_t)round * JOBS_MAX + what, order, r->n_who);
		for (size_t i = 0; i < r->n_who; i++) {
			double ms;

			rest(o->rest_ms);
			ms = run_once(b, r->who[order[i]], r->what[what]);
			if (round >= 0)
				results_of(r, what, order[i])[round] = ms;
		}
	}
}

static void run_all(struct bench *b, const struct options *o, struct results *r)
{
	for (int64_t round = -(int64_t)o->warmup; round < (int64_t)o->rounds; round++)
		run_round(b, o, r, round);
}

static bool belljar_failed(const struct results *r)
{
	for (size_t what = 0; what < r->n_what; what++)
		for (size_t who = 0; who < r->n_who; who++)
			if (is_listed("belljar,box,call,resident", r->who[who]->name) &&
			    stats_of(results_of(r, what, who), r->rounds).failed > 0)
				return true;
	return false;
}

static int compete(struct bench *b, const struct options *o, struct error *err)
{
	struct results r = {.rounds = o->rounds};
	own_mem double *ms = NULL;

	choose(b, o, &r);
	ms = calloc(r.n_what * r.n_who * r.rounds + 1, sizeof(*ms));
	if (!ms)
		return fail_sys(err, "remember %zu rounds", r.rounds);
	r.ms = ms;
	run_all(b, o, &r);
	report_table(&r, stdout);
	report_bars(&r, stdout);
	if (o->json && report_json(&r, o->json, err) < 0)
		return -1;
	if (belljar_failed(&r))
		return fail(err, ERR_SYSTEM, "some of belljar's runs failed");
	return 0;
}

static int work(const struct options *o, struct error *err)
{
	struct bench b = {.belljar = o->belljar, .alone = o->box};
	int result = bench_start(&b, err);

	report_machine(stdout);
	if (result == 0)
		result =
			o->stages ? report_stages(&b, o->rounds, stdout, err) : compete(&b, o, err);
	bench_stop(&b);
	return result;
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct options o = {0};
	int result = parse_options(argc, argv, &o, &err);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (result > 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (result == 0)
		result = work(&o, &err);
	if (result < 0)
		(void)fprintf(stderr, "bench: %s\n", err.text);
	return result < 0 ? 1 : 0;
}
