/* SPDX-License-Identifier: Apache-2.0 */
/* statedir.c - where something is kept between runs: a directory that is ours alone. */
#include "base/statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

/* Of up to three parts; -1: it does not fit. */
static int join(char *ret, size_t room, const char *head, const char *middle, const char *tail)
{
	int n = snprintf(ret, room, "%s%s%s", head, middle, tail);

	return n < 0 || (size_t)n >= room ? -1 : n;
}

static bool is_set(const char *value)
{
	return value && value[0] == '/';
}

/* 0: nobody says where. */
static int choose(const struct statedir *which, const char *dir, char *ret, size_t room)
{
	const char *named = secure_getenv(which->variable);
	const char *general = which->state ? which->state : secure_getenv("BELLJAR_STATE");
	const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");

	if (dir)
		return join(ret, room, dir, "", "");
	if (named && named[0])
		return join(ret, room, named, "", "");
	if (general && general[0])
		return join(ret, room, general, "", which->beneath);
	if (geteuid() == 0)
		return join(ret, room, "/var/lib/belljar", "", which->beneath);
	if (is_set(state))
		return join(ret, room, state, "/belljar", which->beneath);
	if (is_set(home))
		return join(ret, room, home, "/.local/state/belljar", which->beneath);
	return 0;
}

int statedir_find(const struct statedir *which, const char *dir, char *ret, size_t room,
		  struct error *err)
{
	int n = choose(which, dir, ret, room);

	if (n < 0)
		return fail(err, ERR_CONFIG, "the path of the %s is too long", which->what);
	if (n == 0)
		return fail(err, ERR_CONFIG, "there is no place for the %s: set %s to a directory",
			    which->what, which->variable);
	/* Another one in each working directory would be another set of counts and another log. */
	if (!dir && !which->state && ret[0] != '/')
		return fail(err, ERR_CONFIG,
			    "the %s '%s' that the environment names is no absolute path",
			    which->what, ret);
	/* Behind a slash at the end a link would be followed. */
	while (n > 1 && ret[n - 1] == '/')
		ret[--n] = '\0';
	return 0;
}

/* What exists already is fine; the last one is judged when it is open.  If one above it could not
 * be made, that is the reason, and not that it is missing. */
static int make_directories(const struct statedir *which, char *path, struct error *err)
{
	int above = 0;

	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST && !above)
			above = errno;
		*slash = '/';
	}
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	if (errno == ENOENT && above)
		errno = above;
	return fail_sys(err, "make the %s %s", which->what, path);
}

static int judge(const struct statedir *which, int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at %s", path);
	if (st.st_uid != geteuid())
		return fail(err, ERR_CONFIG,
			    "the %s %s belongs to uid %u, not to us (%u): name another in %s",
			    which->what, path, st.st_uid, geteuid(), which->variable);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return fail(err, ERR_CONFIG, "the %s %s may be written by others: chmod go-w it",
			    which->what, path);
	return 0;
}

/* Whoever may rename one of the directories above takes everything away at once, and we would begin
 * anew.  The owner of the root is whom a user namespace calls nobody.  A group is no stranger: with
 * a umask of 002 everybody has one to himself. */
static int judge_parent(const struct statedir *which, const char *path, const char *parent,
			struct error *err)
{
	struct stat root, st;

	if (stat("/", &root) < 0 || stat(parent, &st) < 0)
		return fail_sys(err, "look at %s", parent);
	if (st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != root.st_uid)
		return fail(err, ERR_CONFIG,
			    "the %s %s lies beneath %s, which belongs to uid %u: name another in "
			    "%s",
			    which->what, path, parent, st.st_uid, which->variable);
	if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
		return fail(err, ERR_CONFIG,
			    "the %s %s lies beneath %s, which everybody may write: chmod o-w it",
			    which->what, path, parent);
	return 0;
}

/* By the name that it really has: what was followed on the way does not count. */
static int judge_parents(const struct statedir *which, int fd, const char *path, struct error *err)
{
	own_str name = NULL;
	char *slash;

	if (fd_name(fd, &name, err) < 0)
		return -1;
	while ((slash = strrchr(name, '/')) && slash > name) {
		*slash = '\0';
		if (judge_parent(which, path, name, err) < 0)
			return -1;
	}
	return 0;
}

int statedir_open(const struct statedir *which, const char *path, struct error *err)
{
	own_fd fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	own_str copy = NULL;

	if (fd < 0 && errno == ENOENT) {
		copy = strdup(path);
		if (!copy)
			return fail_sys(err, "open the %s", which->what);
		if (make_directories(which, copy, err) < 0)
			return -1;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return fail_sys(err, "open the %s %s", which->what, path);
	if (judge(which, fd, path, err) < 0 || judge_parents(which, fd, path, err) < 0)
		return -1;
	return take_fd(&fd);
}
