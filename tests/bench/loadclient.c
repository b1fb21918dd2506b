/* SPDX-License-Identifier: Apache-2.0 */
/* loadclient.c - clients of a service, for measuring: one alone, or a crowd. */
#include "loadclient.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

double now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

void die(const char *what)
{
	perror(what);
	exit(1);
}

void client_compose(char ret_text[static REQUEST_MAX], const struct asked *asked)
{
	const char *accept = asked->accept ? asked->accept : "*/*";
	int n;

	if (asked->body)
		n = snprintf(ret_text, REQUEST_MAX,
			     "POST %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nContent-Type: "
			     "application/json\r\nContent-Length: %zu\r\n\r\n%s",
			     asked->path, accept, strlen(asked->body), asked->body);
	else
		n = snprintf(ret_text, REQUEST_MAX,
			     "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n\r\n",
			     asked->path, accept);
	if (n < REQUEST_MAX)
		return;
	errno = E2BIG;
	die("request");
}

void client_connect(struct client *c, int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int one = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		die("connect");
	(void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

void client_connect_near(struct client *c, const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		die(path);
}

void client_ask(struct client *c, const char *text)
{
	size_t len = strlen(text);

	c->since = now_us();
	c->len = 0;
	if (send(c->fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
		die("send");
}

/* The length is told, or the last chunk, which is empty, has come. */
static bool is_whole(const struct client *c)
{
	static const char last[] = "\r\n0\r\n\r\n";
	const char *body = strstr(c->answer, "\r\n\r\n");
	const char *length = strstr(c->answer, "\r\nContent-Length: ");

	if (!body)
		return false;
	if (length && length < body)
		return c->len >= (size_t)(body + 4 - c->answer) + strtoul(length + 18, NULL, 10);
	return strcmp(c->answer + c->len - strlen(last), last) == 0;
}

int client_take(struct client *c)
{
	ssize_t n = recv(c->fd, c->answer + c->len, ANSWER_MAX - c->len, 0);

	if (n <= 0)
		die("recv");
	c->len += (size_t)n;
	c->answer[c->len] = '\0';
	return is_whole(c);
}

double client_judged(const struct client *c, bool is_post)
{
	if (strncmp(c->answer, "HTTP/1.1 20", 11) != 0)
		return NAN;
	if (is_post && !strstr(c->answer, "\"success\":true"))
		return NAN;
	return now_us() - c->since;
}

double crowd_run(const struct crowd *crowd, size_t *ret_calls)
{
	static struct client clients[CLIENTS_MAX];
	struct pollfd fds[CLIENTS_MAX];
	char text[REQUEST_MAX];
	size_t asked = 0, done = 0;
	double since;

	if (crowd->n < 1 || crowd->n > CLIENTS_MAX)
		die("clients");
	client_compose(text, crowd->asked);
	since = now_us();
#define GOES_ON() (crowd->calls ? asked < crowd->calls : now_us() - since < crowd->for_us)
	for (size_t i = 0; i < crowd->n; i++) {
		client_connect(&clients[i], crowd->port);
		fds[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
		if (GOES_ON() && ++asked)
			client_ask(&clients[i], text);
	}
	while (done < asked) {
		if (poll(fds, crowd->n, 120000) <= 0)
			die("poll");
		for (size_t i = 0; i < crowd->n; i++) {
			if (!fds[i].revents || !client_take(&clients[i]))
				continue;
			done++;
			crowd->heard(crowd->context, &clients[i],
				     client_judged(&clients[i], crowd->asked->body));
			if (GOES_ON() && ++asked)
				client_ask(&clients[i], text);
		}
	}
	since = now_us() - since;
	for (size_t i = 0; i < crowd->n; i++)
		(void)close(clients[i].fd);
	*ret_calls = done;
	return since;
}
