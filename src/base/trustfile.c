/* SPDX-License-Identifier: Apache-2.0 */
/* trustfile.c - opens a file that only its owner can have written.
 *
 * Part by part: each directory is looked at through a descriptor before
 * anything is looked up in it, so what was judged is what is used.
 */
#include "base/trustfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/pathrest.h"

struct way {
	const char *path; /* as given, for messages */
	struct pathrest at;
};

static void way_end(struct way *w)
{
	pathrest_end(&w->at);
}

static int fail_way(const struct way *w, struct error *err)
{
	bool missing = errno == ENOENT || errno == ENOTDIR;

	(void)fail_sys(err, "%s", w->path);
	err->kind = missing ? ERR_NOT_FOUND : ERR_CONFIG;
	return -1;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

static int check_directory(const struct way *w, int dir, struct error *err)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return fail_way(w, err);
	if (!is_ours(&st))
		return fail(err, ERR_CONFIG, "%s: a directory on the way belongs to user %u",
			    w->path, st.st_uid);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
		return fail(err, ERR_CONFIG,
			    "%s: others may write to a directory on the way; take that away "
			    "(chmod go-w)",
			    w->path);
	return 0;
}

static int follow_link(struct way *w, int link, const struct stat *st, struct error *err)
{
	char to[PATH_MAX];

	if (pathrest_read_link(&w->at, link, to) < 0)
		return fail_way(w, err);
	if (!is_ours(st))
		return fail(err, ERR_CONFIG, "%s: a symbolic link on the way belongs to user %u",
			    w->path, st->st_uid);
	return pathrest_follow(&w->at, to) < 0 ? fail_way(w, err) : 0;
}

/* Leaves the last part's descriptor (O_PATH) in w->at.dir. */
static int walk_way(struct way *w, struct error *err)
{
	char name[PATHREST_NAME];
	bool last;

	while (pathrest_take(&w->at, name, &last)) {
		own_fd part = -1;
		struct stat st;

		if (check_directory(w, w->at.dir, err) < 0)
			return -1;
		part = openat(w->at.dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (part < 0 || fstat(part, &st) < 0)
			return fail_way(w, err);
		if (S_ISLNK(st.st_mode)) {
			if (follow_link(w, part, &st, err) < 0)
				return -1;
		} else {
			pathrest_enter(&w->at, take_fd(&part));
		}
	}
	return 0;
}

/* The last part itself, whatever it is. */
static int find(struct way *w, struct stat *ret, struct error *err)
{
	char here[PATH_MAX];

	if (w->path[0] == '\0')
		return errno = ENOENT, fail_way(w, err);
	/* The directories above the current one count as well. */
	if (w->path[0] != '/' && !getcwd(here, sizeof(here)))
		return fail_way(w, err);
	if (asprintf(&w->at.text, "%s/%s", w->path[0] == '/' ? "" : here, w->path) < 0) {
		w->at.text = NULL;
		return fail(err, ERR_SYSTEM, "keep a path: out of memory");
	}
	w->at.dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->at.dir < 0)
		return fail_way(w, err);
	if (walk_way(w, err) < 0)
		return -1;
	return fstat(w->at.dir, ret) < 0 ? fail_way(w, err) : 0;
}

/* O_PATH becomes a descriptor to read from, of the same file. */
static int reopen(const struct way *w, int flags, struct error *err)
{
	char path[40];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", w->at.dir);
	fd = open(path, flags | O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail_way(w, err) : fd;
}

int trustfile_open(const char *path, struct error *err)
{
	own(way) w = {.path = path, .at.dir = -1};
	struct stat st;

	if (find(&w, &st, err) < 0)
		return -1;
	if (!S_ISREG(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is not a regular file", path);
	if (!is_ours(&st))
		return fail(err, ERR_CONFIG, "%s belongs to user %u, not to you or root", path,
			    st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return fail(err, ERR_CONFIG,
			    "%s: others may write to it; take that away (chmod go-w)", path);
	return reopen(&w, 0, err);
}

int trustfile_open_directory(const char *path, struct error *err)
{
	own(way) w = {.path = path, .at.dir = -1};
	struct stat st;

	if (find(&w, &st, err) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is not a directory", path);
	if (check_directory(&w, w.at.dir, err) < 0)
		return -1;
	return reopen(&w, O_DIRECTORY, err);
}
