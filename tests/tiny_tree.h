/* SPDX-License-Identifier: Apache-2.0 */
/* tiny_tree.h - makes small directory trees for tests that need a root of their own. */
#ifndef TESTS_TINY_TREE_H
#define TESTS_TINY_TREE_H

#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tiny_elf.h"

static char tree_root[PATH_MAX];

static inline int tree_remove_one(const char *path, const struct stat *st, int flag,
				  struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void tree_remove(const char *path)
{
	(void)nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The test's child calls it first, and tree_end() last. */
static inline void tree_begin(void)
{
	char path[] = "/tmp/belljar-test-XXXXXX";

	assert(mkdtemp(path) && realpath(path, tree_root));
}

static inline void tree_end(void)
{
	tree_remove(tree_root);
}

/* The host's path of a path in the tree, with its parents made. */
static inline const char *tree_path(const char *path)
{
	static char full[8][PATH_MAX + 256];
	static unsigned turn;
	char *out = full[turn++ % 8];

	(void)snprintf(out, sizeof(full[0]), "%s%s", tree_root, path);
	for (char *p = out + strlen(tree_root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(out, 0755);
		*p = '/';
	}
	return out;
}

static inline void tree_put(const char *path, const void *data, size_t len, mode_t mode)
{
	const char *full = tree_path(path);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	assert(fchmod(fd, mode) == 0 && close(fd) == 0);
}

static inline void tree_text(const char *path, const char *text, mode_t mode)
{
	tree_put(path, text, strlen(text), mode);
}

static inline void tree_link(const char *path, const char *target)
{
	assert(symlink(target, tree_path(path)) == 0);
}

static inline void tree_elf(const char *path, const struct tiny_wants *wants)
{
	struct tiny_elf e;

	tiny_elf_make(&e, wants);
	tree_put(path, &e, sizeof(e), 0755);
}

#endif
