/* SPDX-License-Identifier: Apache-2.0 */
/* etcfiles.c - the made-up /etc of a box: a few files that programs look for, none of the host's
 * secrets. */
#include "sandbox/native/etcfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/etcshared.h"
#include "sandbox/native/mounts.h"
#include "sandbox/native/nodewire.h"
#include "sandbox/native/rootfs.h"

extern const char node_driver_start[], node_driver_end[];

enum { CACHE_MAX = 1 << 20 };

struct text {
	const char *name, *content;
};

static const struct text texts[] = {
	{"passwd", "root:x:0:0:root:/:/usr/sbin/nologin\n"
		   "user:x:1000:1000:user:/work:/bin/sh\n"
		   "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
	{"group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
	{"hosts", "127.0.0.1 localhost box\n::1 localhost\n"},
	{"hostname", "box\n"},
	{"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
	{"resolv.conf", ""},
};

/* Of the host or of --root, where it is there: needed to find libraries and programs. */
static const char *const borrowed[] = {"alternatives", "ld.so.cache"};

static int put_text(int dir, const struct text *text, struct error *err)
{
	own_fd fd =
		openat(dir, text->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0 || fchmod(fd, 0644) < 0)
		return fail_sys(err, "create /etc/%s", text->name);
	return fd_write_all(fd, text->content, strlen(text->content), err) < 0
		       ? fail_in(err, "/etc/%s", text->name)
		       : 0;
}

int etcfiles_write(int dir, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (put_text(dir, &texts[i], err) < 0)
			return -1;
	return symlinkat("/proc/self/mounts", dir, "mtab") < 0 ? fail_sys(err, "link /etc/mtab")
							       : 0;
}

uint64_t etcfiles_texts_hash(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *const both[] = {texts[i].name, texts[i].content};

		for (size_t j = 0; j < ARRAY_LEN(both); j++)
			for (const char *c = both[j]; c == both[j] || c[-1]; c++)
				hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static int copy_file(int source, off_t size, int dir, const char *name, struct error *err)
{
	own_fd to = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (to < 0 || fchmod(to, 0644) < 0)
		return fail_sys(err, "create /etc/%s", name);
	while (size > 0) {
		ssize_t n = sendfile(to, source, NULL, (size_t)size);

		if (n <= 0)
			return n < 0 ? fail_sys(err, "copy to /etc/%s", name) : 0;
		size -= n;
	}
	return 0;
}

int etcfiles_copy_cache(int dir, struct error *err)
{
	own_fd fd = open("/etc/ld.so.cache", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "open /etc/ld.so.cache");
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at /etc/ld.so.cache");
	if (!S_ISREG(st.st_mode) || st.st_size > CACHE_MAX)
		return 0;
	return copy_file(fd, st.st_size, dir, "ld.so.cache", err);
}

static int borrow(const struct plan *plan, struct board *board, int dir, const char *name,
		  struct error *err)
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
		return st.st_size > CACHE_MAX ? 0 : copy_file(fd, st.st_size, dir, name, err);
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

static int make_own(const struct plan *plan, struct board *board, struct error *err)
{
	own_fd dir = open("etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return fail_sys(err, "open etc");
	if (etcfiles_write(dir, err) < 0)
		return -1;
	if (plan->profile->warm.kind == WARM_NODE && put_driver(err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(borrowed); i++)
		if (borrow(plan, board, dir, borrowed[i], err) < 0)
			return -1;
	return 0;
}

/* It came with the overlay of /usr; or without one, where a run may do without that layer. */
static int place_shared(const struct plan *plan, const struct board *board, struct error *err)
{
	const char *from = plan->profile->n_programs > 0 ? "/usr" : "usr"; /* rootfs.c: whole_usr */
	char path[96];

	if (board->layers[LAYER_OVERLAY].state != LAYER_FULL)
		from = plan->etc_path;
	(void)snprintf(path, sizeof(path), "%s/" ETCSHARED_NAME, from);
	if (mounts_bind(path, "etc", false, err) < 0)
		return -1;
	return mounts_restrict("etc", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
			       false, err);
}

int etcfiles_make(const struct plan *plan, struct board *board, struct error *err)
{
	if (mounts_mkdir("etc", 0755, err) < 0)
		return -1;
	if (plan->etc < 0)
		return make_own(plan, board, err);
	return place_shared(plan, board, err);
}
