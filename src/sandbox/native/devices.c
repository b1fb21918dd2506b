/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - /dev of a box: five devices, as nodes of its own where that can be had.
 *
 * File locks and watches belong to an inode.  With the host's /dev/null bound
 * into it, a box could see whenever anybody on the host opens that, stand in
 * the way of whoever locks it, and pass bits to another box.  Nodes in a tmpfs
 * of the box's own have inodes of their own; but only the host's root can make
 * them, so in user mode the binds, and what they tell, remain.
 *
 * That tmpfs is the whole root of the box: with one more for /dev alone every
 * memory group of the host would be the larger (the kernel has room in each
 * for all file systems).  Only the mount at /dev lets devices be opened.
 */
#include "sandbox/native/devices.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/mounts.h"

static const struct device {
	const char *name;
	unsigned minor;
} devices[] = {
	{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9},
};

static const struct link {
	const char *name, *to;
} links[] = {
	{"dev/fd", "/proc/self/fd"},
	{"dev/stdin", "/proc/self/fd/0"},
	{"dev/stdout", "/proc/self/fd/1"},
	{"dev/stderr", "/proc/self/fd/2"},
};

static int add_links(struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (symlink(links[i].to, links[i].name) < 0)
			return fail_sys(err, "link /%s", links[i].name);
	return mounts_mkdir("dev/shm", 0755, err);
}

static long set(int fs, const char *key, const char *value)
{
	return syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0);
}

static int new_tmpfs(uid_t owner, struct error *err)
{
	own_fd fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
	char id[16];
	int tree;

	(void)snprintf(id, sizeof(id), "%u", owner);
	if (fs < 0 || set(fs, "source", "tmpfs") < 0 || set(fs, "size", "4m") < 0 ||
	    set(fs, "nr_inodes", "8192") < 0 || set(fs, "mode", "0755") < 0 ||
	    set(fs, "uid", id) < 0 || set(fs, "gid", id) < 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return fail_sys(err, "file system for a root");
	tree = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID);
	return tree < 0 ? fail_sys(err, "mount for a root") : tree;
}

/* Whoever builds the root adds the rest: nobody waits for that one yet. */
static int make_nodes(int tree, uid_t owner, struct error *err)
{
	own_fd dir = -1;

	if (mkdirat(tree, "dev", 0755) < 0 || fchownat(tree, "dev", owner, owner, 0) < 0)
		return fail_sys(err, "make /dev");
	dir = openat(tree, "dev", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return fail_sys(err, "open /dev");
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		if (mknodat(dir, devices[i].name, S_IFCHR | 0666, makedev(1, devices[i].minor)) < 0)
			return fail_sys(err, "make /dev/%s", devices[i].name);
	return 0;
}

int devices_make(uid_t owner, int *ret_tree, struct error *err)
{
	own_fd tree = new_tmpfs(owner, err);
	mode_t mask;
	int made;

	*ret_tree = -1;
	if (tree < 0)
		return -1;
	mask = umask(0); /* the caller's would take from the modes */
	made = make_nodes(tree, owner, err);
	(void)umask(mask);
	if (made < 0 && err->sys == EPERM) { /* then the host's own are bound */
		*err = (struct error){0};
		return 0;
	}
	if (made < 0)
		return -1;
	*ret_tree = take_fd(&tree);
	return 0;
}

/* Bound only when it is what it seems (CVE-2025-31133: a device that was a link). */
static int bind_device(const struct device *d, struct error *err)
{
	char source[32], target[32];
	own_fd fd = -1;
	struct stat st;

	(void)snprintf(source, sizeof(source), "/dev/%s", d->name);
	(void)snprintf(target, sizeof(target), "dev/%s", d->name);
	fd = open(source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(err, "open %s", source);
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, d->minor))
		return fail(err, ERR_CONFIG, "%s is not the device it should be", source);
	(void)snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	if (mounts_make_target(target, false, err) < 0)
		return -1;
	return mounts_bind(source, target, false, err);
}

static int bind_all(struct error *err)
{
	if (mounts_mkdir("dev", 0755, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		if (bind_device(&devices[i], err) < 0)
			return -1;
	return add_links(err);
}

int devices_place(bool own_nodes, struct error *err)
{
	if (!own_nodes)
		return bind_all(err);
	if (add_links(err) < 0 || mounts_bind("dev", "dev", false, err) < 0)
		return -1;
	return mounts_restrict("dev", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
			       false, err);
}
