/* SPDX-License-Identifier: Apache-2.0 */
/* rootfs.c - the read-only tree that every box of a slot starts from.
 *
 * A small tmpfs of our own, so that no directory of the host or of an image is
 * ever a mount point; in it /usr (or exactly the listed programs), a made-up
 * /etc, five devices, and mount points for what each box has for itself.  The
 * host's /proc is bound here only because the kernel lets a user namespace
 * mount a new one where a whole one is in sight; every box covers it.
 */
#include "sandbox/native/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/devices.h"
#include "sandbox/native/etcfiles.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/mounts.h"
#include "sandbox/native/procfs.h"
#include "sandbox/native/rootdir.h"
#include "sandbox/native/shelf.h"

enum { READ_ONLY = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

static const char base[] = "/tmp"; /* exists everywhere; only our mount namespace sees it covered */

static const char *const top_links[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};

static int make_link(const char *to, const char *name, struct error *err)
{
	return symlink(to, name) < 0 ? fail_sys(err, "link %s", name) : 0;
}

/* tree: a file system that has devices of its own already; -1: there is none. */
static int start_tree(int tree, struct error *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return fail_sys(err, "make mounts private");
	if (tree < 0 ? mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV,
			     "size=4m,nr_inodes=8192,mode=0755") < 0
		     : move_mount(tree, "", AT_FDCWD, base, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return fail_sys(err, "mount the root on %s", base);
	return chdir(base) < 0 ? fail_sys(err, "enter %s", base) : 0;
}

struct layers {
	const char *upper, *lower;
};

static int cover(struct board *board, const struct layers *layers, const char *target,
		 struct error *err)
{
	const char *source = layers->lower;

	if (mounts_mkdir(target, 0755, err) < 0)
		return -1;
	if (mounts_overlay(layers->upper, source, target, err) == 0)
		return 0;
	if (layer_missing(board, LAYER_OVERLAY, "plain binds: locks cross boxes", err) < 0)
		return -1;
	if (mounts_bind(source, target, true, err) < 0)
		return -1;
	return mounts_restrict(target, READ_ONLY, true, err);
}

int rootfs_open_source(const struct plan *plan, const char *name, int flags)
{
	char path[64];

	if (plan->root >= 0)
		return rootdir_open_in(plan->root, name, flags);
	(void)snprintf(path, sizeof(path), "/%s", name);
	return open(path, flags | O_CLOEXEC);
}

int rootfs_cover(const struct plan *plan, struct board *board, const struct source *source,
		 const char *target, struct error *err)
{
	char path[64];
	bool has_etc = plan->etc >= 0 && strcmp(source->name, "usr") == 0;

	/* The host's by name: a box can read in its mount table what was laid over what. */
	if (plan->root >= 0)
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", source->fd);
	else
		(void)snprintf(path, sizeof(path), "/%s", source->name);
	return cover(board, &(struct layers){has_etc ? plan->etc_path : ".empty", path}, target,
		     err);
}

/* Relative to what stands for the source's root; links in --root are the image's own affair, so
 * their names are not followed there either. */
static ssize_t read_top_link(const struct plan *plan, const char *name, char *ret, size_t room)
{
	char path[64];

	if (plan->root >= 0)
		return readlinkat(plan->root, name, ret, room);
	(void)snprintf(path, sizeof(path), "/%s", name);
	return readlink(path, ret, room);
}

/* Not a link: a tree of its own, or nothing that we know. */
static int add_top_tree(const struct plan *plan, struct board *board, const char *name,
			struct error *err)
{
	own_fd fd = rootfs_open_source(plan, name, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(err, "look at %s", name);
	if (!S_ISDIR(st.st_mode))
		return 0;
	return rootfs_cover(plan, board, &(struct source){fd, name}, name, err);
}

/* /bin and its like: a link into /usr where the source has one. */
static int add_top_link(const struct plan *plan, struct board *board, const char *name,
			struct error *err)
{
	char to[64];
	ssize_t n = read_top_link(plan, name, to, sizeof(to) - 1);

	if (n < 0 && errno == EINVAL)
		return add_top_tree(plan, board, name, err);
	if (n < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "look at %s", name);
	to[n] = '\0';
	return make_link(to[0] == '/' ? to + 1 : to, name, err);
}

static int cover_usr(const struct plan *plan, struct board *board, const char *target,
		     struct error *err)
{
	const char *root = plan->profile->root ? plan->profile->root : "";
	own_fd usr = rootfs_open_source(plan, "usr", O_PATH | O_DIRECTORY);

	if (usr < 0)
		return fail_sys(err, "open %s/usr", root);
	if (rootfs_cover(plan, board, &(struct source){usr, "usr"}, target, err) < 0)
		return fail_in(err, "%s/usr", root);
	return 0;
}

static int add_everything(const struct plan *plan, struct board *board, struct error *err)
{
	if (cover_usr(plan, board, "usr", err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(top_links); i++)
		if (add_top_link(plan, board, top_links[i], err) < 0)
			return -1;
	return 0;
}

/* The overlay of /usr that files are taken from: over the host's own, which we let go of with
 * everything that lies on it.  To unmount it here would wait for every processor once more. */
static const char *whole_usr(const struct plan *plan)
{
	return plan->root < 0 ? "/usr" : ".usr";
}

/* Where a needed file is to be found: in that overlay, or wherever it lies.  ret_fd: what the path
 * leads through, if anything. */
static int needed_source(const struct plan *plan, const struct needed *item, char *ret, size_t room,
			 int *ret_fd, struct error *err)
{
	const char *path = item->source + item->prefix;
	int n;

	if (strncmp(path, "/usr/", 5) == 0) {
		n = snprintf(ret, room, "%s/%s", whole_usr(plan), path + 5);
	} else if (plan->root >= 0) {
		*ret_fd = rootdir_open_in(plan->root, path, O_PATH);
		if (*ret_fd < 0)
			return fail_sys(err, "open %s", path);
		n = snprintf(ret, room, "/proc/self/fd/%d", *ret_fd);
	} else {
		n = snprintf(ret, room, "%s", path);
	}
	return n > 0 && (size_t)n < room ? 0 : fail(err, ERR_CALLER, "%s: path too long", path);
}

static int add_needed(const struct plan *plan, const struct needed *item, struct error *err)
{
	char source[4096];
	own_fd fd = -1;

	if (needed_source(plan, item, source, sizeof(source), &fd, err) < 0 ||
	    mounts_make_target(item->inside + 1, item->directory, err) < 0 ||
	    mounts_bind(source, item->inside + 1, false, err) < 0)
		return fail_in(err, "--programs");
	/* Binds out of the overlay have its flags; files from elsewhere need their own. */
	if (strncmp(item->source + item->prefix, "/usr/", 5) == 0)
		return 0;
	return mounts_restrict(item->inside + 1, READ_ONLY, true, err);
}

static int open_whole_usr(const struct plan *plan, struct board *board, struct error *err)
{
	return cover_usr(plan, board, whole_usr(plan), err) < 0 ? -1
								: mounts_mkdir("usr", 0755, err);
}

/* Exactly these files and nothing beside them.  They may have to be waited for. */
static int add_programs(struct plan *plan, struct board *board, struct error *err)
{
	if (plan->shelf)
		shelf_take(plan);
	for (size_t i = 0; i < plan->needed.n; i++)
		if (add_needed(plan, &plan->needed.items[i], err) < 0)
			return -1;
	if (plan->root >= 0 && umount2(whole_usr(plan), MNT_DETACH) < 0)
		return fail_sys(err, "hide the rest of /usr");
	for (size_t i = 0; i < ARRAY_LEN(top_links); i++) {
		char to[32];

		(void)snprintf(to, sizeof(to), "usr/%s", top_links[i]);
		if (make_link(to, top_links[i], err) < 0)
			return -1;
	}
	layer_stands(board, LAYER_PROGRAMS, "%s: %zu files",
		     plan->needed.has_interpreter ? "code" : "restricted", plan->needed.n);
	return 0;
}

static int add_mount_points(struct error *err)
{
	static const char *const dirs[] = {"work", "tmp", "proc", "var", "run", "home"};

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (mounts_mkdir(dirs[i], 0755, err) < 0)
			return -1;
	return make_link("/tmp", "var/tmp", err);
}

/* For one box: its own.  For many: the host's, beneath which each mounts its own. */
static int add_proc(const struct plan *plan, struct board *board, struct error *err)
{
	if (plan->once)
		return procfs_mount("proc", plan->profile->proc_full, board, err);
	if (mount("/proc", "proc", NULL, MS_BIND | MS_REC, NULL) < 0)
		return fail_sys(err, "bind /proc");
	return 0;
}

/* It lies above the new root.  Nothing is found through it: our paths begin beneath it. */
int rootfs_leave_old(struct error *err)
{
	return umount2("/", MNT_DETACH) < 0 ? fail_sys(err, "let go of the host's root") : 0;
}

static int enter_tree(const struct plan *plan, struct error *err)
{
	/* Both the new root and the old one on "/": the old is let go of by its place. */
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return fail_sys(err, "pivot_root");
	if (chdir("/") < 0)
		return fail_sys(err, "enter the new root");
	if (!plan->once && rootfs_leave_old(err) < 0)
		return -1;
	return mounts_restrict("/", READ_ONLY, false, err);
}

/* A descriptor keeps pointing into the mount namespace it was opened in, and nothing can be laid
 * over that from another one; the working directory moves along. */
static int reopen_root(struct plan *plan, struct error *err)
{
	int root;

	if (plan->root < 0)
		return 0;
	root = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail_sys(err, "--root %s", plan->profile->root);
	(void)close(plan->root);
	plan->root = root;
	return 0;
}

int rootfs_build(struct plan *plan, struct board *board, struct error *err)
{
	bool listed = plan->profile->n_programs > 0;

	if (reopen_root(plan, err) < 0 || grants_open_inside(plan, err) < 0 ||
	    start_tree(plan->devices, err) < 0 || mounts_mkdir(".empty", 0755, err) < 0)
		return -1;
	layer_stands(board, LAYER_OVERLAY, "lower-only, of %.40s",
		     plan->profile->root ? plan->profile->root : "the host's /usr");
	if ((listed ? open_whole_usr(plan, board, err) : add_everything(plan, board, err)) < 0)
		return -1;
	if (etcfiles_make(plan, board, err) < 0 || devices_place(plan->devices >= 0, err) < 0 ||
	    add_mount_points(err) < 0 || add_proc(plan, board, err) < 0)
		return -1;
	if ((listed && add_programs(plan, board, err) < 0) || grants_place(plan, err) < 0 ||
	    enter_tree(plan, err) < 0)
		return -1;
	layer_stands(board, LAYER_MOUNT_NAMESPACE, "own root, read-only, pivot_root%s",
		     plan->devices < 0 ? "; the host's devices" : "");
	own_fd_end(&plan->devices);
	plan->devices = -1;
	return 0;
}
