/* SPDX-License-Identifier: Apache-2.0 */
/* attack_network.c - attempts to speak to anybody; no packet leaves even if they succeed. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

/* connect() of a datagram socket looks for a route and sends nothing. */
ATTACK(reach_out)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
	own_fd fd4 = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	own_fd fd6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)self, (void)bait;
	(void)inet_pton(AF_INET, "192.0.2.1", &v4.sin_addr);
	(void)inet_pton(AF_INET6, "2001:db8::1", &v6.sin6_addr);
	if (fd4 >= 0 &&
	    !judge(r, connect(fd4, (struct sockaddr *)&v4, sizeof(v4)), "ENETUNREACH EPERM EACCES"))
		return;
	if (fd6 >= 0 && !judge(r, connect(fd6, (struct sockaddr *)&v6, sizeof(v6)),
			       "ENETUNREACH EADDRNOTAVAIL EPERM EACCES"))
		return;
	if (fd4 < 0 && fd6 < 0)
		(void)judge(r, fd4, "EPERM EACCES");
}

ATTACK(reach_host_loopback)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)bait->port)};
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)self;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	(void)judge(r, connect(fd, (struct sockaddr *)&to, sizeof(to)),
		    "ENETUNREACH ECONNREFUSED EADDRNOTAVAIL EPERM EACCES");
}

ATTACK(reach_abstract_socket)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = strnlen(bait->socket, sizeof(bait->socket));
	own_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)self;
	memcpy(to.sun_path + 1, bait->socket, len);
	(void)judge(r,
		    connect(fd, (struct sockaddr *)&to,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)),
		    "ECONNREFUSED EPERM EACCES");
}

/* The kernel answers EAFNOSUPPORT for what it does not have, perhaps after loading a module to
 * find out: only the filter's own answer is a wall. */
static bool open_all(struct attack_result *r, unsigned long high)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};

	for (long family = 0; family < 64; family++) {
		if (family == AF_UNIX || family == AF_INET || family == AF_INET6)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(types); i++) {
			if (judge(r, syscall(SYS_socket, (unsigned long)family | high, types[i], 0),
				  "EPERM ENOSYS"))
				continue;
			fell(r, "family %ld type %d: %s", family, types[i],
			     errno ? strerrorname_np(errno) : "opened");
			return false;
		}
	}
	return true;
}

ATTACK(open_families)
{
	(void)self, (void)bait;
	errno = 0;
	if (open_all(r, 0))
		held(r, "61 families refused");
}

ATTACK(open_families_high)
{
	(void)self, (void)bait;
	errno = 0;
	if (open_all(r, 1UL << 32))
		held(r, "61 families refused");
}

ATTACK(open_protocols)
{
	static const struct {
		int family, type, protocol;
		const char *name;
	} rows[] = {
		{AF_INET, SOCK_STREAM, 262, "MPTCP"},
		{AF_INET, SOCK_STREAM, IPPROTO_SCTP, "SCTP"},
		{AF_INET, SOCK_SEQPACKET, 0, "SCTP by type"},
		{AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, "UDP-Lite"},
		{AF_INET, SOCK_DGRAM, IPPROTO_ICMP, "ping"},
		{AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6, "ping for IPv6"},
		{AF_INET, SOCK_DCCP, IPPROTO_DCCP, "DCCP"},
		{AF_UNIX, SOCK_RAW, 0, "raw Unix"},
	};

	(void)self, (void)bait;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (judge(r, socket(rows[i].family, rows[i].type, rows[i].protocol),
			  "EPERM ENOSYS"))
			continue;
		fell(r, "%s was let through to the kernel", rows[i].name);
		return;
	}
}

ATTACK(open_netlink)
{
	(void)self, (void)bait;
	(void)judge(r, socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), "EPERM ENOSYS");
}

ATTACK(open_raw)
{
	(void)self, (void)bait;
	if (judge(r, socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), "EPERM ENOSYS"))
		(void)judge(r, socket(AF_PACKET, SOCK_RAW, 0), "EPERM ENOSYS");
}

ATTACK(bring_lo_up)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	own_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)self, (void)bait;
	(void)judge(r, ioctl(fd, SIOCSIFFLAGS, &request), "EPERM EACCES");
}

/* Kernel TLS or ESP on top of a plain TCP socket.  Not connected: ENOTCONN is the kernel's. */
ATTACK(stack_protocol)
{
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)self, (void)bait;
	(void)judge(r, setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 3), "EPERM");
}
