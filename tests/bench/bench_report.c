/* SPDX-License-Identifier: Apache-2.0 */
/* bench_report.c - what was measured, for people and as JSON. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "bench_stats.h"

enum { JSON_MAX = 1 << 20 };

/* What we want to reach; a bar is about one job, one contender and whom it is held against. */
static const struct bar {
	const char *text;
	const char *job, *contender, *against;
	double most;
} bars[] = {
	{"one-shot /bin/true", "/bin/true", "belljar", "bwrap", 0.80},
	{"the box alone", "/bin/true", "box", "bwrap", 0.60},
	{"one-shot python3, cold", "python3", "belljar", "bare", 1.25},
	{"the box alone", "python3", "box", "bare", 1.25},
	{"python3 through a resident slot", "python3", "resident", "bare", 1.10},
};

double *results_of(const struct results *r, size_t what, size_t who)
{
	return r->ms + (what * r->n_who + who) * r->rounds;
}

static void read_model(char *ret_model, size_t room)
{
	own_file cpus = fopen("/proc/cpuinfo", "re");
	char line[256];

	(void)snprintf(ret_model, room, "unknown processor");
	while (cpus && fgets(line, sizeof(line), cpus)) {
		const char *value = strstr(line, ": ");

		if (strncmp(line, "model name", 10) != 0 || !value)
			continue;
		(void)snprintf(ret_model, room, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
		return;
	}
}

void report_machine(FILE *out)
{
	struct utsname name;
	double load[3] = {0};
	char model[128];

	(void)uname(&name);
	(void)getloadavg(load, 3);
	read_model(model, sizeof(model));
	(void)fprintf(out, "Linux %s %s, %ld cores (%s), load %.1f, %s\n", name.release,
		      name.machine, sysconf(_SC_NPROCESSORS_ONLN), model, load[0],
		      geteuid() == 0 ? "as root" : "as an ordinary user");
}

static size_t place_of(const struct results *r, const char *contender)
{
	size_t i = 0;

	while (i < r->n_who && strcmp(r->who[i]->name, contender) != 0)
		i++;
	return i;
}

/* NAN if one of the two did not take part. */
static double ratio(const struct results *r, size_t what, size_t who, const char *against)
{
	size_t base = place_of(r, against);

	if (who == r->n_who || base == r->n_who)
		return NAN;
	return stats_ratio(results_of(r, what, who), results_of(r, what, base), r->rounds);
}

static void print_number(FILE *out, double value)
{
	if (isnan(value))
		(void)fprintf(out, "%9s", "-");
	else
		(void)fprintf(out, "%9.2f", value);
}

static void print_row(const struct results *r, size_t what, size_t who, FILE *out)
{
	struct stats s = stats_of(results_of(r, what, who), r->rounds);

	(void)fprintf(out, "  %-10s", r->who[who]->name);
	print_number(out, s.median);
	print_number(out, s.p99);
	print_number(out, s.min);
	print_number(out, ratio(r, what, who, "bare"));
	print_number(out, ratio(r, what, who, "bwrap"));
	(void)fprintf(out, "%9zu  %s\n", s.failed, r->who[who]->what);
}

void report_table(const struct results *r, FILE *out)
{
	(void)fprintf(out,
		      "%zu rounds, everybody once a round; milliseconds until reaped; ratios are\n"
		      "medians of the ratios within a round; failed runs are not measures\n",
		      r->rounds);
	for (size_t what = 0; what < r->n_what; what++) {
		(void)fprintf(out, "\n%-12s%9s%9s%9s%9s%9s%9s\n", r->what[what]->name, "median",
			      "p99", "min", "x bare", "x bwrap", "failed");
		for (size_t who = 0; who < r->n_who; who++)
			print_row(r, what, who, out);
	}
}

static double bar_seen(const struct results *r, const struct bar *bar)
{
	for (size_t what = 0; what < r->n_what; what++)
		if (strcmp(r->what[what]->name, bar->job) == 0)
			return ratio(r, what, place_of(r, bar->contender), bar->against);
	return NAN;
}

static const char *verdict_of(const struct bar *bar, double seen)
{
	if (isnan(seen))
		return "not measured";
	return seen <= bar->most ? "reached" : "not reached";
}

void report_bars(const struct results *r, FILE *out)
{
	(void)fprintf(out, "\ngoals\n");
	for (size_t i = 0; i < ARRAY_LEN(bars); i++) {
		double seen = bar_seen(r, &bars[i]);

		(void)fprintf(out, "  %-33s at most %.2f x %-6s", bars[i].text, bars[i].most,
			      bars[i].against);
		if (!isnan(seen))
			(void)fprintf(out, " seen %.2f:", seen);
		(void)fprintf(out, " %s\n", verdict_of(&bars[i], seen));
	}
}

static void write_ratio(struct jsonout *j, const char *key, double value)
{
	if (isnan(value))
		jsonout_null(j, key);
	else
		jsonout_ratio(j, key, value);
}

static void write_contender(struct jsonout *j, const struct results *r, size_t what, size_t who)
{
	const double *ms = results_of(r, what, who);
	struct stats s = stats_of(ms, r->rounds);

	jsonout_object(j, NULL);
	jsonout_str(j, "job", r->what[what]->name);
	jsonout_str(j, "contender", r->who[who]->name);
	jsonout_uint(j, "measures", s.n);
	jsonout_uint(j, "failed", s.failed);
	write_ratio(j, "median_ms", s.median);
	write_ratio(j, "p99_ms", s.p99);
	write_ratio(j, "min_ms", s.min);
	write_ratio(j, "to_bare", ratio(r, what, who, "bare"));
	write_ratio(j, "to_bwrap", ratio(r, what, who, "bwrap"));
	jsonout_array(j, "ms");
	for (size_t i = 0; i < r->rounds; i++)
		write_ratio(j, NULL, ms[i]);
	jsonout_array_end(j);
	jsonout_object_end(j);
}

static void write_bars(struct jsonout *j, const struct results *r)
{
	jsonout_array(j, "goals");
	for (size_t i = 0; i < ARRAY_LEN(bars); i++) {
		double seen = bar_seen(r, &bars[i]);

		jsonout_object(j, NULL);
		jsonout_str(j, "goal", bars[i].text);
		jsonout_str(j, "against", bars[i].against);
		jsonout_ratio(j, "most", bars[i].most);
		write_ratio(j, "seen", seen);
		jsonout_str(j, "verdict", verdict_of(&bars[i], seen));
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

static int compose_json(const struct results *r, struct buf *out, struct error *err)
{
	struct utsname name;
	struct jsonout j;

	(void)uname(&name);
	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "kernel", name.release);
	jsonout_int(&j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	jsonout_uint(&j, "rounds", r->rounds);
	jsonout_array(&j, "results");
	for (size_t what = 0; what < r->n_what; what++)
		for (size_t who = 0; who < r->n_who; who++)
			write_contender(&j, r, what, who);
	jsonout_array_end(&j);
	write_bars(&j, r);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

int report_json(const struct results *r, const char *path, struct error *err)
{
	own_fd fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	own(buf) text = {0};

	buf_init(&text, JSON_MAX);
	if (fd < 0)
		return fail_sys(err, "open %s", path);
	if (compose_json(r, &text, err) < 0 || buf_add(&text, "\n", 1, err) < 0)
		return -1;
	return fd_write_all(fd, buf_str(&text), text.len, err);
}
