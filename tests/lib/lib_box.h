/* SPDX-License-Identifier: Apache-2.0 */
/* lib_box.h - what the tests of libbelljar share: a box or SKIP, a line of sh, who hears output. */
#ifndef LIB_LIB_BOX_H
#define LIB_LIB_BOX_H

#include <belljar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

#define DEGRADED "memory,processes,cpu"

/* The command line is the judge: where it makes boxes, the library has to. */
static inline bool host_has_boxes(void)
{
	const char *belljar = getenv("BELLJAR_HELPER");
	int status = -1;
	pid_t child;

	if (!belljar)
		return true;
	child = fork();
	if (child == 0) {
		if (geteuid() == 0)
			(void)execl(belljar, "belljar", "run", "--", "true", (char *)NULL);
		else
			(void)execl(belljar, "belljar", "run", "--allow-degraded", DEGRADED, "--",
				    "true", (char *)NULL);
		_exit(1);
	}
	(void)waitpid(child, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 125);
}

/* A box, or the test ends here. */
static inline struct bj_box *make_box(void)
{
	struct bj_box *box = bj_box_new();

	if (!box || (geteuid() != 0 && bj_box_set(box, "allow-degraded", DEGRADED) < 0))
		_exit(99);
	if (bj_box_prepare(box) == 0)
		return box;
	printf("# %s\n", bj_error(box));
	if (!host_has_boxes())
		SKIP("no box on this host");
	_exit(98);
}

/* argv is given as words; NULL if it could not run. */
static inline struct bj_result *run(struct bj_box *box, const struct bj_input *in,
				    const char *const *argv)
{
	struct bj_result *result = NULL;

	if (bj_run(box, argv, in, &result) < 0)
		printf("# %s\n", bj_error(box));
	return result;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Runs a line of sh and compares what it printed. */
static inline bool prints(struct bj_box *box, const struct bj_input *in, const char *line,
			  const char *expected)
{
	struct bj_result *result = run(box, in, WORDS("sh", "-c", line));
	bool same;

	if (!result)
		return false;
	same = strcmp(result->out.data, expected) == 0 && result->out.size == strlen(expected);
	if (!same)
		printf("# '%s' printed '%s' and '%s'%s%s\n", line, result->out.data,
		       result->err.data, result->error ? "; " : "",
		       result->error ? result->error : "");
	bj_result_free(result);
	return same;
}

static inline uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline void sleep_ms(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	(void)nanosleep(&time, NULL);
}

struct heard {
	struct bj_box *box;
	char text[256];
	uint64_t first_ms;
	bool cancel;
};

static inline void hear(void *context, enum bj_stream stream, const char *data, size_t size)
{
	struct heard *h = context;
	size_t used = strlen(h->text);

	if (!h->first_ms)
		h->first_ms = now_ms();
	(void)snprintf(h->text + used, sizeof(h->text) - used, "%d:%.*s", (int)stream, (int)size,
		       data);
	if (h->cancel)
		bj_cancel(h->box);
}

#endif
