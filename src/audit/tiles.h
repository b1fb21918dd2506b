/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.h - the hashes of the tree as files of 256, laid out as c2sp.org/tlog-tiles says.
 *
 * Level 0 holds leaf hashes; a hash of level L+1 is the root over a full tile of level L.
 * Tiles are made from the lines and can be made again.
 */
#ifndef AUDIT_TILES_H
#define AUDIT_TILES_H

#include "audit/tree.h"

enum { TILE_WIDTH = 256, TILE_LEVELS = 8, TILE_PATH = 80 };

struct tile_name {
	unsigned level;
	uint64_t index;
	unsigned width; /* 1 to 256 */
};

/* "tile/0/x001/234", or "tile/0/x001/234.p/17" for a partial one. */
void tile_path(struct tile_name name, char ret_path[static TILE_PATH]);
/* The root over the first n hashes. */
void tile_root(const struct hash *hashes, size_t n, struct hash *ret);
/* ERR_NOT_FOUND: there is none.  One of the wrong size is refused. */
int tile_read(int dir, struct tile_name name, struct hash *ret, struct error *err);
/* Replaces it as a whole; a full one makes its partial ones go. */
int tile_write(int dir, struct tile_name name, const struct hash *hashes, struct error *err);
/* On disk for sure. */
int tile_sync(int dir, struct tile_name name, struct error *err);

/* Makes tiles while leaves come: what is not full yet is kept here. */
struct tiler {
	uint64_t size;
	struct hash part[TILE_LEVELS][TILE_WIDTH];
	/* Takes each full tile.  -1: the leaf that filled it was not added. */
	int (*put)(void *context, struct tile_name name, const struct hash *hashes,
		   struct error *err);
	void *context;
};

int tiler_add(struct tiler *t, const struct hash *leaf, struct error *err);
/* Hands the partial tiles of the present size to put. */
int tiler_flush(struct tiler *t, struct error *err);
/* Takes up the work at a size that is a multiple of 256, from the tiles in dir.  put and context
 * stay as they are. */
int tiler_load(struct tiler *t, int dir, uint64_t size, struct error *err);
/* The tree over the leaves so far. */
void tiler_tree(const struct tiler *t, struct tree *ret);

#endif
