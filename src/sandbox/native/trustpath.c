/* SPDX-License-Identifier: Apache-2.0 */
/* trustpath.c - opens a path of the host through no link that a program in a box could have left.
 */
#include "sandbox/native/trustpath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/pathrest.h"
#include "base/text.h"

struct walk {
	const char *path; /* as given, for messages */
	struct pathrest at;
	int flags;    /* for the last component */
	bool make;    /* directories that are not there */
	bool partly;  /* what is not there is no failure, but what at says then */
	bool missing; /* and that is so */
};

static void walk_end(struct walk *w)
{
	pathrest_end(&w->at);
}

static int fail_path(const struct walk *w, struct error *err)
{
	(void)fail_sys(err, "%s", w->path);
	err->kind = ERR_CALLER;
	return -1;
}

/* One of the few directories in which distributions keep links, and only root can make one? */
static bool keeps_system_links(int dir)
{
	static const char *const places[] = {"/", "/usr", "/var"};
	struct stat here, st;

	if (fstat(dir, &here) < 0 || here.st_uid != 0 || (here.st_mode & (S_IWGRP | S_IWOTH)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (lstat(places[i], &st) == 0 && st.st_dev == here.st_dev &&
		    st.st_ino == here.st_ino)
			return true;
	return false;
}

static int refuse_link(const struct walk *w, int link, const char *to, struct error *err)
{
	char shown_link[160], shown_to[160];
	own_str name = NULL;
	struct error ignored = {0};

	if (fd_name(link, &name, &ignored) < 0)
		name = NULL;
	/* Their names may be a program's choice. */
	text_escape(name ? name : w->path, strlen(name ? name : w->path), shown_link,
		    sizeof(shown_link));
	text_escape(to, strlen(to), shown_to, sizeof(shown_to));
	return fail(err, ERR_CALLER,
		    "%s is a symbolic link to %s, and links are not followed here: if that is what "
		    "you mean, name %s instead",
		    shown_link, shown_to, shown_to);
}

static int follow(struct walk *w, int link, const struct stat *st, struct error *err)
{
	char to[PATH_MAX];

	if (pathrest_read_link(&w->at, link, to) < 0)
		return fail_path(w, err);
	if (st->st_uid != 0 || !keeps_system_links(w->at.dir))
		return refuse_link(w, link, to, err);
	return pathrest_follow(&w->at, to) < 0 ? fail_path(w, err) : 0;
}

static int open_part(const struct walk *w, const char *name)
{
	int fd = openat(w->at.dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 || errno != ENOENT || !w->make)
		return fd;
	if (mkdirat(w->at.dir, name, 0777) < 0 && errno != EEXIST)
		return -1;
	return openat(w->at.dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int open_last(struct walk *w, const char *name, struct error *err)
{
	int fd = openat(w->at.dir, name, w->flags | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? fail_path(w, err) : fd;
}

/* The part that is not there is to be walked still. */
static int stay(struct walk *w, const char *name, bool last, struct error *err)
{
	char *rest = NULL;

	if (asprintf(&rest, "%s%s%s", name, last ? "" : "/", last ? "" : w->at.text) < 0)
		return fail_sys(err, "keep a path");
	free(w->at.text);
	w->at.text = rest;
	w->missing = true;
	return -1;
}

/* Component by component: none is followed that was not looked at. */
static int walk(struct walk *w, struct error *err)
{
	char name[PATHREST_NAME];
	bool last;

	while (pathrest_take(&w->at, name, &last)) {
		own_fd part = open_part(w, name);
		struct stat st;

		if (part < 0 && errno == ENOENT && w->partly)
			return stay(w, name, last, err);
		if (part < 0 || fstat(part, &st) < 0)
			return fail_path(w, err);
		if (S_ISLNK(st.st_mode)) {
			if (follow(w, part, &st, err) < 0)
				return -1;
		} else if (last) {
			return open_last(w, name, err);
		} else {
			pathrest_enter(&w->at, take_fd(&part));
		}
	}
	return open_last(w, ".", err);
}

static int start_walk(struct walk *w, struct error *err)
{
	w->at.text = strdup(w->path);
	if (!w->at.text)
		return fail_sys(err, "keep a path");
	if (w->path[0] == '\0')
		return errno = ENOENT, fail_path(w, err);
	w->at.dir = open(w->path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->at.dir < 0)
		return fail_path(w, err);
	return walk(w, err);
}

int trustpath_open(const char *path, int flags, struct error *err)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	own(walk) w = {.path = path, .at.dir = -1, .flags = flags};
	/* Most paths have no links at all: one call, and nothing to judge. */
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd >= 0 ? (int)fd : start_walk(&w, err);
}

int trustdir_find(const char *path, struct trustdir *ret, struct error *err)
{
	own(walk) w = {.path = path, .at.dir = -1, .flags = O_RDONLY | O_DIRECTORY, .partly = true};
	own_fd fd = start_walk(&w, err);

	if (fd < 0 && !w.missing)
		return -1;
	if (faccessat(fd < 0 ? w.at.dir : fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return fail_path(&w, err);
	*ret = (struct trustdir){.path = path, .fd = take_fd(&fd), .rest = w.at};
	w.at = (struct pathrest){.dir = -1};
	return 0;
}

int trustdir_make(struct trustdir *d, struct error *err)
{
	own(walk)
		w = {.path = d->path, .at = d->rest, .flags = O_RDONLY | O_DIRECTORY, .make = true};

	d->rest = (struct pathrest){.dir = -1};
	if (d->fd >= 0 || !w.at.text) /* what failed once has no way left to go */
		return d->fd >= 0 ? d->fd : fail(err, ERR_CALLER, "%s was not made", d->path);
	d->fd = walk(&w, err);
	return d->fd;
}

void trustdir_end(struct trustdir *d)
{
	own_fd_end(&d->fd);
	d->fd = -1;
	pathrest_end(&d->rest);
}
