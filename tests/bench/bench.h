/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h - who competes at what, and what came of it. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "scratch.h"

enum { ARGS_MAX = 48, JOBS_MAX = 4, CONTENDERS_MAX = 12 };

/* What is run: the same program with the same arguments for everybody. */
struct bench_job {
	const char *name;
	const char *argv[6];
	const char *expect; /* its whole output: another one is a failed run */
};

extern const struct bench_job bench_jobs[];
extern const size_t bench_job_count;

/* What all contenders share. */
struct bench {
	const char *belljar;    /* the program; NULL: it does not take part */
	const char *alone;      /* the same box with nothing around it; NULL: as above */
	struct scratch scratch; /* for bundles and container state, and belljar's own */
	char state[96];         /* BELLJAR_STATE=... of whoever is started */
	int own_mounts;         /* our mount namespace */
	int v1_mounts;          /* the same without the cgroup2 mount; -1: there is no need */
	int out, err;           /* where a run's output goes */
	struct bj_box *box;     /* the resident one */
	unsigned serial;        /* containers need a new name each */
};

int bench_start(struct bench *b, struct error *err);
void bench_stop(struct bench *b);

/* A command line on its way to posix_spawn(). */
struct command {
	const char *argv[ARGS_MAX];
	char text[4][128]; /* words made for this run */
	int mounts;        /* the mount namespace it starts in; -1: ours */
};

struct contender {
	const char *name;
	const char *what;
	/* Why it cannot take part here, or NULL. */
	const char *(*absent)(struct bench *b);
	/* Either a command line ... */
	void (*compose)(struct bench *b, const struct bench_job *job, struct command *ret);
	/* ... or a call that needs no new process of ours. */
	int (*call)(struct bench *b, const struct bench_job *job, struct error *err);
	/* After a failed run: take away what it may have left. */
	void (*clean)(struct bench *b, const struct command *failed);
};

extern const struct contender contenders[];
extern const size_t contender_count;
const struct contender *contender_find(const char *name);

/* One run, in milliseconds from before the start until it was reaped. */
int bench_run(struct bench *b, const struct contender *c, const struct bench_job *job,
	      double *ret_ms, struct error *err);
/* The same for a command line, without a look at what it wrote. */
int bench_time(struct bench *b, const struct command *c, double *ret_ms, struct error *err);
void bench_spawn_quietly(struct bench *b, const struct command *c);
/* What the last run wrote, at most room - 1 bytes of it. */
void bench_output(const struct bench *b, char *ret_text, size_t room);

/* A box of libbelljar that is kept for all calls. */
int resident_open(struct bench *b, struct error *err);
void resident_close(struct bench *b);
int resident_call(struct bench *b, const struct bench_job *job, struct error *err);

/* OCI bundles: one directory per job. */
int bundle_make(const char *dir, const struct bench_job *job, struct error *err);
void bundle_path(const struct bench *b, const struct bench_job *job, char *ret_path, size_t room);

/* All measures of one run of the benchmark. */
struct results {
	size_t rounds;
	const struct contender *who[CONTENDERS_MAX];
	size_t n_who;
	const struct bench_job *what[JOBS_MAX];
	size_t n_what;
	double *ms; /* [what][who][round]; NAN: failed */
};

double *results_of(const struct results *r, size_t what, size_t who);
void report_machine(FILE *out);
void report_table(const struct results *r, FILE *out);
/* The goals, reached or not. */
void report_bars(const struct results *r, FILE *out);
int report_json(const struct results *r, const char *path, struct error *err);
/* Where the time of one-shot runs goes. */
int report_stages(struct bench *b, size_t rounds, FILE *out, struct error *err);

#endif
