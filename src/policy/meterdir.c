/* SPDX-License-Identifier: Apache-2.0 */
/* meterdir.c - where state is kept: a directory that is ours alone. */
#include "policy/meterdir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

static int put_path(char *ret, size_t room, struct error *err, const char *head, const char *tail)
{
	int n = snprintf(ret, room, "%s%s", head, tail);

	if (n < 0 || (size_t)n >= room)
		return fail(err, ERR_CONFIG, "the path of the state directory is too long");
	return 0;
}

static bool is_set(const char *value)
{
	return value && value[0] == '/';
}

static int find_path(const char *dir, char *ret, size_t room, struct error *err)
{
	const char *named = secure_getenv("BELLJAR_STATE");
	const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");

	if (dir)
		return put_path(ret, room, err, dir, "");
	if (named && named[0])
		return put_path(ret, room, err, named, "");
	if (geteuid() == 0)
		return put_path(ret, room, err, "/var/lib/belljar", "");
	if (is_set(state))
		return put_path(ret, room, err, state, "/belljar");
	if (is_set(home))
		return put_path(ret, room, err, home, "/.local/state/belljar");
	return fail(err, ERR_CONFIG,
		    "there is no place for the state of rates: set BELLJAR_STATE to a directory");
}

/* What exists already is fine; the last one is judged when it is open. */
static int make_directories(char *path, struct error *err)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return fail_sys(err, "make the state directory %s", path);
	return 0;
}

static int judge(int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at %s", path);
	if (st.st_uid != geteuid())
		return fail(
			err, ERR_CONFIG,
			"the state directory %s belongs to uid %u, not to us (%u): name another "
			"in BELLJAR_STATE",
			path, st.st_uid, geteuid());
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return fail(err, ERR_CONFIG,
			    "the state directory %s may be written by others: chmod go-w it", path);
	return 0;
}

int meterdir_open(const char *dir, struct error *err)
{
	char path[PATH_MAX];
	own_fd fd = -1;
	size_t len;

	if (find_path(dir, path, sizeof(path), err) < 0)
		return -1;
	/* Behind a slash at the end a link would be followed. */
	for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	if (len == 0)
		return fail(err, ERR_CONFIG, "the state directory has no name");
	if (make_directories(path, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "open the state directory %s", path);
	return judge(fd, path, err) < 0 ? -1 : take_fd(&fd);
}
