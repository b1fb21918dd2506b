/* SPDX-License-Identifier: Apache-2.0 */
/* make_namespace.c - attacks "no namespaces inside": most kernel exploits begin with one.
 *
 * unshare|clone|clone3 NAME [high]: bit 32 is nothing to clone and CLONE_CLEAR_SIGHAND to clone3.
 */
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "escape.h"

static const struct {
	const char *name;
	uint64_t flag;
} spaces[] = {
	{"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS},        {"pid", CLONE_NEWPID},
	{"net", CLONE_NEWNET},   {"ipc", CLONE_NEWIPC},       {"uts", CLONE_NEWUTS},
	{"time", CLONE_NEWTIME}, {"cgroup", CLONE_NEWCGROUP},
};

static uint64_t flag_of(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 2, "namespace");

	tried("%s %s%s", argv[1], name, argc > 3 ? " with bit 32" : "");
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (strcmp(name, spaces[i].name) == 0)
			return spaces[i].flag | (argc > 3 ? (uint64_t)1 << 32 : 0);
	cannot("usage: no such namespace: %s", name);
}

static void by_unshare(int argc, char **argv)
{
	end_by(syscall(SYS_unshare, flag_of(argc, argv)), "unshare");
}

static void end_with_child(long pid, const char *what)
{
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid((pid_t)pid, NULL, 0);
	end_by(pid, what);
}

static void by_clone(int argc, char **argv)
{
	end_with_child(syscall(SYS_clone, flag_of(argc, argv) | SIGCHLD, 0, 0, 0, 0), "clone");
}

static void by_clone3(int argc, char **argv)
{
	struct clone_args args = {.flags = flag_of(argc, argv), .exit_signal = SIGCHLD};

	end_with_child(syscall(SYS_clone3, &args, sizeof(args)), "clone3");
}

static const struct way ways[] = {
	{"unshare", by_unshare}, /* for ourselves */
	{"clone", by_clone},     /* for a child */
	{"clone3", by_clone3},   /* flags behind a pointer */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
