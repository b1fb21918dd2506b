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

enum { LINKS_MAX = 40 }; /* as many as the kernel follows */

struct way {
	const char *path; /* as given, for messages */
	char *rest;       /* what is still to be walked */
	int dir;          /* from here; O_PATH */
	int links;
};

static void way_end(struct way *w)
{
	own_fd_end(&w->dir);
	free(w->rest);
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

/* Goes on with the link's text in front of the rest. */
static int follow_link(struct way *w, int link, const struct stat *st, struct error *err)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(link, "", to, sizeof(to));
	char *rest;

	if (n < 0)
		return fail_way(w, err);
	if (n == (ssize_t)sizeof(to) || ++w->links > LINKS_MAX)
		return errno = ELOOP, fail_way(w, err);
	if (!is_ours(st))
		return fail(err, ERR_CONFIG, "%s: a symbolic link on the way belongs to user %u",
			    w->path, st->st_uid);
	to[n] = '\0';
	if (asprintf(&rest, "%s/%s", to, w->rest) < 0)
		return fail(err, ERR_SYSTEM, "keep a path: out of memory");
	free(w->rest);
	w->rest = rest;
	if (to[0] != '/')
		return 0;
	(void)close(w->dir);
	w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->dir < 0 ? fail_way(w, err) : 0;
}

/* Takes the first part off the rest; false at the end. */
static bool take_part(struct way *w, char *ret_name)
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	if (len > NAME_MAX)
		len = NAME_MAX + 1; /* the kernel will refuse it */
	memcpy(ret_name, from, len);
	ret_name[len] = '\0';
	memmove(w->rest, from + len, strlen(from + len) + 1);
	return len > 0;
}

/* Leaves the last part's descriptor (O_PATH) in w->dir. */
static int walk_way(struct way *w, struct error *err)
{
	char name[NAME_MAX + 2];

	while (take_part(w, name)) {
		own_fd part = -1;
		struct stat st;

		if (check_directory(w, w->dir, err) < 0)
			return -1;
		part = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (part < 0 || fstat(part, &st) < 0)
			return fail_way(w, err);
		if (S_ISLNK(st.st_mode)) {
			if (follow_link(w, part, &st, err) < 0)
				return -1;
		} else {
			(void)close(w->dir);
			w->dir = take_fd(&part);
		}
	}
	return 0;
}

/* The last part itself, whatever it is. */
static int find(struct way *w, struct error *err)
{
	char here[PATH_MAX];

	if (w->path[0] == '\0')
		return errno = ENOENT, fail_way(w, err);
	/* The directories above the current one count as well. */
	if (w->path[0] != '/' && !getcwd(here, sizeof(here)))
		return fail_way(w, err);
	if (asprintf(&w->rest, "%s/%s", w->path[0] == '/' ? "" : here, w->path) < 0) {
		w->rest = NULL;
		return fail(err, ERR_SYSTEM, "keep a path: out of memory");
	}
	w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->dir < 0)
		return fail_way(w, err);
	return walk_way(w, err);
}

/* O_PATH becomes a descriptor to read from, of the same file. */
static int reopen(const struct way *w, int flags, struct error *err)
{
	char path[40];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", w->dir);
	fd = open(path, flags | O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail_way(w, err) : fd;
}

int trustfile_open(const char *path, struct error *err)
{
	own(way) w = {.path = path, .dir = -1};
	struct stat st;

	if (find(&w, err) < 0)
		return -1;
	if (fstat(w.dir, &st) < 0)
		return fail_way(&w, err);
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
	own(way) w = {.path = path, .dir = -1};
	struct stat st;

	if (find(&w, err) < 0)
		return -1;
	if (fstat(w.dir, &st) < 0)
		return fail_way(&w, err);
	if (!S_ISDIR(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is not a directory", path);
	if (check_directory(&w, w.dir, err) < 0)
		return -1;
	return reopen(&w, O_DIRECTORY, err);
}
