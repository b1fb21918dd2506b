/* SPDX-License-Identifier: Apache-2.0 */
/* logopen.c - opens the log for writing: makes it, or finds out where it ends.
 *
 * What the last checkpoint covers must be there and must give its root, or the
 * log is not opened: whoever changed it shall not get our signature for it, and
 * nothing is written before that is known.  Behind it stand lines that were
 * acknowledged and not signed yet: they are kept as far as they are whole.
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/log_parts.h"
#include "audit/record.h"
#include "audit/segment.h"
#include "audit/smallfile.h"
#include "base/own.h"

static int put_tile(void *context, struct tile_name name, const struct hash *hashes,
		    struct error *err)
{
	struct log *l = context;

	return tile_write(l->dir, name, hashes, err);
}

static int open_directory(const char *path, struct error *err)
{
	char parents[PATH_MAX];
	own_fd fd = -1;
	struct stat st;
	int n = snprintf(parents, sizeof(parents), "%s", path);

	if (n <= 0 || (size_t)n >= sizeof(parents))
		return fail(err, ERR_CONFIG, "the directory of the log has no usable name");
	for (; n > 1 && parents[n - 1] == '/'; n--)
		parents[n - 1] = '\0';
	if (smallfile_make_parents(AT_FDCWD, parents, err) < 0)
		return -1;
	if (mkdir(parents, 0700) < 0 && errno != EEXIST)
		return fail_sys(err, "make the directory %s", parents);
	fd = open(parents, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "open the directory %s", parents);
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at %s", parents);
	if (st.st_uid != geteuid())
		return fail(err, ERR_CONFIG, "the log %s belongs to uid %u, not to us (%u)",
			    parents, st.st_uid, geteuid());
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return fail(err, ERR_CONFIG, "the log %s may be written by others: chmod go-w it",
			    parents);
	return take_fd(&fd);
}

/* Held by the open file, so that it goes when the process does, however that ends. */
static int take_lock(int dir, struct error *err)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	own_fd fd = openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail_sys(err, "open the lock of the log");
	if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
		return take_fd(&fd);
	if (errno != EAGAIN && errno != EACCES)
		return fail_sys(err, "lock the log");
	(void)fail(err, ERR_CONFIG, "another belljar writes this log already");
	err->sys = EAGAIN;
	return -1;
}

static int open_key(struct log *l, const char *origin, bool fresh, struct error *err)
{
	char made[NOTE_NAME_MAX];
	uint64_t chance;

	if (note_signer_open(&l->signer, l->dir, "key", err) == 0)
		return 0;
	if (!fresh || err->kind != ERR_NOT_FOUND)
		return -1;
	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		return fail_sys(err, "get random bytes");
	(void)snprintf(made, sizeof(made), "belljar/%016" PRIx64, chance);
	if (note_signer_create(l->dir, "key", "key.pub", origin ? origin : made, err) < 0)
		return -1;
	return note_signer_open(&l->signer, l->dir, "key", err);
}

/* Nothing was ever written here: no segment, or an empty one. */
static int is_fresh(const struct log *l, struct error *err)
{
	char path[SEGMENT_PATH];
	struct stat st;

	if (fstatat(l->dir, "checkpoint", &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (errno != ENOENT)
		return fail_sys(err, "look at the checkpoint");
	segment_path(0, "jsonl", path);
	if (fstatat(l->dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
		return fail(err, ERR_CONFIG,
			    "the log has records and no checkpoint: it was removed");
	return 1;
}

static int read_checkpoint(struct log *l, struct checkpoint *ret, struct error *err)
{
	ssize_t n =
		smallfile_get(l->dir, "checkpoint", l->checkpoint, sizeof(l->checkpoint) - 1, err);

	if (n < 0)
		return -1;
	l->checkpoint[n] = '\0';
	if (note_verify(&l->signer.key, l->checkpoint, (size_t)n, ret, err) < 0)
		return fail_in(err, "checkpoint");
	l->signed_size = ret->size;
	return 0;
}

/* A line begins where another one ended. */
static int check_start(const struct log *l, uint64_t offset, struct error *err)
{
	char path[SEGMENT_PATH], before = 0;
	own_fd fd = -1;

	segment_path(l->tiled / LOG_SEGMENT, "jsonl", path);
	fd = openat(l->dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "open %s", path);
	if (offset == 0 || offset > INT64_MAX || pread(fd, &before, 1, (off_t)offset - 1) != 1 ||
	    before != '\n')
		return fail(err, ERR_CONFIG, "no line of %s begins at byte %" PRIu64, path, offset);
	return 0;
}

/* Where record l->tiled begins in its segment. */
static int find_start(const struct log *l, uint64_t *ret, struct error *err)
{
	uint64_t coded[LOG_OFFSETS];
	size_t slot = (size_t)(l->tiled % LOG_SEGMENT / TILE_WIDTH);
	char path[SEGMENT_PATH];
	ssize_t n;

	*ret = 0;
	segment_path(l->tiled / LOG_SEGMENT, "offsets", path);
	if (slot == 0)
		return 0;
	n = smallfile_get(l->dir, path, coded, sizeof(coded), err);
	if (n < 0)
		return -1;
	if ((size_t)n <= slot * sizeof(coded[0]))
		return fail(err, ERR_CONFIG, "%s is too short", path);
	*ret = le64toh(coded[slot]);
	return check_start(l, *ret, err);
}

/* The offsets in front of record l->tiled, for the next time they are written. */
static int load_offsets(struct log *l, struct error *err)
{
	size_t slots = (size_t)(l->tiled % LOG_SEGMENT / TILE_WIDTH);
	char path[SEGMENT_PATH];
	ssize_t n;

	segment_path(l->tiled / LOG_SEGMENT, "offsets", path);
	if (slots == 0)
		return 0;
	n = smallfile_get(l->dir, path, l->offsets, sizeof(l->offsets), err);
	if (n < 0)
		return -1;
	if ((size_t)n < slots * sizeof(l->offsets[0]))
		return fail(err, ERR_CONFIG, "%s is too short", path);
	for (size_t i = 0; i < slots; i++)
		l->offsets[i] = le64toh(l->offsets[i]);
	return 0;
}

static int compare_root(const struct log *l, const struct checkpoint *c, struct error *err)
{
	struct hash root;

	tree_root(&l->tree, &root);
	if (!hash_equal(&root, &c->root))
		return fail(err, ERR_CONFIG,
			    "the first %" PRIu64
			    " records are not those that were signed: the log was changed",
			    c->size);
	return 0;
}

/* Counts the lines of one segment.  1: it is full, 0: the log ends here. */
static int count_segment(struct log *l, struct segment_scan *s, const struct checkpoint *c,
			 struct error *err)
{
	uint64_t last = l->tree.size / LOG_SEGMENT * LOG_SEGMENT + LOG_SEGMENT;
	struct record_view view;
	struct log_line line;
	struct hash leaf;

	while (l->tree.size < last) {
		uint64_t at = segment_tell(s);
		int got = segment_next(s, &line, err);

		if (got < 0)
			return -1;
		l->end = at;
		/* Behind the checkpoint: kept if it is whole, cut off if not. */
		if (got == 0 ||
		    (l->tree.size >= c->size && record_read(line.data, line.len, &view, err) < 0))
			return 0;
		if (log_count_line(l, &line, at, &leaf, err) < 0)
			return -1;
		l->end = segment_tell(s);
		if (l->tree.size == c->size && compare_root(l, c, err) < 0)
			return -1;
	}
	return 1;
}

/* All lines from record tree.size on, which begins at offset of its segment. */
static int count_lines(struct log *l, uint64_t offset, const struct checkpoint *c,
		       struct error *err)
{
	struct segment_scan s;
	int more = 1;

	segment_init(&s);
	if (l->tree.size == c->size)
		more = compare_root(l, c, err) < 0 ? -1 : 1;
	while (more > 0) {
		uint64_t number = l->tree.size / LOG_SEGMENT;

		l->first = number * LOG_SEGMENT;
		l->end = offset;
		if (segment_open(&s, l->dir, number, offset, err) < 0) {
			/* Behind a full segment there need not be another one. */
			more = err->kind == ERR_NOT_FOUND && l->tree.size == l->first ? 0 : -1;
			break;
		}
		more = count_segment(l, &s, c, err);
		offset = 0;
	}
	segment_done(&s);
	if (more < 0)
		return -1;
	if (l->tree.size < c->size)
		return fail(err, ERR_CONFIG,
			    "the log ends at record %" PRIu64 ", but %" PRIu64
			    " were signed: it was cut off or damaged there",
			    l->tree.size, c->size);
	return 0;
}

static void forget(struct log *l)
{
	l->tree = (struct tree){0};
	l->tiler.size = 0;
	l->n_leaves = 0;
	l->first = l->end = 0;
}

/* From where the tiles are known to be good. */
static int count_quickly(struct log *l, const struct checkpoint *c, struct error *err)
{
	uint64_t start;

	if (l->tiled == 0 || l->tiled > c->size)
		return -1;
	if (find_start(l, &start, err) < 0 || load_offsets(l, err) < 0 ||
	    tiler_load(&l->tiler, l->dir, l->tiled, err) < 0)
		return -1;
	tiler_tree(&l->tiler, &l->tree);
	return count_lines(l, start, c, err);
}

/* Nothing is changed on disk until it is clear that the lines are the signed ones. */
static int find_end(struct log *l, struct error *err)
{
	struct checkpoint c;

	if (read_checkpoint(l, &c, err) < 0 || log_get_state(l, err) < 0)
		return -1;
	if (count_quickly(l, &c, err) == 0)
		return 0;
	forget(l);
	l->tiled = l->tiles_synced = 0;
	return count_lines(l, 0, &c, err);
}

/* A segment behind the last one that has lines: they would be overwritten later. */
static int check_successor(const struct log *l, struct error *err)
{
	char path[SEGMENT_PATH];
	struct stat st;

	segment_path(l->first / LOG_SEGMENT + 1, "jsonl", path);
	if (fstatat(l->dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
		return fail(err, ERR_CONFIG, "the log ends before %s, which has records", path);
	return 0;
}

static bool tile_is(const struct log *l, struct tile_name name, const struct hash *hashes)
{
	struct hash found[TILE_WIDTH];
	struct error none;

	return name.width == 0 || (tile_read(l->dir, name, found, &none) == 0 &&
				   memcmp(found, hashes, name.width * sizeof(found[0])) == 0);
}

/* "state" does not speak of the partial tiles: a loss of power may have taken them. */
static bool partials_are_there(const struct log *l)
{
	struct tile_name name = {0, l->tree.size / TILE_WIDTH, (unsigned)l->n_leaves};

	if (!tile_is(l, name, l->leaves))
		return false;
	for (unsigned level = 1; level < TILE_LEVELS; level++) {
		uint64_t hashes = l->tree.size >> (8 * level);

		name = (struct tile_name){level, hashes / TILE_WIDTH, hashes % TILE_WIDTH};
		if (!tile_is(l, name, l->tiler.part[level]))
			return false;
	}
	return true;
}

/* Closed in order, so that there is nothing to repair and nothing to wait for: a writer that comes
 * for a single call must be quick. */
static bool was_closed(const struct log *l, uint64_t bytes)
{
	return bytes == l->end && l->end > 0 && l->tree.size == l->signed_size &&
	       l->tiled == l->tree.size / TILE_WIDTH * TILE_WIDTH && partials_are_there(l);
}

static int take_up(struct log *l, struct error *err)
{
	struct stat st;

	/* What follows cuts the file: we must be sure where. */
	assert(l->tree.size - l->first <= LOG_SEGMENT);
	assert((l->tree.size == l->first) == (l->end == 0));
	if (check_successor(l, err) < 0 || log_open_segment(l, l->first, err) < 0)
		return -1;
	if (fstat(l->fd, &st) < 0 || (uint64_t)st.st_size < l->end)
		return fail(err, ERR_CONFIG, "the last segment of the log became shorter");
	l->zeros_end = l->synced_end = l->end;
	l->synced = l->tree.size;
	if (was_closed(l, (uint64_t)st.st_size))
		return 0;
	l->behind = true;
	if (ftruncate(l->fd, (off_t)l->end) < 0 || fdatasync(l->fd) < 0)
		return fail_sys(err, "cut off the torn end of the log");
	if (fsync(l->segments) < 0 || fsync(l->dir) < 0)
		return fail_sys(err, "sync the directories of the log");
	if (log_checkpoint(l, err) < 0)
		return -1;
	/* Records without a checkpoint are refused as a log that somebody tampered with: the name
	 * of the first one must not be what a loss of power takes away. */
	if (l->signed_size == 0 && fsync(l->dir) < 0)
		return fail_sys(err, "sync the directory of the log");
	return 0;
}

static int open_parts(struct log *l, const char *path, const char *origin, struct error *err)
{
	int fresh;

	l->dir = open_directory(path, err);
	if (l->dir < 0)
		return -1;
	l->lock = take_lock(l->dir, err);
	if (l->lock < 0)
		return -1;
	if (mkdirat(l->dir, "log", 0700) < 0 && errno != EEXIST)
		return fail_sys(err, "make the directory log");
	l->segments = openat(l->dir, "log", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->segments < 0)
		return fail_sys(err, "open the directory log");
	fresh = is_fresh(l, err);
	if (fresh < 0 || open_key(l, origin, fresh > 0, err) < 0)
		return -1;
	if (fresh == 0 && find_end(l, err) < 0)
		return -1;
	return take_up(l, err);
}

static void let_go(struct log *l)
{
	const int fds[] = {l->fd, l->segments, l->dir, l->lock};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	note_signer_done(&l->signer);
	buf_done(&l->unsynced);
	free(l->leaves);
	free(l);
}

struct log *log_open(const char *path, const char *origin, struct error *err)
{
	struct log *l = calloc(1, sizeof(*l));

	if (!l) {
		(void)fail_sys(err, "allocate for the log");
		return NULL;
	}
	l->dir = l->segments = l->lock = l->fd = -1;
	l->tiler.put = put_tile;
	l->tiler.context = l;
	buf_init(&l->unsynced, SIZE_MAX / 2);
	if (open_parts(l, path, origin, err) < 0) {
		let_go(l);
		return NULL;
	}
	return l;
}

void log_close(struct log *l)
{
	struct error err;

	if (!l)
		return;
	/* What fails here is done by the next one to open it. */
	if (log_checkpoint(l, &err) == 0 && ftruncate(l->fd, (off_t)l->end) == 0)
		(void)log_put_state(l, true, &err);
	let_go(l);
}

void log_end(struct log **l)
{
	log_close(*l);
}
