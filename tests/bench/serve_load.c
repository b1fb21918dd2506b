/* SPDX-License-Identifier: Apache-2.0 */
/* serve_load.c - clients of a service, for measuring: few, in turn with bare starts, or many at
 * once.
 *
 *     serve_load pairs PORT ROUNDS PYTHON-BODY TRUE-BODY   in each round: bare, then through POST;
 *                                                          one tool alone, then both in turn
 *     serve_load many PORT CLIENTS CALLS PATH [BODY]       GET without a body
 *
 * Connections are kept.  An answer counts if it is 200 and, to a POST, says success.  Prints words
 * and microseconds for serve_bench.py and serve_soak.py.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "barestart.h"
#include "bench_stats.h"
#include "loadclient.h"

enum { WARM = 10 };

struct pair {
	const char *name;
	const char *const *argv; /* bare */
	char text[REQUEST_MAX];  /* through the service */
	double *bare, *post;
};

/* Few. */

static double call_us(struct client *c, const char *text)
{
	client_ask(c, text);
	while (!client_take(c))
		;
	return client_judged(c, true);
}

static void print(const char *name, const double *values, size_t n)
{
	struct stats s = stats_of(values, n);

	printf("%s %zu %zu %.1f %.1f %.1f\n", name, s.n, s.failed, s.min, s.median, s.p99);
}

/* One call after another, each after a bare start of what it does. */
static void turns(struct client *c, const struct pair *p, size_t n, size_t rounds)
{
	char printed[256];

	for (size_t i = 0; i < WARM; i++)
		for (size_t j = 0; j < n; j++)
			if (isnan(call_us(c, p[j].text)))
				(void)fprintf(stderr, "refused: %s\n", c->answer);
	for (size_t i = 0; i < rounds; i++)
		for (size_t j = 0; j < n; j++) {
			p[j].bare[i] = bare_us(p[j].argv, printed, sizeof(printed));
			p[j].post[i] = call_us(c, p[j].text);
		}
}

static void print_pair(const char *how, const struct pair *p, size_t rounds)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%s_bare_%s", how, p->name);
	print(name, p->bare, rounds);
	(void)snprintf(name, sizeof(name), "%s_post_%s", how, p->name);
	print(name, p->post, rounds);
	printf("%s_ratio_%s %.3f\n", how, p->name, stats_ratio(p->post, p->bare, rounds));
}

static int pairs(int port, size_t rounds, const char *python_body, const char *true_body)
{
	static const char *const python[] = {"/usr/bin/python3", "-c", "print(2+2)", NULL};
	static const char *const truth[] = {"/bin/true", NULL};
	struct pair p[2] = {{.name = "python", .argv = python}, {.name = "true", .argv = truth}};
	static struct client client, *c = &client;

	client_connect(c, port);
	client_compose(p[0].text, &(struct asked){.path = "/execute", .body = python_body});
	client_compose(p[1].text, &(struct asked){.path = "/execute", .body = true_body});
	for (size_t i = 0; i < 2; i++) {
		p[i].bare = calloc(rounds, sizeof(double));
		p[i].post = calloc(rounds, sizeof(double));
		if (!p[i].bare || !p[i].post)
			die("calloc");
		turns(c, &p[i], 1, rounds);
		print_pair("same", &p[i], rounds);
	}
	turns(c, p, 2, rounds);
	for (size_t i = 0; i < 2; i++) {
		print_pair("mixed", &p[i], rounds);
		free(p[i].bare);
		free(p[i].post);
	}
	return 0;
}

/* Many. */

struct heard {
	double *times;
	size_t n;
};

static void hear(void *context, const struct client *c, double us)
{
	struct heard *heard = context;

	(void)c;
	heard->times[heard->n++] = us;
}

static int many(int port, size_t n, size_t calls, const struct asked *asked)
{
	struct heard heard = {.times = calloc(calls, sizeof(double))};
	struct crowd crowd = {
		.port = port,
		.n = n,
		.calls = calls,
		.asked = asked,
		.heard = hear,
		.context = &heard,
	};
	size_t done;
	double us;

	if (!heard.times)
		die("calloc");
	us = crowd_run(&crowd, &done);
	printf("per_second %.1f\n", 1e6 * (double)done / us);
	print("calls", heard.times, done);
	free(heard.times);
	return 0;
}

int main(int argc, char **argv)
{
	int port = argc > 4 ? (int)strtol(argv[2], NULL, 10) : 0;
	size_t n = argc > 4 ? strtoul(argv[3], NULL, 10) : 0;

	if (argc == 6 && strcmp(argv[1], "pairs") == 0)
		return pairs(port, n, argv[4], argv[5]);
	if ((argc == 6 || argc == 7) && strcmp(argv[1], "many") == 0)
		return many(port, n, strtoul(argv[4], NULL, 10),
			    &(struct asked){.path = argv[5], .body = argc == 7 ? argv[6] : NULL});
	(void)fputs("usage: serve_load pairs|many PORT ...\n", stderr);
	return 2;
}
