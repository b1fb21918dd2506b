/* SPDX-License-Identifier: Apache-2.0 */
/* sys/mount.h - the newer calls about mounts, which musl has not. */
#ifndef MUSL_SYS_MOUNT_H
#define MUSL_SYS_MOUNT_H

#include_next <sys/mount.h>

#include <fcntl.h>
#include <linux/mount.h>
#include <unistd.h>

/* Younger than musl 1.2.3; the same number everywhere, as of all calls since 5.1. */
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static inline int open_tree(int at, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, at, path, flags);
}

static inline int move_mount(int from, const char *path, int to, const char *to_path,
			     unsigned flags)
{
	return (int)syscall(SYS_move_mount, from, path, to, to_path, flags);
}

static inline int mount_setattr(int at, const char *path, unsigned flags, struct mount_attr *attr,
				size_t size)
{
	return (int)syscall(SYS_mount_setattr, at, path, flags, attr, size);
}

#endif
