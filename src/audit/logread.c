/* SPDX-License-Identifier: Apache-2.0 */
/* logread.c - reads the log without a lock, beside its writer.
 *
 * Lines only ever come behind others and tiles never change once they are full,
 * so a reader needs no more than care at the end.  Hashes are taken from tiles
 * where there are some, else from what they are made of.
 */
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/log_parts.h"
#include "audit/segment.h"
#include "audit/smallfile.h"
#include "base/own.h"

struct cached_tile {
	unsigned width; /* how many of its hashes are known; 0: nothing is */
	uint64_t index;
	struct hash hashes[TILE_WIDTH];
};

struct log_reader {
	int dir;
	struct note_key key;
	uint64_t known;  /* size of the last checkpoint seen */
	uint64_t target; /* the record that log_next() tells next */
	uint64_t next;   /* the one that scan is at */
	struct segment_scan scan;
	struct cached_tile tiles[TILE_LEVELS];
};

struct log_reader *log_reader_open(const char *path, struct error *err)
{
	struct log_reader *r = calloc(1, sizeof(*r));
	struct error none;

	if (!r) {
		(void)fail_sys(err, "allocate for the log");
		return NULL;
	}
	segment_init(&r->scan);
	r->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir < 0) {
		(void)fail_sys(err, "open the log %s", path);
		log_reader_close(r);
		return NULL;
	}
	/* Without a key lines can be read and nothing can be believed. */
	(void)note_key_read(r->dir, "key.pub", &r->key, &none);
	return r;
}

void log_reader_close(struct log_reader *r)
{
	if (!r)
		return;
	segment_done(&r->scan);
	if (r->dir >= 0)
		(void)close(r->dir);
	free(r);
}

void log_reader_end(struct log_reader **r)
{
	log_reader_close(*r);
}

int log_reader_directory(const struct log_reader *r)
{
	return r->dir;
}

const struct note_key *log_reader_key(const struct log_reader *r)
{
	return &r->key;
}

void log_reader_believe(struct log_reader *r, const struct note_key *key)
{
	r->key = *key;
}

int log_reader_checkpoint(struct log_reader *r, struct checkpoint *ret, char *ret_text,
			  struct error *err)
{
	char text[NOTE_MAX];
	ssize_t n = smallfile_get(r->dir, "checkpoint", text, sizeof(text) - 1, err);

	if (n < 0)
		return -1;
	if (!r->key.name[0])
		return fail(err, ERR_CONFIG, "the public key of the log, key.pub, is missing");
	text[n] = '\0';
	if (note_verify(&r->key, text, (size_t)n, ret, err) < 0)
		return fail_in(err, "checkpoint");
	r->known = ret->size;
	if (ret_text)
		memcpy(ret_text, text, (size_t)n + 1);
	return 0;
}

/* Where the 256 lines begin that index is among; 0 if that is not known. */
static uint64_t near_offset(const struct log_reader *r, uint64_t index)
{
	uint64_t coded = 0, offset;
	off_t slot = (off_t)(index % LOG_SEGMENT / TILE_WIDTH);
	char path[SEGMENT_PATH], before = 0;
	own_fd offsets = -1, lines = -1;

	segment_path(index / LOG_SEGMENT, "offsets", path);
	offsets = openat(r->dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (slot == 0 || offsets < 0 ||
	    pread(offsets, &coded, sizeof(coded), slot * (off_t)sizeof(coded)) != sizeof(coded))
		return 0;
	offset = le64toh(coded);
	segment_path(index / LOG_SEGMENT, "jsonl", path);
	lines = openat(r->dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lines < 0 || offset == 0 || offset > INT64_MAX ||
	    pread(lines, &before, 1, (off_t)offset - 1) != 1 || before != '\n')
		return 0;
	return offset;
}

int log_seek(struct log_reader *r, uint64_t index, struct error *err)
{
	uint64_t offset = near_offset(r, index);

	r->target = index;
	r->next = index / LOG_SEGMENT * LOG_SEGMENT;
	if (offset > 0)
		r->next = index / TILE_WIDTH * TILE_WIDTH;
	if (segment_open(&r->scan, r->dir, r->next / LOG_SEGMENT, offset, err) < 0)
		return err->kind == ERR_NOT_FOUND ? 0 : -1;
	return 0;
}

/* 1: the scan is at record next; 0: its segment does not exist yet. */
static int be_open(struct log_reader *r, struct error *err)
{
	if (r->scan.fd >= 0)
		return 1;
	if (segment_open(&r->scan, r->dir, r->next / LOG_SEGMENT, 0, err) < 0)
		return err->kind == ERR_NOT_FOUND ? 0 : -1;
	return 1;
}

int log_next(struct log_reader *r, struct log_line *ret, uint64_t *ret_index, struct error *err)
{
	int got;

	do {
		got = be_open(r, err);
		if (got <= 0)
			return got;
		got = segment_next(&r->scan, ret, err);
		if (got <= 0)
			return got;
		if (++r->next % LOG_SEGMENT == 0) {
			(void)close(r->scan.fd); /* the line stays in its room */
			r->scan.fd = -1;
		}
	} while (r->next <= r->target);
	*ret_index = r->target++;
	return 1;
}

int log_read(struct log_reader *r, uint64_t index, struct log_line *ret, struct error *err)
{
	uint64_t found;
	int got;

	if (log_seek(r, index, err) < 0)
		return -1;
	got = log_next(r, ret, &found, err);
	if (got == 0)
		return fail(err, ERR_NOT_FOUND, "there is no record %" PRIu64, index);
	return got < 0 ? -1 : 0;
}

static int get_tile(struct log_reader *r, struct tile_name want, struct cached_tile **ret,
		    struct error *err);

/* The hashes of leaves from the lines themselves. */
static int hash_lines(struct log_reader *r, struct tile_name want, struct hash *ret,
		      struct error *err)
{
	struct log_line line;
	uint64_t index;

	if (log_seek(r, want.index * TILE_WIDTH, err) < 0)
		return -1;
	for (unsigned i = 0; i < want.width; i++) {
		int got = log_next(r, &line, &index, err);

		if (got < 0)
			return -1;
		if (got == 0)
			return fail(err, ERR_NOT_FOUND, "record %" PRIu64 " is missing",
				    want.index * TILE_WIDTH + i);
		hash_leaf(line.data, line.len, &ret[i]);
	}
	return 0;
}

/* From the full tiles of the level beneath.  NOLINTNEXTLINE(misc-no-recursion): one level less */
static int hash_tiles(struct log_reader *r, struct tile_name want, struct hash *ret,
		      struct error *err)
{
	struct cached_tile *child;

	for (unsigned i = 0; i < want.width; i++) {
		struct tile_name name = {want.level - 1, want.index * TILE_WIDTH + i, TILE_WIDTH};

		if (get_tile(r, name, &child, err) < 0)
			return -1;
		tile_root(child->hashes, TILE_WIDTH, &ret[i]);
	}
	return 0;
}

static int read_tile(struct log_reader *r, struct tile_name want, struct cached_tile *to)
{
	unsigned shift = 8 * want.level;
	struct tile_name full = {want.level, want.index, TILE_WIDTH}, edge = full;
	struct error none;

	to->width = TILE_WIDTH;
	if (tile_read(r->dir, full, to->hashes, &none) == 0)
		return 0;
	to->width = edge.width = (unsigned)(r->known >> shift) % TILE_WIDTH;
	if (r->known >> shift >> 8 == want.index && edge.width >= want.width &&
	    tile_read(r->dir, edge, to->hashes, &none) == 0)
		return 0;
	to->width = 0;
	return -1;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static int get_tile(struct log_reader *r, struct tile_name want, struct cached_tile **ret,
		    struct error *err)
{
	struct cached_tile *t;

	if (want.level >= TILE_LEVELS)
		return fail(err, ERR_CALLER, "no log is that large");
	t = &r->tiles[want.level];
	*ret = t;
	if (t->index == want.index && t->width >= want.width)
		return 0;
	t->index = want.index;
	if (read_tile(r, want, t) == 0)
		return 0;
	if (want.level == 0 ? hash_lines(r, want, t->hashes, err) < 0
			    : hash_tiles(r, want, t->hashes, err) < 0)
		return -1;
	t->width = want.width;
	return 0;
}

static int tell_node(void *context, unsigned level, uint64_t index, struct hash *ret,
		     struct error *err)
{
	unsigned bits = level % 8;
	uint64_t first = index << bits;
	unsigned at = (unsigned)(first % TILE_WIDTH), n = 1U << bits;
	struct cached_tile *t;

	if (get_tile(context, (struct tile_name){level / 8, first / TILE_WIDTH, at + n}, &t, err) <
	    0)
		return -1;
	tile_root(t->hashes + at, n, ret);
	return 0;
}

struct tree_source log_reader_hashes(struct log_reader *r)
{
	return (struct tree_source){.node = tell_node, .context = r};
}
