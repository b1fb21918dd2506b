/* SPDX-License-Identifier: Apache-2.0 */
/* workpath_fuzz.c - a name in a box from any bytes, in a tree that has ways out of it.
 *
 * The tree lies on a tmpfs in a mount namespace of our own and is gone with us.
 */
#include "fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/workfiles.h"

static void put_text(const char *path, const char *text)
{
	own_fd fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct error err;

	if (fd < 0 || fd_write_all(fd, text, strlen(text), &err) < 0)
		abort();
}

static bool be_alone(void)
{
	char map[64];
	unsigned uid = geteuid();

	if (uid == 0)
		return unshare(CLONE_NEWNS) == 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	(void)snprintf(map, sizeof(map), "0 %u 1", uid);
	put_text("/proc/self/uid_map", map);
	return true;
}

/* /tmp/work is the box's; everything beside it is not. */
static int make_tree(void)
{
	if (!be_alone() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", "/tmp", "tmpfs", 0, "size=4m,nr_inodes=2000") < 0)
		return -1;
	put_text("/tmp/secret", "outside");
	if (mkdir("/tmp/work", 0755) < 0 || mkdir("/tmp/work/d", 0755) < 0 ||
	    mkdir("/tmp/work/m", 0755) < 0 || mkdir("/tmp/work/x", 0755) < 0 ||
	    symlink("..", "/tmp/work/up") < 0 || symlink("/tmp", "/tmp/work/abs") < 0 ||
	    symlink("../secret", "/tmp/work/s") < 0 || mkfifo("/tmp/work/p", 0666) < 0 ||
	    mount("tmpfs", "/tmp/work/m", "tmpfs", 0, NULL) < 0)
		abort();
	put_text("/tmp/work/f", "inside");
	put_text("/tmp/work/d/f", "inside");
	put_text("/tmp/work/m/f", "outside");
	return open("/tmp/work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void check_get(int work, const char *path)
{
	own_fd to = memfd_create("got", MFD_CLOEXEC);
	const struct workpiece piece = {.most = 15, .to = to};
	struct error err = {0};
	char got[16] = "";
	uint64_t total;

	if (to < 0 || workfiles_get(work, path, &piece, &total, &err) < 0) {
		assert(err.kind != ERR_NONE && err.text[0]);
		return;
	}
	assert(pread(to, got, sizeof(got) - 1, 0) >= 0);
	assert(strcmp(got, "inside") == 0 || strcmp(got, "new") == 0);
}

/* What was put beneath x only, so that the tree stays as it is. */
static void check_put(int work, const char *path)
{
	const struct copyin_text text = {"new", 3, 0644};
	char below[KEPT_PATH_MAX + 8];
	struct error err = {0};

	(void)snprintf(below, sizeof(below), "x/%s", path);
	(void)workfiles_mkdir(work, below, &err);
	(void)workfiles_remove(work, below, false, &err);
	if (workfiles_put(work, below, &text, &err) == 0)
		check_get(work, below);
	assert(workfiles_remove(work, "x", true, &err) == 0);
	assert(workfiles_mkdir(work, "x", &err) == 0);
}

static void check_links(int work, const char *path)
{
	static struct kept_entry entries[64];
	struct worklist list = {.entries = entries, .room = 64};
	const struct copyin_text text = {"new", 3, 0644};
	struct kept_entry entry;
	struct error err = {0};
	char through[KEPT_PATH_MAX + 8];

	(void)workfiles_stat(work, path, &entry, &err);
	if (workfiles_list(work, path, &list, &err) == 0)
		for (size_t i = 0; i < list.n; i++)
			assert(strcmp(entries[i].name, "secret") != 0);
	(void)snprintf(through, sizeof(through), "up/%s", path);
	assert(workfiles_put(work, through, &text, &err) < 0);
	assert(workfiles_remove(work, through, true, &err) < 0);
	(void)snprintf(through, sizeof(through), "abs/%s", path);
	assert(workfiles_mkdir(work, through, &err) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int work = -2;
	own_str path = malloc(size + 1);

	if (work == -2)
		work = make_tree();
	if (!path || size > 4096 || work < 0)
		return 0;
	memcpy(path, data, size);
	path[size] = '\0';
	if (strlen(path) >= KEPT_PATH_MAX) {
		struct error err = {0};

		assert(workfiles_mkdir(work, path, &err) < 0 && err.kind == ERR_CALLER);
		return 0;
	}
	check_get(work, path);
	check_links(work, path);
	check_put(work, path);
	assert(access("/tmp/secret", F_OK) == 0);
	return 0;
}
