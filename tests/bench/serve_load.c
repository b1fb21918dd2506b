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
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench_stats.h"

enum { WARM = 10, CLIENTS_MAX = 256, ANSWER_MAX = 64 << 10, REQUEST_MAX = 4096 };

struct client {
	int fd;
	double since;
	size_t len;
	char answer[ANSWER_MAX + 1];
};

struct pair {
	const char *name;
	const char *const *argv; /* bare */
	char text[REQUEST_MAX];  /* through the service */
	double *bare, *post;
};

static struct client clients[CLIENTS_MAX];

static double now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Bare starts: what a program prints is read, as a service would. */

static double spawn_us(const char *const argv[])
{
	posix_spawn_file_actions_t actions;
	double since = now_us();
	char room[256];
	int fds[2], status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		die("pipe2");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	if (posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ) !=
	    0)
		die(argv[0]);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(fds[1]);
	while (read(fds[0], room, sizeof(room)) > 0)
		;
	(void)close(fds[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return NAN;
	return now_us() - since;
}

/* HTTP, as much as is needed of it. */

static int connect_to(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		die("connect");
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void request(char ret[static REQUEST_MAX], const char *path, const char *body)
{
	int n;

	if (body)
		n = snprintf(ret, REQUEST_MAX,
			     "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
			     "application/json\r\nContent-Length: %zu\r\n\r\n%s",
			     path, strlen(body), body);
	else
		n = snprintf(ret, REQUEST_MAX, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	if (n >= REQUEST_MAX) {
		errno = E2BIG;
		die("request");
	}
}

static void ask(struct client *c, const char *text)
{
	size_t len = strlen(text);

	c->since = now_us();
	c->len = 0;
	if (send(c->fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
		die("send");
}

/* 1: the answer is whole.  0: not yet. */
static int take(struct client *c)
{
	ssize_t n = recv(c->fd, c->answer + c->len, ANSWER_MAX - c->len, 0);
	const char *body, *length;

	if (n <= 0)
		die("recv");
	c->len += (size_t)n;
	c->answer[c->len] = '\0';
	body = strstr(c->answer, "\r\n\r\n");
	length = strstr(c->answer, "\r\nContent-Length: ");
	if (!body || !length)
		return 0;
	return c->len >= (size_t)(body + 4 - c->answer) + strtoul(length + 18, NULL, 10);
}

static double judged(const struct client *c, bool is_post)
{
	if (strncmp(c->answer, "HTTP/1.1 200 ", 13) != 0)
		return NAN;
	if (is_post && !strstr(c->answer, "\"success\":true"))
		return NAN;
	return now_us() - c->since;
}

static double call_us(struct client *c, const char *text)
{
	ask(c, text);
	while (!take(c))
		;
	return judged(c, true);
}

/* Few. */

static void print(const char *name, const double *values, size_t n)
{
	struct stats s = stats_of(values, n);

	printf("%s %zu %zu %.1f %.1f %.1f\n", name, s.n, s.failed, s.min, s.median, s.p99);
}

/* One call after another, each after a bare start of what it does. */
static void turns(struct client *c, const struct pair *p, size_t n, size_t rounds)
{
	for (size_t i = 0; i < WARM; i++)
		for (size_t j = 0; j < n; j++)
			if (isnan(call_us(c, p[j].text)))
				(void)fprintf(stderr, "refused: %s\n", c->answer);
	for (size_t i = 0; i < rounds; i++)
		for (size_t j = 0; j < n; j++) {
			p[j].bare[i] = spawn_us(p[j].argv);
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
	struct client *c = &clients[0];

	c->fd = connect_to(port);
	request(p[0].text, "/execute", python_body);
	request(p[1].text, "/execute", true_body);
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

static int many(int port, size_t n, size_t calls, const char *path, const char *body)
{
	struct pollfd fds[CLIENTS_MAX];
	double *times = calloc(calls, sizeof(*times)), since = now_us();
	char text[REQUEST_MAX];
	size_t asked = 0, done = 0;

	if (!times || n < 1 || n > CLIENTS_MAX)
		die("clients");
	request(text, path, body);
	for (size_t i = 0; i < n; i++) {
		clients[i].fd = connect_to(port);
		fds[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
		if (asked++ < calls)
			ask(&clients[i], text);
	}
	while (done < calls) {
		if (poll(fds, n, 120000) <= 0)
			die("poll");
		for (size_t i = 0; i < n; i++) {
			if (!fds[i].revents || !take(&clients[i]))
				continue;
			times[done++] = judged(&clients[i], body);
			if (asked++ < calls)
				ask(&clients[i], text);
		}
	}
	printf("per_second %.1f\n", 1e6 * (double)calls / (now_us() - since));
	print("calls", times, calls);
	free(times);
	return 0;
}

int main(int argc, char **argv)
{
	int port = argc > 4 ? (int)strtol(argv[2], NULL, 10) : 0;
	size_t n = argc > 4 ? strtoul(argv[3], NULL, 10) : 0;

	if (argc == 6 && strcmp(argv[1], "pairs") == 0)
		return pairs(port, n, argv[4], argv[5]);
	if ((argc == 6 || argc == 7) && strcmp(argv[1], "many") == 0)
		return many(port, n, strtoul(argv[4], NULL, 10), argv[5],
			    argc == 7 ? argv[6] : NULL);
	(void)fputs("usage: serve_load pairs|many PORT ...\n", stderr);
	return 2;
}
