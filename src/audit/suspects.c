/* SPDX-License-Identifier: Apache-2.0 */
/* suspects.c - where lines and tiles do not fit together, and what that looks like.
 *
 * Two lists of hashes are laid side by side, those of the lines and those of the
 * tile (and of the one behind it, for a gap moves the lines up).  At the first
 * difference each list is searched for the other's hash: who is found on which
 * side says whether something was changed, moved, taken out or put in.
 */
#include "audit/suspects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct side {
	const struct hash *hashes;
	size_t n;
};

static struct suspect *add(struct suspects *s, struct tile_name tile)
{
	struct suspect *new = s->n < SUSPECTS_MAX ? &s->list[s->n] : NULL;

	if (!new)
		return NULL;
	s->n++;
	*new = (struct suspect){.tile = tile, .kind = FINDING_TILE, .index = UINT64_MAX};
	return new;
}

/* Where h is from at on; side.n: nowhere. */
static size_t look_for(struct side side, const struct hash *h, size_t at)
{
	while (at < side.n && !hash_equal(&side.hashes[at], h))
		at++;
	return at;
}

static void judge_place(struct suspects *s, struct tile_name tile, struct side lines,
			struct side tiles, size_t at)
{
	struct suspect *new = add(s, tile);
	size_t line_is = look_for(tiles, &lines.hashes[at], 0);
	size_t record_at = look_for(lines, &tiles.hashes[at], 0);
	bool line_known = line_is < tiles.n, record_there = record_at < lines.n;

	if (!new)
		return;
	new->index = tile.index *TILE_WIDTH + at;
	new->other = tile.index *TILE_WIDTH + line_is;
	if (line_known && (record_there || line_is < at)) {
		new->kind = FINDING_MOVED;
	} else if (line_known) {
		new->kind = FINDING_MISSING;
		new->other = line_is - at;
		s->out_of_step = true;
	} else if (record_there) {
		new->kind = FINDING_ADDED;
		s->out_of_step = true;
	} else {
		new->kind = FINDING_CHANGED;
	}
}

static void judge_leaves(struct suspects *s, struct tile_name tile, struct side lines,
			 struct side tiles)
{
	for (size_t i = 0; i < lines.n && i < tiles.n && !s->out_of_step; i++)
		if (!hash_equal(&lines.hashes[i], &tiles.hashes[i]))
			judge_place(s, tile, lines, tiles, i);
}

/* How wide a tile of the signed tree is. */
static unsigned width_of(unsigned level, uint64_t index, uint64_t size)
{
	uint64_t hashes = size >> (8 * level), first = index * TILE_WIDTH;

	if (hashes <= first)
		return 0;
	return hashes - first < TILE_WIDTH ? (unsigned)(hashes - first) : TILE_WIDTH;
}

/* A writer at work may have filled it since the checkpoint was read; partial ones go then. */
static int read_tile(int dir, struct tile_name name, struct hash *ret, struct error *err)
{
	struct tile_name full = {name.level, name.index, TILE_WIDTH};
	struct hash all[TILE_WIDTH];
	struct error none;

	if (tile_read(dir, name, ret, err) == 0)
		return 0;
	if (err->kind != ERR_NOT_FOUND || name.width == TILE_WIDTH ||
	    tile_read(dir, full, all, &none) < 0)
		return -1;
	memcpy(ret, all, name.width * sizeof(*ret));
	return 0;
}

/* The tile of the signed tree and the one behind it. */
static size_t read_leaves(int dir, uint64_t index, uint64_t size,
			  struct hash ret[static 2 * TILE_WIDTH])
{
	struct error none;
	size_t n = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct tile_name name = {0, index + i, width_of(0, index + i, size)};

		if (name.width == 0 || read_tile(dir, name, ret + n, &none) < 0)
			break;
		n += name.width;
	}
	return n;
}

void suspects_compare(struct suspects *s, int dir, struct tile_name name, const struct hash *hashes,
		      uint64_t size)
{
	struct hash expected[2 * TILE_WIDTH];
	struct suspect *new;
	struct error why;

	if (s->done || s->out_of_step)
		return;
	if (read_tile(dir, name, expected, &why) < 0) {
		new = add(s, name);
		if (new)
			new->absent = why.kind == ERR_NOT_FOUND;
		return;
	}
	if (memcmp(hashes, expected, name.width * sizeof(*hashes)) == 0)
		return;
	if (name.level > 0)
		(void)add(s, name);
	else
		judge_leaves(s, name, (struct side){hashes, name.width},
			     (struct side){expected, read_leaves(dir, name.index, size, expected)});
}

void suspects_compare_rest(struct suspects *s, int dir, const struct tiler *t, uint64_t size)
{
	struct hash expected[2 * TILE_WIDTH];
	size_t n = (size_t)(t->size % TILE_WIDTH);
	struct tile_name name = {0, t->size / TILE_WIDTH, width_of(0, t->size / TILE_WIDTH, size)};

	if (s->done || s->out_of_step)
		return;
	judge_leaves(s, name, (struct side){t->part[0], n},
		     (struct side){expected, read_leaves(dir, name.index, size, expected)});
}

enum finding_kind suspects_words(const struct suspect *s, bool none_missing, char *ret_text,
				 size_t room)
{
	switch (s->kind) {
	case FINDING_CHANGED:
		(void)snprintf(ret_text, room, "record %" PRIu64 " was changed", s->index);
		return FINDING_CHANGED;
	case FINDING_MISSING:
		if (none_missing) {
			(void)snprintf(ret_text, room, "record %" PRIu64 " is not in its place",
				       s->index);
			return FINDING_MOVED;
		}
		(void)snprintf(ret_text, room,
			       "record %" PRIu64 " is missing (%" PRIu64 " in a row)", s->index,
			       s->other);
		return FINDING_MISSING;
	case FINDING_ADDED:
		(void)snprintf(ret_text, room,
			       "a line that was never signed stands in front of record %" PRIu64,
			       s->index);
		return FINDING_ADDED;
	case FINDING_MOVED:
		(void)snprintf(ret_text, room,
			       "record %" PRIu64 " stands in the place of record %" PRIu64,
			       s->other, s->index);
		return FINDING_MOVED;
	default:
		(void)snprintf(ret_text, room, "a tile does not fit");
		return FINDING_TILE;
	}
}
