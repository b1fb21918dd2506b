/* SPDX-License-Identifier: Apache-2.0 */
/* treewalk.c - goes through a tree of our own making: to list it, or to remove it. */
#include "sandbox/native/treewalk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

enum { WALK_DEPTH_MAX = 64 };

struct walk {
	treewalk_take *take;
	void *context;
	unsigned depth;
};

struct names {
	struct dirent **list;
	int n;
};

static void names_end(struct names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}

static int is_real(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int visit(struct walk *w, int dir, const char *path, struct error *err)
{
	own(names) names = {0};

	if (++w->depth > WALK_DEPTH_MAX)
		return fail(err, ERR_CONFIG, "%s: directories nest too deeply", path);
	names.n = scandirat(dir, ".", &names.list, is_real, by_bytes);
	if (names.n < 0)
		return fail_sys(err, "list %s", path);
	for (int i = 0; i < names.n; i++) {
		struct treewalk_entry entry = {.dir = dir, .name = names.list[i]->d_name};
		own_str below = NULL;
		own_fd child = -1;

		if (asprintf(&below, "%s%s%s", path, path[0] ? "/" : "", entry.name) < 0)
			return fail(err, ERR_SYSTEM, "walk a tree: out of memory");
		entry.path = below;
		if (fstatat(dir, entry.name, &entry.st, AT_SYMLINK_NOFOLLOW) < 0)
			return fail_sys(err, "stat %s", below);
		if (w->take(w->context, &entry, err) < 0)
			return -1;
		if (!S_ISDIR(entry.st.st_mode))
			continue;
		child = openat(dir, entry.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child < 0)
			return fail_sys(err, "open %s", below);
		if (visit(w, child, below, err) < 0)
			return -1;
	}
	w->depth--;
	return 0;
}

int treewalk_visit(int top, treewalk_take *take, void *context, struct error *err)
{
	return visit(&(struct walk){.take = take, .context = context}, top, "", err);
}

int treewalk_remove(int dir, const char *name, struct error *err)
{
	own_fd child = -1;
	own(names) names = {0};

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return fail_sys(err, "remove %s", name);
	child = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (child < 0)
		return fail_sys(err, "open %s", name);
	names.n = scandirat(child, ".", &names.list, is_real, NULL);
	if (names.n < 0)
		return fail_sys(err, "list %s", name);
	for (int i = 0; i < names.n; i++)
		if (treewalk_remove(child, names.list[i]->d_name, err) < 0)
			return -1;
	if (unlinkat(dir, name, AT_REMOVEDIR) < 0)
		return fail_sys(err, "remove %s", name);
	return 0;
}
