/* SPDX-License-Identifier: Apache-2.0 */
/* join_namespace.c - attacks the namespaces: walk into another process's.
 *
 * file NAME [high]: by /proc/self/ns/NAME.  pidfd NAME [high]: by a descriptor of pid 1.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>

#include "escape.h"

static const struct {
	const char *name;
	long flag;
} spaces[] = {
	{"mnt", CLONE_NEWNS},  {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET},
	{"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP},
};

static long flag_of(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 2, "namespace");

	tried("setns %s %s%s", argv[1], name, argc > 3 ? " with bit 32" : "");
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (strcmp(name, spaces[i].name) == 0)
			return argc > 3 ? with_bit_32(spaces[i].flag) : spaces[i].flag;
	cannot("usage: no such namespace: %s", name);
}

static void by_file(int argc, char **argv)
{
	long flag = flag_of(argc, argv);
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", argv[2]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		blocked("open %s: %m", path);
	end_by(syscall(SYS_setns, fd, flag), "setns");
}

static void by_pidfd(int argc, char **argv)
{
	long flag = flag_of(argc, argv);
	long fd = syscall(SYS_pidfd_open, 1, 0);

	if (fd < 0)
		blocked("pidfd_open: %m");
	end_by(syscall(SYS_setns, fd, flag), "setns");
}

static const struct way ways[] = {
	{"file", by_file},   /* by name */
	{"pidfd", by_pidfd}, /* by process */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
