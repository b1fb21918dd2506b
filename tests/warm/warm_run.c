/* SPDX-License-Identifier: Apache-2.0 */
/* warm_run.c - runs a program again and again in one resident slot, and tells how each came to be.
 *
 * warm_run [-w python|node] [-p PROGRAM] [-m MODULE]... [-n ROUNDS] [-r REST_MS] [-q] [-c CALLS]
 * [-a AGE_MS] [-f FILE]... [-d] [-l PROGRAM]... [-M MIB] [-R ROOT] [-e NAME=VALUE]...
 * -- CMD ARGS...
 *
 * What the program writes goes to our own streams; one line of JSON per round goes to descriptor
 * 3, or to standard error if there is none.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "call/language.h"
#include "call/limits.h"
#include "sandbox/native/slot.h"
#include "resting.h"

enum { ENV_MOST = 8, PUT_MOST = 4 };

struct wishes {
	struct profile profile;
	struct limits limits;
	char **argv;
	unsigned rounds, rest_ms, settle_ms;
	const char *put[PUT_MOST]; /* files for /work */
	size_t n_put;
	char *env[ENV_MOST + 1];
	size_t n_env;
	bool quiet;
	FILE *report;
};

static int put_file(const struct wishes *w, const char *put, struct slot *s, struct error *err)
{
	const char *name = strrchr(put, '/') ? strrchr(put, '/') + 1 : put;
	char bytes[65536];
	int work;
	own_fd from = open(put, O_RDONLY | O_CLOEXEC), to = -1;
	ssize_t n;

	if (from < 0 || slot_box(s, &w->limits, &work, err) < 0)
		return fail_sys(err, "%s", put);
	/* The box's disk knows no other ids. */
	(void)setfsgid(slot_gid(s));
	(void)setfsuid(slot_uid(s));
	to = openat(work, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	while (to >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			return fail_sys(err, "copy %s", put);
	(void)setfsuid(geteuid());
	(void)setfsgid(getegid());
	return to < 0 ? fail_sys(err, "put %s", name) : 0;
}

/* Waits for the end, and says when the first byte came. */
static uint64_t pass_on(const struct wishes *w, struct slot *s, const int ends[2])
{
	uint64_t first = 0;
	bool over = false;
	char bytes[65536];

	for (;;) {
		struct pollfd fds[3] = {{.fd = slot_fd(s), .events = POLLIN},
					{.fd = ends[0], .events = POLLIN},
					{.fd = ends[1], .events = POLLIN}};
		bool more = false;

		(void)poll(fds, 3, over ? 0 : slot_wait_ms(s));
		for (int i = 0; i < 2; i++) {
			ssize_t n = fds[i + 1].revents & POLLIN
					    ? read(ends[i], bytes, sizeof(bytes))
					    : 0;

			if (n > 0 && first == 0)
				first = clock_us();
			if (n > 0 && !w->quiet && write(i + 1, bytes, (size_t)n) < 0)
				abort();
			more |= n > 0;
		}
		if (over && !more)
			return first;
		over = over || slot_step(s);
	}
}

static void report(const struct wishes *w, const struct outcome *o, const uint64_t us[2])
{
	const struct start *t = &o->start;

	(void)fprintf(w->report,
		      "{\"end\":%d,\"exit\":%d,\"signal\":%d,\"how\":\"%s\",\"why_cold\":\"%s\","
		      "\"first_us\":%" PRIu64 ",\"all_us\":%" PRIu64 ",\"setup_us\":%" PRIu64
		      ",\"run_us\":%" PRIu64 ",\"user_us\":%" PRIu64 ",\"system_us\":%" PRIu64
		      ",\"memory\":%" PRIu64 ",\"faults\":%" PRIu64 ",\"baseline\":%" PRIu64
		      ",\"age_ms\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"interpreters\":%" PRIu64
		      ",\"error\":\"%s\"}\n",
		      (int)o->end, o->exit_code, o->signal, start_how_name(t->how), t->why_cold,
		      us[0], us[1], o->setup_us, o->run_us, o->usage.cpu_user_us,
		      o->usage.cpu_system_us, o->usage.memory_peak_bytes, o->usage.minor_faults,
		      t->baseline_bytes, t->interpreter_age_ms, t->interpreter_calls,
		      t->interpreters, o->error.text);
	(void)fflush(w->report);
}

static int run_once(const struct wishes *w, struct slot *s, struct error *err)
{
	char *env[ENVIRONMENT_OWN + ENV_MOST + 1];
	const struct language *language =
		w->profile.warm.kind ? language_find(warm_kind_name(w->profile.warm.kind), err)
				     : NULL;
	struct job job = {.argv = w->argv, .env = env, .limits = w->limits};
	int out[2], error[2];
	own_fd null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct outcome outcome;
	uint64_t us[2], before;
	int started;

	environment_build(language, (char **)(uintptr_t)w->env, env);
	for (size_t i = 0; i < w->n_put; i++)
		if (put_file(w, w->put[i], s, err) < 0)
			return -1;
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe");
	before = clock_us();
	started = slot_start(s, &job, (int[3]){null, out[1], error[1]}, err);
	(void)close(out[1]);
	(void)close(error[1]);
	if (started < 0)
		return -1;
	us[0] = pass_on(w, s, (int[2]){out[0], error[0]});
	us[0] = us[0] ? us[0] - before : 0;
	us[1] = clock_us() - before;
	(void)close(out[0]);
	(void)close(error[0]);
	slot_finish(s, &outcome, NULL);
	report(w, &outcome, us);
	slot_prepare(s);
	return 0;
}

static void take_option(struct wishes *w, int option)
{
	struct warm *warm = &w->profile.warm;

	switch (option) {
	case 'w':
		warm->kind = strcmp(optarg, "node") == 0 ? WARM_NODE : WARM_PYTHON;
		warm->program = warm->program ? warm->program
					      : (warm->kind == WARM_NODE ? "node" : "python3");
		return;
	case 'p':
		warm->program = optarg;
		return;
	case 'm':
		warm->modules[warm->n_modules++] = optarg;
		return;
	case 'n':
		w->rounds = (unsigned)atoi(optarg);
		return;
	case 'r':
		w->rest_ms = (unsigned)atoi(optarg);
		return;
	case 's':
		w->settle_ms = (unsigned)atoi(optarg);
		return;
	case 'c':
		warm->calls = (uint64_t)atoi(optarg);
		return;
	case 'f':
		if (w->n_put == PUT_MOST)
			abort();
		w->put[w->n_put++] = optarg;
		return;
	case 'q':
		w->quiet = true;
		return;
	case 'a':
		warm->age_ms = (uint64_t)atoi(optarg);
		return;
	case 'M':
		w->limits.memory_bytes = (uint64_t)atoi(optarg) << 20;
		return;
	case 'e':
		if (w->n_env == ENV_MOST)
			exit(2);
		w->env[w->n_env++] = optarg;
		return;
	case 'd':
		w->profile.allow_degraded = ~0u;
		return;
	case 'R':
		w->profile.root = optarg;
		return;
	case 'l':
		w->profile.programs[w->profile.n_programs++] = optarg;
		return;
	default:
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct wishes w = {.rounds = 1, .rest_ms = 30, .settle_ms = 300};
	struct error err = {0};
	own_slot slot = NULL;
	int option;

	limits_default(&w.limits);
	while ((option = getopt(argc, argv, "w:p:m:n:r:s:c:f:qa:dl:M:e:R:")) != -1)
		take_option(&w, option);
	w.argv = argv + optind;
	w.report = fcntl(3, F_GETFD) >= 0 ? fdopen(3, "w") : stderr;
	if (!*w.argv || !w.report)
		return 2;
	if (slot_open(&w.profile, &w.limits, SLOT_RESIDENT, &slot, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 125;
	}
	slot_prepare(slot);
	rest(slot, w.settle_ms);
	for (unsigned i = 0; i < w.rounds; i++) {
		if (run_once(&w, slot, &err) < 0) {
			(void)fprintf(stderr, "%s\n", err.text);
			return 125;
		}
		rest(slot, w.rest_ms);
	}
	return 0;
}
