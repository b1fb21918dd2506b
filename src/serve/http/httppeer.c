/* SPDX-License-Identifier: Apache-2.0 */
/* httppeer.c - who is at the other end of a socket. */
#include "serve/http/httppeer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/own.h"

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

/* IPv4 in IPv6 is IPv4. */
static void unmap(union address *a)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = a->in6.sin6_port};

	if (a->any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&a->in6.sin6_addr))
		return;
	memcpy(&in.sin_addr, &a->in6.sin6_addr.s6_addr[12], 4);
	a->in = in;
}

static bool is_loopback(const union address *a)
{
	if (a->any.sa_family == AF_INET)
		return (ntohl(a->in.sin_addr.s_addr) >> 24) == 127;
	return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
}

static bool fill_unix(int fd, struct http_peer *p, struct peer_key *key)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0)
		return false;
	p->is_unix = true;
	p->uid = who.uid;
	key->bytes[0] = 'u';
	memcpy(key->bytes + 4, &who.uid, sizeof(who.uid));
	(void)snprintf(p->address, sizeof(p->address), "uid %u", (unsigned)who.uid);
	return true;
}

static void fill_key(const union address *a, struct peer_key *key)
{
	if (a->any.sa_family == AF_INET) {
		key->bytes[0] = 'a';
		memcpy(key->bytes + 4, &a->in.sin_addr, 4);
		return;
	}
	key->bytes[0] = '6'; /* nobody has fewer addresses than a /64 */
	memcpy(key->bytes + 8, &a->in6.sin6_addr, 8);
}

/* Small answers are not held back; and a client whose machine is gone is noticed within two
 * minutes, also while nothing is said. */
static void set_habits(int fd)
{
	static const struct {
		int level, name, value;
	} rows[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 60}, {IPPROTO_TCP, TCP_KEEPINTVL, 15},
		{IPPROTO_TCP, TCP_KEEPCNT, 4},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		(void)setsockopt(fd, rows[i].level, rows[i].name, &rows[i].value, sizeof(int));
}

bool http_peer_of(int fd, struct http_peer *ret_peer, struct peer_key *ret_key)
{
	union address there = {0}, here = {0};
	socklen_t len = sizeof(there);

	*ret_peer = (struct http_peer){.uid = (uid_t)-1};
	*ret_key = (struct peer_key){{0}};
	if (getpeername(fd, &there.any, &len) < 0)
		return false;
	if (there.any.sa_family == AF_UNIX)
		return fill_unix(fd, ret_peer, ret_key);
	if (there.any.sa_family != AF_INET && there.any.sa_family != AF_INET6)
		return false;
	len = sizeof(here);
	if (getsockname(fd, &here.any, &len) < 0)
		return false;
	unmap(&there);
	unmap(&here);
	ret_peer->loopback = is_loopback(&there) && is_loopback(&here);
	fill_key(&there, ret_key);
	if (there.any.sa_family == AF_INET)
		(void)inet_ntop(AF_INET, &there.in.sin_addr, ret_peer->address,
				sizeof(ret_peer->address));
	else
		(void)inet_ntop(AF_INET6, &there.in6.sin6_addr, ret_peer->address,
				sizeof(ret_peer->address));
	set_habits(fd);
	return true;
}
