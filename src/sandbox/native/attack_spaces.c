/* SPDX-License-Identifier: Apache-2.0 */
/* attack_spaces.c - attempts to mount, to make namespaces and to enter others. */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

static const char refused[] = "EPERM ENOSYS EACCES";

static void try_mount(struct attack_result *r, const char *type)
{
	static const char place[] = "belljar-attack-mount";

	if (mkdir(place, 0700) < 0 && errno != EEXIST) {
		fell(r, "no directory to try it on: %s", strerrorname_np(errno));
		return;
	}
	if (!judge(r, mount("none", place, type, MS_NOSUID | MS_NODEV, NULL), refused))
		(void)umount2(place, MNT_DETACH);
	(void)rmdir(place);
}

ATTACK(mount_tmpfs)
{
	(void)self, (void)bait;
	try_mount(r, "tmpfs");
}

/* The door to release_agent. */
ATTACK(mount_cgroup)
{
	(void)self, (void)bait;
	try_mount(r, "cgroup2");
}

ATTACK(mount_proc)
{
	(void)self, (void)bait;
	try_mount(r, "proc");
}

/* The next three are tried where nothing is mounted: EINVAL for those who may, and no effect. */
static const char plain_dir[] = "/usr/bin";

ATTACK(remount_writable)
{
	(void)self, (void)bait;
	(void)judge(r, mount(NULL, plain_dir, NULL, MS_REMOUNT | MS_BIND, NULL), refused);
}

ATTACK(unmount)
{
	(void)self, (void)bait;
	(void)judge(r, umount2(plain_dir, MNT_DETACH), refused);
}

ATTACK(clear_readonly)
{
	struct mount_attr attr = {.attr_clr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_mount_setattr, AT_FDCWD, plain_dir, 0, &attr, sizeof(attr)),
		    refused);
}

ATTACK(clone_tree)
{
	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC),
		    refused);
}

ATTACK(change_root)
{
	(void)self, (void)bait;
	(void)judge(r, chroot("/"), refused);
}

/* Never succeeds (the new root is the old one), but says EBUSY only to those who may. */
ATTACK(pivot)
{
	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_pivot_root, "/", "/"), refused);
}

ATTACK(unshare_each)
{
	static const struct {
		int flag;
		const char *name;
	} kinds[] = {
		{CLONE_NEWUSER, "user"},     {CLONE_NEWNS, "mount"},  {CLONE_NEWPID, "pid"},
		{CLONE_NEWNET, "network"},   {CLONE_NEWIPC, "ipc"},   {CLONE_NEWUTS, "uts"},
		{CLONE_NEWCGROUP, "cgroup"}, {CLONE_NEWTIME, "time"},
	};

	(void)self, (void)bait;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		int ret = unshare(kinds[i].flag);

		if (judge(r, ret, refused))
			continue;
		fell(r, "%s namespace: %s", kinds[i].name,
		     ret < 0 ? strerrorname_np(errno) : "it worked");
		return;
	}
}

static void try_clone(struct attack_result *r, unsigned long flags)
{
	long pid = syscall(SYS_clone, flags, NULL, NULL, NULL, 0UL);

	if (pid == 0)
		_exit(0);
	if (!judge(r, pid, "EPERM ENOSYS") && pid > 0)
		(void)waitpid((pid_t)pid, NULL, 0);
}

ATTACK(clone_user)
{
	(void)self, (void)bait;
	try_clone(r, CLONE_NEWUSER | SIGCHLD);
}

/* The kernel drops the upper half; a filter that compares it sees another number. */
ATTACK(clone_user_high)
{
	(void)self, (void)bait;
	try_clone(r, CLONE_NEWUSER | SIGCHLD | 1UL << 32);
}

ATTACK(clone3_user)
{
	struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	(void)self, (void)bait;
	if (pid == 0)
		_exit(0);
	if (!judge(r, pid, "EPERM ENOSYS") && pid > 0)
		(void)waitpid((pid_t)pid, NULL, 0);
}

/* A child that belongs to our parent: from the box's first process, to somebody outside. */
ATTACK(clone_parent)
{
	(void)self, (void)bait;
	try_clone(r, CLONE_PARENT | SIGCHLD);
}

ATTACK(join_namespace)
{
	own_fd fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	(void)self, (void)bait;
	(void)judge(r, setns(fd, 0), "EPERM ENOSYS");
}
