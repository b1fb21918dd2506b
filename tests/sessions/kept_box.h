/* SPDX-License-Identifier: Apache-2.0 */
/* kept_box.h - what the tests of kept boxes share: a box or SKIP, programs in it, their ends. */
#ifndef SESSIONS_KEPT_BOX_H
#define SESSIONS_KEPT_BOX_H

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "call/limits.h"
#include "lib/kept.h"
#include "tap.h"

enum { PATIENCE_MS = 60000 };

struct kept_box {
	struct remote remote;
	struct kept kept;
	struct profile profile;
	struct limits limits;
};

static inline const char *helper(void)
{
	const char *path = getenv("BELLJAR_HELPER");

	return path ? path : "belljar";
}

/* The command line is the judge: where it makes boxes, we have to. */
static inline bool host_has_boxes(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (geteuid() == 0)
			(void)execl(helper(), "belljar", "run", "--", "true", (char *)NULL);
		else
			(void)execl(helper(), "belljar", "run", "--allow-degraded",
				    "memory,processes,cpu", "--", "true", (char *)NULL);
		_exit(1);
	}
	(void)waitpid(child, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 125);
}

static inline void box_defaults(struct kept_box *b)
{
	memset(b, 0, sizeof(*b));
	limits_default(&b->limits);
	b->limits.wall_ms = PATIENCE_MS;
	if (geteuid() != 0)
		b->profile.allow_degraded =
			1u << LAYER_MEMORY | 1u << LAYER_PROCESSES | 1u << LAYER_CPU;
	remote_init(&b->remote);
}

static inline void box_open(struct kept_box *b)
{
	struct error err = {0};

	if (remote_open(&b->remote, helper(), &b->profile, &b->limits, &err) == 0 &&
	    kept_open(&b->kept, &b->remote, &b->limits, &err) == 0)
		return;
	printf("# %s\n", err.text);
	if (!host_has_boxes())
		SKIP("no box on this host");
	_exit(98);
}

static inline void box_close(struct kept_box *b)
{
	kept_close(&b->kept);
	remote_close(&b->remote);
}

static inline uint64_t start_job(struct kept_box *b, const struct kept_job *job, int *ret_out)
{
	struct error err = {0};
	int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint64_t exec = 0;

	if (null < 0 || pipe2(ends, O_CLOEXEC) < 0)
		_exit(97);
	if (kept_start(&b->kept, job, (int[3]){null, ends[1], ends[1]}, &exec, &err) < 0)
		printf("# %s\n", err.text);
	(void)close(null);
	(void)close(ends[1]);
	if (ret_out)
		*ret_out = ends[0];
	else
		(void)close(ends[0]);
	return exec;
}

/* A line of sh in the background; 0: it could not start. */
static inline uint64_t start_line(struct kept_box *b, const char *line, uint64_t wall_ms,
				  int *ret_out)
{
	char sh[] = "sh", c[] = "-c", path[] = "PATH=/usr/bin:/bin";
	char *words = strdup(line);
	char *argv[] = {sh, c, words, NULL}, *env[] = {path, NULL};
	const struct kept_job job = {.argv = argv, .env = env, .wall_ms = wall_ms};
	uint64_t exec = start_job(b, &job, ret_out);

	free(words);
	return exec;
}

static inline bool next_end(struct kept_box *b, struct kept_end *ret)
{
	struct pollfd fd = {.fd = kept_fd(&b->kept), .events = POLLIN};
	struct error err = {0};

	if (poll(&fd, 1, PATIENCE_MS) <= 0 || kept_step(&b->kept, ret, &err) != 1) {
		printf("# no end: %s\n", err.text);
		return false;
	}
	return true;
}

static inline void read_text(int fd, char *ret, size_t room)
{
	size_t had = 0;
	ssize_t n;

	while (had + 1 < room && (n = read(fd, ret + had, room - 1 - had)) > 0)
		had += (size_t)n;
	ret[had] = '\0';
	(void)close(fd);
}

/* Runs a line to its end and compares what it printed. */
static inline bool prints(struct kept_box *b, const char *line, const char *expected)
{
	struct kept_end end = {0};
	char text[4096];
	int out;
	uint64_t exec = start_line(b, line, 0, &out);

	if (!exec) {
		(void)close(out);
		return false;
	}
	read_text(out, text, sizeof(text));
	if (!next_end(b, &end) || end.exec != exec)
		return false;
	if (strcmp(text, expected) != 0)
		printf("# '%s' printed '%s'\n", line, text);
	return strcmp(text, expected) == 0;
}

/* How many processes of the box have this name? */
static inline int count_named(struct kept_box *b, const char *name)
{
	static struct kept_process list[KEPT_PROCESSES_MAX];
	struct error err = {0};
	size_t n = 0;
	int found = 0;

	if (kept_processes(&b->kept, list, &n, &err) < 0)
		return printf("# %s\n", err.text), -1;
	for (size_t i = 0; i < n; i++)
		found += strcmp(list[i].name, name) == 0 && list[i].state != 'Z';
	return found;
}

static inline bool await_named(struct kept_box *b, const char *name, int count)
{
	uint64_t until = clock_us() + PATIENCE_MS * 1000ULL;

	while (clock_us() < until) {
		if (count_named(b, name) == count)
			return true;
		(void)poll(NULL, 0, 5);
	}
	return false;
}

#endif
