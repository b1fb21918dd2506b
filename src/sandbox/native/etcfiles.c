/* SPDX-License-Identifier: Apache-2.0 */
/* etcfiles.c - the made-up /etc of a box: a few files that programs look for, none of the host's
 * secrets. */
#include "sandbox/native/etcfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/mounts.h"
#include "sandbox/native/nodewire.h"
#include "sandbox/native/rootfs.h"

extern const char node_driver_start[], node_driver_end[];

struct text {
	const char *name, *content;
};

static const struct text texts[] = {
	{"etc/passwd", "root:x:0:0:root:/:/usr/sbin/nologin\n"
		       "user:x:1000:1000:user:/work:/bin/sh\n"
		       "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
	{"etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
	{"etc/hosts", "127.0.0.1 localhost box\n::1 localhost\n"},
	{"etc/hostname", "box\n"},
	{"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
	{"etc/resolv.conf", ""},
};

/* Of the host or of --root, where it is there: needed to find libraries and programs. */
static const char *const borrowed[] = {"alternatives", "ld.so.cache"};

static int copy_file(int source, off_t size, const char *target, struct error *err)
{
	own_fd to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (to < 0)
		return fail_sys(err, "create %s", target);
	while (size > 0) {
		ssize_t n = sendfile(to, source, NULL, (size_t)size);

		if (n <= 0)
			return n < 0 ? fail_sys(err, "copy to %s", target) : 0;
		size -= n;
	}
	return 0;
}

static int borrow(const struct plan *plan, struct board *board, const char *name, struct error *err)
{
	own_fd fd = -1;
	char target[64];
	struct stat st;

	(void)snprintf(target, sizeof(target), "etc/%s", name);
	fd = rootfs_open_source(plan, target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "open %s", target);
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at %s", target);
	/* A copy of a small file costs less than a bind and shares no lock with the host. */
	if (S_ISREG(st.st_mode))
		return st.st_size > 1 << 20 ? 0 : copy_file(fd, st.st_size, target, err);
	if (!S_ISDIR(st.st_mode))
		return 0;
	return rootfs_cover(plan, board, &(struct source){fd, target}, target, err);
}

/* Read-only like everything here; the text is no secret. */
static int put_driver(struct error *err)
{
	return mounts_put_file(&NODE_DRIVER_PATH[1], node_driver_start,
			       (size_t)(node_driver_end - node_driver_start), err);
}

int etcfiles_make(const struct plan *plan, struct board *board, struct error *err)
{
	if (mounts_mkdir("etc", 0755, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (mounts_put_file(texts[i].name, texts[i].content, strlen(texts[i].content),
				    err) < 0)
			return -1;
	if (plan->profile->warm.kind == WARM_NODE && put_driver(err) < 0)
		return -1;
	if (symlink("/proc/self/mounts", "etc/mtab") < 0)
		return fail_sys(err, "link /etc/mtab");
	for (size_t i = 0; i < ARRAY_LEN(borrowed); i++)
		if (borrow(plan, board, borrowed[i], err) < 0)
			return -1;
	return 0;
}
