/* SPDX-License-Identifier: Apache-2.0 */
/* grants.c - files and directories of the host that a box may see.
 *
 * In root mode the program runs as a uid that owns nothing.  An id-mapped
 * mount shows it the owner of the granted path as itself, and nobody else; what
 * it creates belongs to that owner on disk.  As the owner may be root, the
 * filter refuses to make set-uid files wherever something is granted for
 * writing (seccomp.h, host_writable).
 */
#include "sandbox/native/grants.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/mounts.h"
#include "sandbox/native/submounts.h"
#include "sandbox/native/trustpath.h"

static const char hidden[] = ".grants";

/* A grant there would hide or undo what we put up. */
static const char *const reserved_exact[] = {"/", "/work", "/tmp", "/usr", "/etc", "/var/tmp"};
static const char *const reserved_trees[] = {"/proc", "/dev",    "/sys",   "/.grants",
					     "/.usr", "/.empty", "/bin",   "/sbin",
					     "/lib",  "/lib32",  "/lib64", "/libx32"};

static bool is_beneath(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 && path[len] == '/';
}

bool grants_come_late(const char *inside)
{
	return is_beneath(inside, "/work") || is_beneath(inside, "/tmp") ||
	       is_beneath(inside, "/var/tmp");
}

static bool is_late(const struct grant *g)
{
	return grants_come_late(g->inside);
}

/* From the root on; /var/tmp is a link of ours to /tmp. */
static const char *late_place(const struct grant *g)
{
	return g->inside + (is_beneath(g->inside, "/var/tmp") ? strlen("/var/") : strlen("/"));
}

static const char *option_of(const struct grant *g)
{
	return g->write ? "--write" : "--read";
}

int grants_check_place(const struct grant *g, struct error *err)
{
	const char *p = g->inside;
	size_t len = strlen(p);

	if (p[0] != '/' || len >= 1024)
		return fail(err, ERR_CALLER,
			    "%s %s: the place inside must be an absolute path such as /data",
			    option_of(g), g->source);
	if (strstr(p, "//") || strstr(p, "/./") || strstr(p, "/../") ||
	    (len > 1 && p[len - 1] == '/') || (len > 1 && strcmp(p + len - 2, "/.") == 0) ||
	    (len > 2 && strcmp(p + len - 3, "/..") == 0))
		return fail(err, ERR_CALLER,
			    "%s %s: the place inside, %s, must not contain //, . or ..",
			    option_of(g), g->source, p);
	for (size_t i = 0; i < ARRAY_LEN(reserved_exact); i++)
		if (strcmp(p, reserved_exact[i]) == 0)
			return fail(err, ERR_CALLER,
				    "%s %s: %s is the box's own; name another place: %s:/data",
				    option_of(g), g->source, p, g->source);
	for (size_t i = 0; i < ARRAY_LEN(reserved_trees); i++)
		if (strcmp(p, reserved_trees[i]) == 0 || is_beneath(p, reserved_trees[i]))
			return fail(err, ERR_CALLER,
				    "%s %s: nothing may be placed in %s; name another place: "
				    "%s:/data",
				    option_of(g), g->source, reserved_trees[i], g->source);
	return 0;
}

static int check_opened(const struct grant *g, int fd, struct error *err)
{
	struct stat st, top;
	size_t beneath;

	if (fstat(fd, &st) < 0 || stat("/", &top) < 0)
		return fail_sys(err, "%s %s", option_of(g), g->source);
	if (st.st_dev == top.st_dev && st.st_ino == top.st_ino)
		return fail(err, ERR_CALLER,
			    "%s %s: the whole host is not granted; name what is needed",
			    option_of(g), g->source);
	if (g->ino && (st.st_dev != g->dev || st.st_ino != g->ino))
		return fail(err, ERR_CALLER, "%s %s: it was replaced meanwhile", option_of(g),
			    g->source);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return fail(err, ERR_CALLER, "%s %s: only files and directories can be granted",
			    option_of(g), g->source);
	if (submounts_check(fd, &beneath, err) < 0)
		return fail_in(err, "%s %s", option_of(g), g->source);
	return 0;
}

/* Returns a descriptor, O_PATH: from here on the name means nothing any more. */
static int open_source(const struct grant *g, struct error *err)
{
	own_fd fd = trustpath_open(g->source, O_PATH, err);

	if (fd < 0)
		return fail_in(err, "%s", option_of(g));
	return check_opened(g, fd, err) < 0 ? -1 : take_fd(&fd);
}

int grants_check(const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < profile->n_grants; i++) {
		own_fd fd = -1;

		if (grants_check_place(&profile->grants[i], err) < 0)
			return -1;
		fd = open_source(&profile->grants[i], err);
		if (fd < 0)
			return -1;
	}
	return 0;
}

/* Killed as soon as its namespace is open; goes by itself if the warden does, or cannot kill. */
static int stay_a_moment(void *arg)
{
	enum { MOMENT_MS = 2000 };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == *(const pid_t *)arg)
		(void)poll(NULL, 0, MOMENT_MS);
	return 0;
}

/* A user namespace in which `owner` is `uid`: the kernel takes mount maps in this shape only. */
static int make_map(uid_t owner, gid_t group, uid_t uid, int *ret_ns, struct error *err)
{
	char path[64], map[64];
	int result = -1;
	pid_t self = getpid();
	pid_t child = clone(stay_a_moment, childstack_top(CHILDSTACK_MAP), CLONE_NEWUSER | SIGCHLD,
			    &self);

	if (child < 0)
		return fail_sys(err, "user namespace for an id-mapped mount");
	(void)snprintf(path, sizeof(path), "/proc/%d/uid_map", child);
	(void)snprintf(map, sizeof(map), "%u %u 1\n", owner, uid);
	if (fd_put_file(AT_FDCWD, path, map, err) < 0)
		goto out;
	(void)snprintf(path, sizeof(path), "/proc/%d/gid_map", child);
	(void)snprintf(map, sizeof(map), "%u %u 1\n", group, uid);
	if (fd_put_file(AT_FDCWD, path, map, err) < 0)
		goto out;
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", child);
	*ret_ns = open(path, O_RDONLY | O_CLOEXEC);
	result = *ret_ns < 0 ? fail_sys(err, "open %s", path) : 0;
out:
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return result;
}

/* listed: only certain programs may run, and `ld.so FILE` maps code that Landlock lets be read. */
static int set_attributes(int tree, const struct grant *g, bool listed, int map, struct error *err)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
		.propagation = MS_PRIVATE,
	};

	if (!g->write)
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	if (listed)
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
	if (map >= 0) {
		attr.attr_set |= MOUNT_ATTR_IDMAP;
		attr.userns_fd = (unsigned)map;
	}
	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return fail_sys(err, "%s %s: %s", option_of(g), g->source,
				map >= 0 ? "id-mapped mount" : "mount attributes");
	return 0;
}

static int open_tree_of(const struct grant *g, int source, struct error *err)
{
	int tree = open_tree(source, "",
			     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);

	return tree < 0 ? fail_sys(err, "%s %s: open_tree", option_of(g), g->source) : tree;
}

static int open_mapped(const struct plan *plan, const struct grant *g, int source, int *ret_tree,
		       struct error *err)
{
	bool listed = plan->profile->n_programs > 0;
	own_fd tree = open_tree_of(g, source, err), map = -1;
	size_t beneath = 0;
	struct stat st;

	if (tree < 0)
		return -1;
	if (fstat(tree, &st) < 0)
		return fail_sys(err, "%s %s", option_of(g), g->source);
	if (make_map(st.st_uid, st.st_gid, plan->payload_uid, &map, err) < 0)
		return fail_in(err, "%s %s", option_of(g), g->source);
	if (set_attributes(tree, g, listed, map, err) < 0) {
		/* A file system without id maps: for reading, the rights of "others" remain.
		 * Not for several, of which some may have them. */
		if (g->write || submounts_check(source, &beneath, err) < 0)
			return -1;
		if (beneath > 0)
			return fail_in(err, "with %zu file systems mounted beneath", beneath);
		if (set_attributes(tree, g, listed, -1, err) < 0)
			return -1;
		*err = (struct error){0};
	}
	*ret_tree = take_fd(&tree);
	return 0;
}

int grants_open(struct plan *plan, struct error *err)
{
	const struct profile *profile = plan->profile;

	for (size_t i = 0; i < GRANTS_MAX; i++)
		plan->grants[i] = -1;
	for (size_t i = 0; i < profile->n_grants; i++) {
		/* Looked at again: the name may have come to mean something else. */
		own_fd source = open_source(&profile->grants[i], err);

		if (source < 0)
			return -1;
		if (!plan->root_mode)
			plan->grants[i] = take_fd(&source);
		else if (open_mapped(plan, &profile->grants[i], source, &plan->grants[i], err) < 0)
			return -1;
	}
	return 0;
}

void grants_close(struct plan *plan)
{
	for (size_t i = 0; i < GRANTS_MAX; i++) {
		own_fd_end(&plan->grants[i]);
		plan->grants[i] = -1;
	}
}

static void place_of(const struct grant *g, size_t i, char *ret, size_t room)
{
	if (is_late(g))
		(void)snprintf(ret, room, "%s/%zu", hidden, i);
	else
		(void)snprintf(ret, room, "%s", g->inside + 1);
}

/* Another grant may lie there, with links to wherever its owner likes. */
static int move_to(int tree, const struct grant *g, const char *path, struct error *err)
{
	own_fd target = -1;
	struct stat st;

	if (fstat(tree, &st) < 0)
		return fail_sys(err, "%s %s", option_of(g), g->source);
	target = mounts_open_target(path, S_ISDIR(st.st_mode), err);
	if (target < 0 || mounts_move(tree, target, err) < 0)
		return fail_in(err, "%s %s:%s", option_of(g), g->source, g->inside);
	return 0;
}

static int place(int tree, const struct grant *g, size_t i, struct error *err)
{
	char path[1100];

	place_of(g, i, path, sizeof(path));
	return move_to(tree, g, path, err);
}

/* The same file in the mount namespace that we are in now: the kernel copies no mount out of
 * another one.  No link is in the name that it gives. */
static int find_again(const struct grant *g, int outside, struct error *err)
{
	struct stat was, is;
	own_str name = NULL;
	own_fd fd = -1;

	if (fd_name(outside, &name, err) < 0)
		return fail_in(err, "%s %s", option_of(g), g->source);
	fd = trustpath_open(name, O_PATH, err);
	if (fd < 0)
		return fail_in(err, "%s", option_of(g));
	if (fstat(outside, &was) < 0 || fstat(fd, &is) < 0)
		return fail_sys(err, "%s %s", option_of(g), g->source);
	if (was.st_dev != is.st_dev || was.st_ino != is.st_ino)
		return fail(err, ERR_CALLER, "%s %s: it was replaced meanwhile", option_of(g),
			    g->source);
	return take_fd(&fd);
}

int grants_open_inside(struct plan *plan, struct error *err)
{
	bool listed = plan->profile->n_programs > 0;

	for (size_t i = 0; !plan->root_mode && i < plan->profile->n_grants; i++) {
		const struct grant *g = &plan->profile->grants[i];
		own_fd source = find_again(g, plan->grants[i], err);
		own_fd tree = source < 0 ? -1 : open_tree_of(g, source, err);

		if (tree < 0 || set_attributes(tree, g, listed, -1, err) < 0)
			return -1;
		(void)close(plan->grants[i]);
		plan->grants[i] = take_fd(&tree);
	}
	return 0;
}

int grants_place(struct plan *plan, struct error *err)
{
	const struct profile *profile = plan->profile;

	if (profile->n_grants && mounts_mkdir(hidden, 0700, err) < 0)
		return -1;
	for (size_t i = 0; i < profile->n_grants; i++)
		if (place(plan->grants[i], &profile->grants[i], i, err) < 0)
			return -1;
	grants_close(plan);
	return 0;
}

/* The box's own copies of what was bound: a second way to a grant would lead around another grant
 * that lies beneath it, read-only.  After the last bind. */
static int hide_sources(const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < profile->n_grants; i++) {
		char source[64];

		(void)snprintf(source, sizeof(source), "/%s/%zu", hidden, i);
		if (is_late(&profile->grants[i]) && umount2(source, MNT_DETACH) < 0)
			return fail_sys(err, "hide %s", source);
	}
	return 0;
}

int grants_place_late(const struct plan *plan, struct error *err)
{
	const struct profile *profile = plan->profile;

	for (size_t i = 0; i < profile->n_grants; i++) {
		const struct grant *g = &profile->grants[i];
		char source[64];
		own_fd tree = -1;

		if (!is_late(g))
			continue;
		(void)snprintf(source, sizeof(source), "/%s/%zu", hidden, i);
		tree = open_tree(AT_FDCWD, source,
				 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
		if (tree < 0)
			return fail_sys(err, "%s %s", option_of(g), g->source);
		if (move_to(tree, g, late_place(g), err) < 0)
			return -1;
	}
	return hide_sources(profile, err);
}

int grants_take_away(const struct profile *profile, const char *program, struct error *err)
{
	/* Backwards: one may lie beneath another. */
	for (size_t i = profile->n_grants; i-- > 0;) {
		const struct grant *g = &profile->grants[i];

		if (g->write)
			return fail(err, ERR_CONFIG, "something of the host can be written here");
		if (is_late(g) || is_beneath(program, g->inside))
			continue;
		if (umount2(g->inside, MNT_DETACH) < 0)
			return fail_sys(err, "take %.60s away", g->inside);
	}
	return 0;
}
