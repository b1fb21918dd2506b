/* SPDX-License-Identifier: Apache-2.0 */
/* socket_family.c - attacks the list of socket families, types and protocols.
 *
 * one FAMILY TYPE PROTOCOL [family|type|protocol|all]: the last word sets bit 32 of that
 * argument, which the kernel does not read and a filter must not trip over.
 * pair: the same by socketpair.  sweep [high]: every family from 0 to 46 but the three that are
 * allowed (1, 2, 10), with each type.  A family that this kernel does not have counts as reached
 * when it is the kernel that says so: the next kernel may have it.
 */
#include <sys/socket.h>
#include <sys/syscall.h>

#include "escape.h"

struct triple {
	long family, type, protocol;
};

static struct triple read_triple(int argc, char **argv)
{
	struct triple t = {
		.family = (long)number(need_arg(argc, argv, 2, "family")),
		.type = (long)number(need_arg(argc, argv, 3, "type")),
		.protocol = (long)number(need_arg(argc, argv, 4, "protocol")),
	};
	const char *high = argc > 5 ? argv[5] : "";
	bool all = strcmp(high, "all") == 0;

	if (all || strcmp(high, "family") == 0)
		t.family = with_bit_32(t.family);
	if (all || strcmp(high, "type") == 0)
		t.type = with_bit_32(t.type);
	if (all || strcmp(high, "protocol") == 0)
		t.protocol = with_bit_32(t.protocol);
	tried("%s %#lx %#lx %#lx", argv[1], t.family, t.type, t.protocol);
	return t;
}

static void by_one(int argc, char **argv)
{
	struct triple t = read_triple(argc, argv);

	end_by_reach(syscall(SYS_socket, t.family, t.type, t.protocol), "socket");
}

static void by_pair(int argc, char **argv)
{
	struct triple t = read_triple(argc, argv);
	int pair[2];

	end_by_reach(syscall(SYS_socketpair, t.family, t.type, t.protocol, pair), "socketpair");
}

static bool reaches_kernel(long family, bool high)
{
	static const long types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_RDM};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		long fd = syscall(SYS_socket, high ? with_bit_32(family) : family, types[i], 0);

		if (fd >= 0)
			(void)close((int)fd);
		if (fd >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS))
			return true;
	}
	return false;
}

static void by_sweep(int argc, char **argv)
{
	bool high = argc > 2;
	int reached = 0;

	(void)argv;
	tried("families 0..46%s", high ? " with bit 32" : "");
	for (long family = 0; family <= 46; family++) {
		if (family == AF_UNIX || family == AF_INET || family == AF_INET6)
			continue;
		if (reaches_kernel(family, high)) {
			(void)printf("# family %ld reaches the kernel\n", family);
			reached++;
		}
	}
	if (reached)
		escaped("%d families", reached);
	blocked("none: %m");
}

static const struct way ways[] = {
	{"one", by_one},     /* a single socket */
	{"pair", by_pair},   /* two at once */
	{"sweep", by_sweep}, /* all of them */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
