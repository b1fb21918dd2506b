/* SPDX-License-Identifier: Apache-2.0 */
/* stopwatch.c - takes times for warm_bench.py, small and without a copy of anybody's memory.
 *
 *     stopwatch PORT SOCKET REST_MS BELLJAR
 *
 * Each line on standard input is one order, its words separated by tabs:
 *
 *     bare  PROGRAM [ARG...]                a start as it is, until it was reaped
 *     slot  PROGRAM [ARG...]                the same in a box of libbelljar that is kept
 *     post  PATH ACCEPT NEEDLE BODY         one request; when the NEEDLE was seen, and the whole
 *     near  PATH ACCEPT NEEDLE BODY         the same over the Unix socket
 *     many  CLIENTS MS PATH BODY NEEDLE...  clients for so long; in how many answers a NEEDLE was
 *     starts N MS PROGRAM [ARG...]          bare starts for so long, N at a time
 *
 * Before what is timed alone it rests.  An answer is a line "A B LENGTH" and LENGTH bytes: of bare
 * and slot what was printed, of post the answer with its head.  A and B are microseconds (whole,
 * needle; nan: failed, never), of many calls a second and failures, of starts starts a second.
 */
#include <belljar.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "barestart.h"
#include "loadclient.h"

enum { WORDS_MAX = 16, NEEDLES_MAX = 8 };

struct watch {
	struct client far, near; /* connections that are kept */
	int port;
	const char *socket;
	long rest_ms;
	const char *belljar;
	struct bj_box *box;
};

static void answer(double a, double b, const char *text, size_t len)
{
	printf("%.1f %.1f %zu\n", a, b, len);
	(void)fwrite(text, 1, len, stdout);
	(void)fflush(stdout);
}

static void rest(const struct watch *w)
{
	struct timespec pause = {.tv_sec = w->rest_ms / 1000,
				 .tv_nsec = w->rest_ms % 1000 * 1000000};

	(void)nanosleep(&pause, NULL);
}

static void take_bare(struct watch *w, char **words, size_t n)
{
	char text[4096];
	double us;

	(void)n;
	rest(w);
	us = bare_us((const char *const *)words, text, sizeof(text));
	answer(us, NAN, text, strlen(text));
}

static void open_box(struct watch *w)
{
	w->box = bj_box_new();
	if (w->box && bj_box_set(w->box, "helper", w->belljar) == 0 && bj_box_prepare(w->box) == 0)
		return;
	(void)fprintf(stderr, "stopwatch: %s\n", w->box ? bj_error(w->box) : "no box");
	exit(1);
}

static void take_slot(struct watch *w, char **words, size_t n)
{
	struct bj_result *result;
	double since, us;

	(void)n;
	if (!w->box)
		open_box(w);
	rest(w);
	since = now_us();
	if (bj_run(w->box, (const char *const *)words, NULL, &result) < 0) {
		answer(NAN, NAN, bj_error(w->box), strlen(bj_error(w->box)));
		return;
	}
	us = now_us() - since;
	answer(result->status == BJ_SUCCESS ? us : NAN, (double)result->setup_us, result->out.data,
	       result->out.size);
	bj_result_free(result);
}

static void ask(struct watch *w, struct client *c, char **words, size_t n)
{
	struct asked asked = {.path = words[0], .accept = words[1], .body = words[3]};
	const char *needle = words[2];
	char text[REQUEST_MAX];
	double first = NAN;
	bool whole;

	if (n != 4) {
		errno = EINVAL;
		die("post");
	}
	client_compose(text, &asked);
	rest(w);
	client_ask(c, text);
	do {
		whole = client_take(c);
		if (isnan(first) && *needle && strstr(c->answer, needle))
			first = now_us() - c->since;
	} while (!whole);
	answer(now_us() - c->since, first, c->answer, c->len);
}

static void take_post(struct watch *w, char **words, size_t n)
{
	ask(w, &w->far, words, n);
}

/* One that nobody used for long is closed by the service. */
static void take_near(struct watch *w, char **words, size_t n)
{
	char byte;

	if (w->near.fd > 0 && recv(w->near.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
		(void)close(w->near.fd);
		w->near.fd = 0;
	}
	if (w->near.fd == 0)
		client_connect_near(&w->near, w->socket);
	ask(w, &w->near, words, n);
}

struct tally {
	char **needles;
	size_t n_needles, failed;
	size_t seen[NEEDLES_MAX];
};

static void count(void *context, const struct client *c, double us)
{
	struct tally *tally = context;

	tally->failed += isnan(us) ? 1 : 0;
	for (size_t i = 0; i < tally->n_needles; i++)
		tally->seen[i] += strstr(c->answer, tally->needles[i]) ? 1 : 0;
}

static void take_many(struct watch *w, char **words, size_t n)
{
	struct tally tally = {.needles = words + 4};
	struct asked asked = {.path = words[2], .body = words[3]};
	struct crowd crowd = {.port = w->port, .asked = &asked, .heard = count, .context = &tally};
	char text[256] = "";
	size_t calls, len;
	double us;

	if (n < 4 || n - 4 > NEEDLES_MAX) {
		errno = EINVAL;
		die("many");
	}
	tally.n_needles = n - 4;
	crowd.n = strtoul(words[0], NULL, 10);
	crowd.for_us = 1e3 * strtod(words[1], NULL);
	us = crowd_run(&crowd, &calls);
	len = (size_t)snprintf(text, sizeof(text), "%zu", calls);
	for (size_t i = 0; i < tally.n_needles; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %zu", tally.seen[i]);
	answer(1e6 * (double)calls / us, (double)tally.failed, text, len);
}

static void take_starts(struct watch *w, char **words, size_t n)
{
	(void)w;
	if (n < 3) {
		errno = EINVAL;
		die("starts");
	}
	answer(bare_per_second((const char *const *)words + 2, strtoul(words[0], NULL, 10),
			       1e3 * strtod(words[1], NULL)),
	       NAN, "", 0);
}

static const struct order {
	const char *name;
	void (*obey)(struct watch *w, char **words, size_t n);
} orders[] = {
	{"bare", take_bare}, {"slot", take_slot}, {"post", take_post},
	{"near", take_near}, {"many", take_many}, {"starts", take_starts},
};

static void obey(struct watch *w, char *line)
{
	char *words[WORDS_MAX + 1] = {0}, *next = line;
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (n < WORDS_MAX && next)
		words[n++] = strsep(&next, "\t");
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (strcmp(words[0], orders[i].name) == 0 && n > 1) {
			orders[i].obey(w, words + 1, n - 1);
			return;
		}
	errno = EINVAL;
	die(words[0]);
}

int main(int argc, char **argv)
{
	static struct watch watch;
	static char line[REQUEST_MAX];

	if (argc != 5) {
		(void)fputs("usage: stopwatch PORT SOCKET REST_MS BELLJAR\n", stderr);
		return 2;
	}
	watch.port = (int)strtol(argv[1], NULL, 10);
	watch.socket = argv[2];
	watch.rest_ms = strtol(argv[3], NULL, 10);
	watch.belljar = argv[4];
	client_connect(&watch.far, watch.port);
	while (fgets(line, sizeof(line), stdin))
		obey(&watch, line);
	bj_box_free(watch.box);
	return 0;
}
