/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c - a mount with a pattern becomes the files and directories that match it now.
 *
 * The part of the path before the first special character is where the walk
 * begins.  Links are neither followed nor granted: whoever may write there could
 * point them anywhere.  Too many matches, or too much to look at, is a refusal.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/own.h"
#include "gate/steps.h"

enum { LOOKS_MAX = 20000, DEPTH_MAX = 16 };

struct walk {
	const char *base;    /* absolute, without its last slash */
	const char *pattern; /* relative to it */
	bool write;
	struct arena *arena;
	struct profile *profile;
	size_t looks;
};

/* As the file that it is now: the name may come to mean something else, also a link. */
static int grant(struct walk *w, const char *name, const struct stat *st, struct error *err)
{
	struct profile *p = w->profile;
	char *path = arena_printf(w->arena, err, "%s/%s", w->base, name);

	if (!path)
		return -1;
	if (p->n_grants == GRANTS_MAX)
		return fail(err, ERR_CONFIG, "%s/%s matches more than %d files", w->base,
			    w->pattern, GRANTS_MAX);
	p->grants[p->n_grants++] = (struct grant){.source = path,
						  .inside = path,
						  .write = w->write,
						  .dev = st->st_dev,
						  .ino = st->st_ino};
	return 0;
}

static int walk(struct walk *w, int dir, const char *at, unsigned depth, struct error *err);

static int look_at(struct walk *w, int dir, const char *name, unsigned depth, struct error *err)
{
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;
	struct stat st;
	own_fd fd = -1;

	if (++w->looks > LOOKS_MAX)
		return fail(err, ERR_CONFIG, "%s/%s: more than %d files to look at", w->base,
			    w->pattern, LOOKS_MAX);
	if (fstatat(dir, last, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0; /* gone, or nothing to grant */
	if (glob_match(w->pattern, name))
		return grant(w, name, &st, err);
	if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX || !glob_may_enter(w->pattern, name))
		return 0;
	fd = openat(dir, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? 0 : walk(w, take_fd(&fd), name, depth + 1, err);
}

/* dir is ours to close. */
static int walk(struct walk *w, int dir, const char *at, unsigned depth, struct error *err)
{
	DIR *list = fdopendir(dir);
	struct dirent *entry;
	char name[PATH_MAX];
	int result = 0;

	if (!list) {
		(void)close(dir);
		return fail_sys(err, "read %s", w->base);
	}
	while (result == 0 && (entry = readdir(list))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (snprintf(name, sizeof(name), "%s%s%s", at, at[0] ? "/" : "", entry->d_name) <
		    (int)sizeof(name))
			result = look_at(w, dir, name, depth, err);
	}
	(void)closedir(list);
	return result;
}

int expand_mount(const struct mount_rule *rule, struct arena *arena, struct profile *profile,
		 struct error *err)
{
	char *base = arena_str(arena, rule->source, err);
	size_t special;
	own_fd dir = -1;
	struct walk w = {.write = rule->write, .arena = arena, .profile = profile};

	if (!base)
		return -1;
	special = strcspn(base, "*?[\\");
	while (special > 0 && base[special] != '/')
		special--;
	if (base[0] != '/')
		return fail(err, ERR_CONFIG, "%s is not an absolute path", rule->source);
	base[special] = '\0';
	w.base = base;
	w.pattern = rule->source + special + 1;
	dir = open(special ? base : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "%s", base);
	return walk(&w, take_fd(&dir), "", 0, err);
}
