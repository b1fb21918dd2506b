/* SPDX-License-Identifier: Apache-2.0 */
/* compat_run.c - runs each program in a cold box and in a warm one, and keeps what came out of
 * both.
 *
 * compat_run [-d] [-m MODULE]... DIR...
 * A DIR says in `words` what to run (arguments, an empty word, variables; each ended by a zero
 * byte), in `list` what lies in /work ("d NAME", "f NUMBER NAME", "l TARGET NAME"; NUMBER is a file
 * in DIR), and has `stdin`, or the program reads /dev/null.  It gets cold.out, cold.err,
 * cold.after, the same with warm, and one line on our output tells how each ended and came to be.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "call/language.h"
#include "call/limits.h"
#include "sandbox/native/slot.h"
#include "resting.h"

enum { WORDS_BYTES = 128 << 10, WORDS = 64, TRIES = 40, PIPE_ROOM = 60000 };

struct program {
	int dir;
	char bytes[WORDS_BYTES];
	char *argv[WORDS], *own[WORDS];
};

static int read_program(const char *name, struct program *ret, struct error *err)
{
	own_fd fd = -1;
	ssize_t n;
	size_t i = 0;
	char **to = ret->argv;

	ret->dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(ret->dir, "words", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (n = read(fd, ret->bytes, WORDS_BYTES - 1)) <= 0)
		return fail_sys(err, "%s", name);
	ret->bytes[n] = '\0';
	for (char *at = ret->bytes; at < ret->bytes + n; at += strlen(at) + 1) {
		if (!*at && to == ret->argv && at[1] != '\0' && strcmp(at + 1, "--") == 0) {
			to[i] = NULL;
			to = ret->own;
			i = 0;
			at += 1;
			continue;
		}
		if (i == WORDS - 1)
			return fail(err, ERR_CALLER, "%s: too many words", name);
		to[i++] = at;
	}
	to[i] = NULL;
	if (to == ret->argv)
		ret->own[0] = NULL;
	return 0;
}

static int copy(int from_dir, const char *from, int to_dir, const char *to)
{
	char bytes[65536];
	ssize_t n;
	own_fd in = openat(from_dir, from, O_RDONLY | O_CLOEXEC);
	own_fd out =
		in < 0 ? -1 : openat(to_dir, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	while (out >= 0 && (n = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)n) != n)
			return -1;
	return out < 0 ? -1 : 0;
}

static int lay_one(const struct program *p, int work, const char *line)
{
	char first[256], second[256];

	if (sscanf(line, "d %255s", first) == 1)
		return mkdirat(work, first, 0755);
	if (sscanf(line, "f %255s %255s", first, second) == 2)
		return copy(p->dir, first, work, second);
	if (sscanf(line, "l %255s %255s", first, second) == 2)
		return symlinkat(first, work, second);
	return -1;
}

/* The files of the box's disk belong to the box's user, who may not read ours: opened as ourselves.
 */
static int lay_out(const struct program *p, struct slot *s, int work, struct error *err)
{
	int fd = openat(p->dir, "list", O_RDONLY | O_CLOEXEC), worst = 0;
	FILE *list = fd < 0 ? NULL : fdopen(fd, "r");
	char line[600];

	if (!list)
		return fail_sys(err, "list");
	(void)setfsgid(slot_gid(s));
	(void)setfsuid(slot_uid(s));
	while (worst == 0 && fgets(line, sizeof(line), list))
		worst = lay_one(p, work, line);
	(void)setfsuid(geteuid());
	(void)setfsgid(getegid());
	(void)fclose(list);
	return worst < 0 ? fail_sys(err, "lay out %s", line) : 0;
}

static int open_stdin(const struct program *p)
{
	char bytes[PIPE_ROOM];
	int ends[2];
	ssize_t n;
	own_fd from = openat(p->dir, "stdin", O_RDONLY | O_CLOEXEC);

	if (from < 0)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	n = read(from, bytes, sizeof(bytes));
	if (n < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	if (write(ends[1], bytes, (size_t)n) != n)
		return -1;
	(void)close(ends[1]);
	return ends[0];
}

static void drain(struct slot *s, const int from[2], const int to[2])
{
	char bytes[65536];
	bool over = false;

	for (;;) {
		struct pollfd fds[3] = {{.fd = slot_fd(s), .events = POLLIN},
					{.fd = from[0], .events = POLLIN},
					{.fd = from[1], .events = POLLIN}};
		bool more = false;

		(void)poll(fds, 3, over ? 0 : slot_wait_ms(s));
		for (int i = 0; i < 2; i++) {
			ssize_t n = fds[i + 1].revents & POLLIN
					    ? read(from[i], bytes, sizeof(bytes))
					    : 0;

			if (n > 0 && write(to[i], bytes, (size_t)n) != n)
				abort();
			more |= n > 0;
		}
		if (over && !more)
			return;
		over = over || slot_step(s);
	}
}

static int open_result(const struct program *p, const char *which, const char *what)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "%s.%s", which, what);
	return openat(p->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static int run(const struct program *p, struct slot *s, const char *which, struct outcome *ret,
	       struct error *err)
{
	struct limits limits;
	char *env[WORDS + ENVIRONMENT_OWN + 1], after[32];
	struct job job = {.argv = (char **)p->argv, .env = env, .keep_work = true};
	int out[2], error[2], work, started;
	own_fd in = open_stdin(p), to_out = -1, to_err = -1, kept = -1;

	limits_default(&limits);
	job.limits = limits;
	environment_build(language_find("python", err), p->own, env);
	if (slot_box(s, &limits, &work, err) < 0 || lay_out(p, s, work, err) < 0)
		return -1;
	to_out = open_result(p, which, "out");
	to_err = open_result(p, which, "err");
	if (in < 0 || to_out < 0 || to_err < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(error, O_CLOEXEC) < 0)
		return fail_sys(err, "streams");
	started = slot_start(s, &job, (int[3]){in, out[1], error[1]}, err);
	(void)close(out[1]);
	(void)close(error[1]);
	if (started == 0)
		drain(s, (int[2]){out[0], error[0]}, (int[2]){to_out, to_err});
	(void)close(out[0]);
	(void)close(error[0]);
	if (started < 0)
		return -1;
	slot_finish(s, ret, &kept);
	(void)snprintf(after, sizeof(after), "%s.after", which);
	(void)unlinkat(p->dir, after, 0);
	if (kept >= 0)
		(void)copy(kept, "out.txt", p->dir, after);
	slot_prepare(s);
	return 0;
}

static void tell(const char *dir, const char *which, const struct outcome *o)
{
	(void)printf("%s\t%s\t%d\t%d\t%s\t%s\t%s\n", dir, which, o->exit_code, o->signal,
		     start_how_name(o->start.how), o->start.why_cold, o->error.text);
	(void)fflush(stdout);
}

/* A waiting child may not be there yet: it is asked again. */
static int compare(const char *dir, struct slot *cold, struct slot *warm, struct error *err)
{
	static struct program p;
	struct outcome outcome;

	if (read_program(dir, &p, err) < 0 || run(&p, cold, "cold", &outcome, err) < 0)
		return fail_in(err, "%s", dir);
	tell(dir, "cold", &outcome);
	for (int i = 0; i < TRIES; i++) {
		rest(warm, i ? 100 : 15);
		if (run(&p, warm, "warm", &outcome, err) < 0)
			return fail_in(err, "%s", dir);
		if (outcome.start.how == START_WAITING || outcome.start.how == START_FORKED ||
		    strstr(outcome.start.why_cold, "options") ||
		    strstr(outcome.start.why_cold, "script"))
			break;
	}
	tell(dir, "warm", &outcome);
	(void)close(p.dir);
	return 0;
}

int main(int argc, char **argv)
{
	static struct profile plain, warm = {.warm = {.kind = WARM_PYTHON, .program = "python3"}};
	own_slot cold_slot = NULL;
	own_slot warm_slot = NULL;
	struct limits limits;
	struct error err = {0};
	int option;

	while ((option = getopt(argc, argv, "dm:")) != -1) {
		if (option == 'm' && warm.warm.n_modules < WARM_MODULES_MAX)
			warm.warm.modules[warm.warm.n_modules++] = optarg;
		else if (option == 'd')
			plain.allow_degraded = warm.allow_degraded = ~0u;
		else
			return 2;
	}
	limits_default(&limits);
	if (slot_open(&plain, &limits, SLOT_RESIDENT, &cold_slot, &err) < 0 ||
	    slot_open(&warm, &limits, SLOT_RESIDENT, &warm_slot, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 125;
	}
	slot_prepare(cold_slot);
	slot_prepare(warm_slot);
	rest(warm_slot, 300);
	for (; optind < argc; optind++) {
		if (compare(argv[optind], cold_slot, warm_slot, &err) < 0) {
			(void)fprintf(stderr, "%s\n", err.text);
			return 1;
		}
	}
	return 0;
}
