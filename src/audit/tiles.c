/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.c - the hashes of the tree as files of 256. */
#include "audit/tiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/smallfile.h"
#include "base/own.h"

void tile_path(struct tile_name name, char ret_path[static TILE_PATH])
{
	unsigned groups[7];
	size_t n = 0, len;

	do {
		groups[n++] = (unsigned)(name.index % 1000);
		name.index /= 1000;
	} while (name.index > 0);
	len = (size_t)snprintf(ret_path, TILE_PATH, "tile/%u", name.level);
	while (n-- > 0)
		len += (size_t)snprintf(ret_path + len, TILE_PATH - len, n > 0 ? "/x%03u" : "/%03u",
					groups[n]);
	if (name.width < TILE_WIDTH)
		(void)snprintf(ret_path + len, TILE_PATH - len, ".p/%u", name.width);
}

void tile_root(const struct hash *hashes, size_t n, struct hash *ret)
{
	struct tree t = {0};

	for (size_t i = 0; i < n; i++)
		tree_add(&t, &hashes[i]);
	tree_root(&t, ret);
}

int tile_read(int dir, struct tile_name name, struct hash *ret, struct error *err)
{
	struct hash hashes[TILE_WIDTH];
	char path[TILE_PATH];
	size_t want = name.width * sizeof(struct hash);
	ssize_t n;

	tile_path(name, path);
	n = smallfile_get(dir, path, hashes, sizeof(hashes), err);
	if (n < 0)
		return -1;
	if ((size_t)n != want)
		return fail(err, ERR_CONFIG, "%s has %zd bytes, not %zu", path, n, want);
	memcpy(ret, hashes, want);
	return 0;
}

/* "name.p" and the files in it; what stays is only clutter. */
static void remove_partials(int dir, struct tile_name full)
{
	char path[TILE_PATH + 2];
	struct dirent *entry;
	DIR *list;
	int fd;

	tile_path(full, path);
	(void)snprintf(path + strlen(path), 3, ".p");
	fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	list = fdopendir(fd);
	if (!list) {
		(void)close(fd);
		return;
	}
	while ((entry = readdir(list)))
		(void)unlinkat(fd, entry->d_name, 0);
	(void)closedir(list);
	(void)unlinkat(dir, path, AT_REMOVEDIR);
}

int tile_write(int dir, struct tile_name name, const struct hash *hashes, struct error *err)
{
	size_t len = name.width * sizeof(struct hash);
	char path[TILE_PATH];

	tile_path(name, path);
	if (smallfile_put(dir, path, hashes, len, SMALLFILE_PUBLIC, err) < 0) {
		if (err->sys != ENOENT)
			return -1;
		if (smallfile_make_parents(dir, path, err) < 0 ||
		    smallfile_put(dir, path, hashes, len, SMALLFILE_PUBLIC, err) < 0)
			return -1;
	}
	if (name.width == TILE_WIDTH)
		remove_partials(dir, name);
	return 0;
}

int tile_sync(int dir, struct tile_name name, struct error *err)
{
	char path[TILE_PATH];
	own_fd fd = -1;

	tile_path(name, path);
	fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "open %s", path);
	return fsync(fd) < 0 ? fail_sys(err, "sync %s", path) : 0;
}

static unsigned width_at(uint64_t size, unsigned level)
{
	return (unsigned)(size >> (8 * level)) % TILE_WIDTH;
}

int tiler_add(struct tiler *t, const struct hash *leaf, struct error *err)
{
	struct hash h = *leaf;
	unsigned level;

	/* Nothing counts until the size grows at the end: a leaf whose tile could not be put is
	 * simply added again. */
	for (level = 0; level < TILE_LEVELS; level++) {
		unsigned at = width_at(t->size, level);
		/* In two: of the topmost level nothing is left. */
		struct tile_name full = {level, t->size >> (8 * level) >> 8, TILE_WIDTH};

		t->part[level][at] = h;
		if (at < TILE_WIDTH - 1)
			break;
		if (t->put(t->context, full, t->part[level], err) < 0)
			return -1;
		tile_root(t->part[level], TILE_WIDTH, &h);
	}
	t->size++;
	return 0;
}

int tiler_flush(struct tiler *t, struct error *err)
{
	for (unsigned level = 0; level < TILE_LEVELS; level++) {
		unsigned width = width_at(t->size, level);
		struct tile_name name = {level, t->size >> (8 * level) >> 8, width};

		if (width > 0 && t->put(t->context, name, t->part[level], err) < 0)
			return -1;
	}
	return 0;
}

/* The hashes of a tile that has width of them at a size: it may be full since, or its file may be
 * missing, then what lies beneath tells. */
static int load_part(struct tiler *t, int dir, struct tile_name name, struct error *err)
{
	struct tile_name full = {name.level, name.index, TILE_WIDTH};
	struct hash hashes[TILE_WIDTH];

	if (tile_read(dir, name, t->part[name.level], err) == 0)
		return 0;
	if (tile_read(dir, full, t->part[name.level], err) == 0)
		return 0;
	for (unsigned i = 0; i < name.width; i++) {
		struct tile_name child = {name.level - 1, name.index * TILE_WIDTH + i, TILE_WIDTH};

		if (tile_read(dir, child, hashes, err) < 0)
			return -1;
		tile_root(hashes, TILE_WIDTH, &t->part[name.level][i]);
	}
	return 0;
}

int tiler_load(struct tiler *t, int dir, uint64_t size, struct error *err)
{
	for (unsigned level = 1; level < TILE_LEVELS; level++) {
		struct tile_name name = {level, size >> (8 * level) >> 8, width_at(size, level)};

		if (name.width > 0 && load_part(t, dir, name, err) < 0)
			return -1;
	}
	t->size = size;
	return 0;
}

void tiler_tree(const struct tiler *t, struct tree *ret)
{
	*ret = (struct tree){0};
	for (unsigned level = TILE_LEVELS; level-- > 0;) {
		unsigned width = width_at(t->size, level), at = 0;

		for (unsigned bit = 8; bit-- > 0;) {
			struct hash h;

			if (!(width >> bit & 1))
				continue;
			tile_root(&t->part[level][at], (size_t)1 << bit, &h);
			tree_add_subtree(ret, 8 * level + bit, &h);
			at += 1U << bit;
		}
	}
}
