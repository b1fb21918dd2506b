/* SPDX-License-Identifier: Apache-2.0 */
/* connect_host.c - attacks the network namespace: reach a service of the host.
 *
 * tcp|udp ADDRESS PORT: the service sends a word first (tcp) or answers (udp); getting it is the
 * proof, since with a loopback of our own a connection alone says nothing.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "escape.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int reach(int argc, char **argv, int type)
{
	const char *text = need_arg(argc, argv, 2, "address");
	in_port_t port = htons((uint16_t)number(need_arg(argc, argv, 3, "port")));
	union address to = {.any.sa_family = AF_INET};
	int fd;

	if (strchr(text, ':')) {
		to.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
		(void)inet_pton(AF_INET6, text, &to.v6.sin6_addr);
	} else {
		to.v4.sin_port = port;
		(void)inet_pton(AF_INET, text, &to.v4.sin_addr);
	}
	tried("%s %s", argv[1], text);
	fd = socket(to.any.sa_family, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		blocked("socket: %m");
	if (connect(fd, &to.any, sizeof(to)) < 0)
		blocked("connect: %m");
	return fd;
}

static void hear(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char word[64];
	ssize_t n;

	if (poll(&wait, 1, 1000) <= 0)
		blocked("nobody answers");
	n = recv(fd, word, sizeof(word), 0);
	if (n <= 0)
		blocked("recv: %m");
	escaped("the host says %.*s", (int)n, word);
}

static void by_tcp(int argc, char **argv)
{
	hear(reach(argc, argv, SOCK_STREAM));
}

static void by_udp(int argc, char **argv)
{
	int fd = reach(argc, argv, SOCK_DGRAM);

	if (send(fd, "hello", 5, 0) < 0)
		blocked("send: %m");
	hear(fd);
}

static const struct way ways[] = {
	{"tcp", by_tcp}, /* a stream */
	{"udp", by_udp}, /* a datagram */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
