/* SPDX-License-Identifier: Apache-2.0 */
/* logsign.c - tiles, offsets and the signed checkpoint: what is made from the lines.
 *
 * Order: lines on disk, tiles, then the checkpoint.  Tiles are synced only now
 * and then, and "state" notes up to where; whoever opens the log after a crash
 * hashes the lines from there on again.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/log_parts.h"
#include "audit/segment.h"
#include "audit/smallfile.h"
#include "base/text.h"

enum {
	STATE_STEP = 4096,    /* records after which the state is written */
	SYNC_AT_ONCE = 4,     /* tiles with each checkpoint */
	SYNC_SINGLY_MAX = 32, /* more than that: the whole file system at once */
};

int log_put_offsets(const struct log *l, struct error *err)
{
	uint64_t coded[LOG_OFFSETS];
	uint64_t records = l->tree.size - l->first;
	size_t n = (size_t)((records + TILE_WIDTH - 1) / TILE_WIDTH);
	char path[SEGMENT_PATH];

	for (size_t i = 0; i < n; i++)
		coded[i] = htole64(l->offsets[i]);
	segment_path(l->first / LOG_SEGMENT, "offsets", path);
	return smallfile_put(l->dir, path, coded, n * sizeof(coded[0]), 0, err);
}

static int put_tiles(struct log *l, struct error *err)
{
	size_t done = 0;
	int ret = 0;

	while (done < l->n_leaves && (ret = tiler_add(&l->tiler, &l->leaves[done], err)) == 0)
		done++;
	l->n_leaves -= done;
	if (l->n_leaves > 0)
		memmove(l->leaves, l->leaves + done, l->n_leaves * sizeof(l->leaves[0]));
	return ret < 0 ? -1 : tiler_flush(&l->tiler, err);
}

/* The full tile of level 0 at tiles_synced, and those above that end with it. */
static int sync_next_tile(struct log *l, struct error *err)
{
	uint64_t end = l->tiles_synced + TILE_WIDTH;

	for (unsigned level = 0; level < TILE_LEVELS - 1; level++) {
		unsigned shift = 8 * (level + 1);
		struct tile_name name = {level, (end >> shift) - 1, TILE_WIDTH};

		if (end & ((UINT64_C(1) << shift) - 1))
			break;
		if (tile_sync(l->dir, name, err) < 0)
			return -1;
	}
	l->tiles_synced = end;
	return 0;
}

/* A few at a time, because somebody waits for us; all of them when the log is closed. */
static int sync_tiles(struct log *l, bool all, struct error *err)
{
	uint64_t full = l->tiler.size / TILE_WIDTH * TILE_WIDTH;
	uint64_t left = (full - l->tiles_synced) / TILE_WIDTH;

	if (all && left > SYNC_SINGLY_MAX) {
		if (syncfs(l->dir) < 0)
			return fail_sys(err, "sync the tiles");
		l->tiles_synced = full;
		return 0;
	}
	if (!all && left > SYNC_AT_ONCE)
		left = SYNC_AT_ONCE;
	for (; left > 0; left--)
		if (sync_next_tile(l, err) < 0)
			return -1;
	return 0;
}

int log_put_state(struct log *l, bool closing, struct error *err)
{
	char text[80];
	int n;

	if (sync_tiles(l, closing, err) < 0)
		return -1;
	if (!l->since_changed && l->tiles_synced - l->tiled < (closing ? 1 : STATE_STEP))
		return 0;
	n = snprintf(text, sizeof(text), "tiled %" PRIu64 "\nsince %" PRIu64 "\n", l->tiles_synced,
		     l->since);
	if (smallfile_put(l->dir, "state", text, (size_t)n, SMALLFILE_DURABLE, err) < 0)
		return -1;
	l->tiled = l->tiles_synced;
	l->since_changed = false;
	return 0;
}

/* Anything that is not what we write counts as nothing: then all lines are hashed again. */
int log_get_state(struct log *l, struct error *err)
{
	struct error none;
	uint64_t tiled, since;
	char text[80], *space, *newline;
	ssize_t n = smallfile_get(l->dir, "state", text, sizeof(text) - 1, err);

	l->tiled = l->tiles_synced = l->since = 0;
	if (n < 0)
		return err->kind == ERR_SYSTEM ? -1 : 0;
	text[n] = '\0';
	newline = strchr(text, '\n');
	if (!newline || strncmp(text, "tiled ", 6) != 0 || strncmp(newline + 1, "since ", 6) != 0)
		return 0;
	*newline = '\0';
	space = newline + 7;
	newline = strchr(space, '\n');
	if (!newline)
		return 0;
	*newline = '\0';
	if (text_parse_uint(text + 6, &tiled, &none) < 0 ||
	    text_parse_uint(space, &since, &none) < 0)
		return 0;
	l->tiled = l->tiles_synced = tiled / TILE_WIDTH * TILE_WIDTH;
	l->since = since;
	return 0;
}

static int put_checkpoint(struct log *l, struct error *err)
{
	struct checkpoint c = {.size = l->tree.size};
	char text[sizeof(l->checkpoint)];
	int n;

	(void)snprintf(c.origin, sizeof(c.origin), "%s", l->signer.key.name);
	tree_root(&l->tree, &c.root);
	n = note_sign(&l->signer, &c, text, sizeof(text), err);
	if (n < 0 || smallfile_put(l->dir, "checkpoint", text, (size_t)n,
				   SMALLFILE_PUBLIC | SMALLFILE_DURABLE, err) < 0)
		return -1;
	memcpy(l->checkpoint, text, (size_t)n + 1);
	l->signed_size = c.size;
	l->behind = false;
	return 0;
}

int log_checkpoint(struct log *l, struct error *err)
{
	struct error later;

	if (log_sync(l, err) < 0)
		return -1;
	if (l->behind) {
		if (put_tiles(l, err) < 0 || log_put_offsets(l, err) < 0 ||
		    put_checkpoint(l, err) < 0)
			return -1;
	}
	/* A failure costs time at the next opening and nothing else. */
	(void)log_put_state(l, false, &later);
	return 0;
}
