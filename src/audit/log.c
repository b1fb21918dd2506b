/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - appends lines to the log and puts them on disk.
 *
 * Zeros are written ahead of the lines: a sync then has only data to write, not
 * the length of the file and where its blocks are, and takes half the time.
 * Bytes that are not on disk yet are also kept in memory: after a failed sync
 * the kernel may call its pages clean although they never got there, so they are
 * written once more before the next one.
 */
#include "audit/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/log_parts.h"
#include "audit/record.h"
#include "audit/segment.h"
#include "audit/smallfile.h"
#include "base/own.h"

enum { AHEAD_MIN = 1 << 16, AHEAD_MAX = 1 << 21, BLOCK = 4096 };

static_assert((int)LOG_LINE_MAX == (int)RECORD_MAX, "a record is a line");

static int put_at(int fd, const char *data, size_t len, uint64_t offset, struct error *err)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_sys(err, "write to the log");
		data += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int fill_to(struct log *l, uint64_t to, struct error *err)
{
	static const char zeros[1 << 16];
	uint64_t at = l->zeros_end > l->end ? l->zeros_end : l->end;
	int result = 0;

	while (at < to && result == 0) {
		size_t n = to - at < sizeof(zeros) ? (size_t)(to - at) : sizeof(zeros);

		result = put_at(l->fd, zeros, n, at, err);
		if (result == 0)
			at += n;
	}
	l->zeros_end = at;
	return result;
}

/* A failure is none: the lines are then simply appended. */
static void fill_ahead(struct log *l, size_t len)
{
	struct error none;

	if (l->end + len <= l->zeros_end)
		return;
	(void)fill_to(l, (l->end + len + l->ahead + BLOCK - 1) / BLOCK * BLOCK, &none);
	l->ahead = l->ahead * 2 < AHEAD_MAX ? l->ahead * 2 : AHEAD_MAX;
}

/* After a failure: back to what was acknowledged, and that for sure. */
static int repair(struct log *l, struct error *err)
{
	if (l->spoilt) {
		if (ftruncate(l->fd, (off_t)l->end) < 0)
			return fail_sys(err, "cut back the log");
		l->zeros_end = l->end;
		l->spoilt = false;
	}
	if (l->unnamed) {
		if (fsync(l->segments) < 0)
			return fail_sys(err, "sync the directory of the log");
		l->unnamed = false;
	}
	if (l->unsure) {
		if (put_at(l->fd, l->unsynced.data, l->unsynced.len, l->synced_end, err) < 0)
			return -1;
		l->unsure = false;
	}
	return 0;
}

int log_keep_room(struct log *l, uint64_t bytes, struct error *err)
{
	uint64_t to = (l->end + bytes + BLOCK - 1) / BLOCK * BLOCK;

	if (repair(l, err) < 0)
		return -1;
	fill_ahead(l, bytes);
	return l->zeros_end >= l->end + bytes ? 0 : fill_to(l, to, err);
}

int log_sync(struct log *l, struct error *err)
{
	if (repair(l, err) < 0)
		return -1;
	if (l->synced_end == l->end)
		return 0;
	if (fdatasync(l->fd) < 0) {
		l->unsure = true;
		return fail_sys(err, "sync the log");
	}
	l->synced_end = l->end;
	l->synced = l->tree.size;
	l->unsynced.len = 0;
	return 0;
}

int log_open_segment(struct log *l, uint64_t first, struct error *err)
{
	char path[SEGMENT_PATH];
	own_fd fd = -1;

	segment_path(first / LOG_SEGMENT, "jsonl", path);
	fd = openat(l->dir, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_sys(err, "open %s", path);
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = take_fd(&fd);
	l->first = first;
	l->ahead = AHEAD_MIN;
	return 0;
}

static int begin_segment(struct log *l, struct error *err)
{
	if (log_sync(l, err) < 0)
		return -1;
	if (ftruncate(l->fd, (off_t)l->end) < 0 || fdatasync(l->fd) < 0)
		return fail_sys(err, "end a segment of the log");
	l->zeros_end = l->end;
	if (log_put_offsets(l, err) < 0 || log_open_segment(l, l->tree.size, err) < 0)
		return -1;
	l->end = l->synced_end = l->zeros_end = 0;
	/* Lines are only as durable as the name of their file. */
	l->unnamed = true;
	/* A beginning that failed earlier may have left something. */
	l->spoilt = true;
	return 0;
}

int log_count_line(struct log *l, const struct log_line *line, uint64_t offset, struct hash *ret,
		   struct error *err)
{
	if (l->n_leaves == l->room_leaves) {
		size_t room = l->room_leaves ? 2 * l->room_leaves : 4096;
		struct hash *leaves = realloc(l->leaves, room * sizeof(*leaves));

		if (!leaves)
			return fail_sys(err, "allocate for the hashes of the log");
		l->leaves = leaves;
		l->room_leaves = room;
	}
	if (l->tree.size % TILE_WIDTH == 0)
		l->offsets[l->tree.size % LOG_SEGMENT / TILE_WIDTH] = offset;
	hash_leaf(line->data, line->len, ret);
	l->leaves[l->n_leaves++] = *ret;
	tree_add(&l->tree, ret);
	return 0;
}

/* How many of the lines go in at once, and how many bytes they are. */
static size_t take_some(const struct log_line *lines, size_t n, size_t *ret_bytes)
{
	size_t count = 0, bytes = 0;

	while (count < n && count < LOG_BATCH_MAX &&
	       (count == 0 || bytes + lines[count].len + 1 <= LOG_UNSYNCED_MAX))
		bytes += lines[count++].len + 1;
	*ret_bytes = bytes;
	return count;
}

/* A line that the repair after a crash would not know again must not be acknowledged. */
static int check_lines(const struct log_line *lines, size_t n, struct error *err)
{
	struct record_view view;

	for (size_t i = 0; i < n; i++)
		if (record_read(lines[i].data, lines[i].len, &view, err) < 0)
			return fail_in(err, "line %zu of %zu", i + 1, n);
	return 0;
}

static int make_ready(struct log *l, size_t n, size_t bytes, struct error *err)
{
	if (l->n_leaves + n > LOG_UNSIGNED_MAX && log_checkpoint(l, err) < 0)
		return -1;
	if (l->unsynced.len + bytes > LOG_UNSYNCED_MAX && log_sync(l, err) < 0)
		return -1;
	if (l->tree.size - l->first == LOG_SEGMENT && begin_segment(l, err) < 0)
		return -1;
	return repair(l, err);
}

static int join(struct buf *b, const struct log_line *lines, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (buf_add(b, lines[i].data, lines[i].len, err) < 0 ||
		    buf_add(b, "\n", 1, err) < 0)
			return -1;
	return 0;
}

/* Room for the hashes first: once the lines are written nothing may fail any more. */
static int reserve(struct log *l, size_t n, struct error *err)
{
	struct hash *leaves;

	if (l->n_leaves + n <= l->room_leaves)
		return 0;
	leaves = realloc(l->leaves, (l->n_leaves + n + 4096) * sizeof(*leaves));
	if (!leaves)
		return fail_sys(err, "allocate for the hashes of the log");
	l->leaves = leaves;
	l->room_leaves = l->n_leaves + n + 4096;
	return 0;
}

static int put_lines(struct log *l, const struct log_line *lines, size_t n, struct error *err)
{
	size_t before = l->unsynced.len;

	if (reserve(l, n, err) < 0 || join(&l->unsynced, lines, n, err) < 0) {
		l->unsynced.len = before;
		return -1;
	}
	fill_ahead(l, l->unsynced.len - before);
	if (put_at(l->fd, l->unsynced.data + before, l->unsynced.len - before, l->end, err) < 0) {
		l->unsynced.len = before;
		l->spoilt = true;
		return -1;
	}
	return 0;
}

ssize_t log_append_records(struct log *l, const struct log_line *lines, size_t n,
			   struct receipt *ret_receipts, struct error *err)
{
	uint64_t left;
	size_t bytes;

	if (n == 0)
		return fail(err, ERR_INTERNAL, "nothing to append");
	n = take_some(lines, n, &bytes);
	if (make_ready(l, n, bytes, err) < 0)
		return -1;
	left = LOG_SEGMENT - (l->tree.size - l->first);
	n = n < left ? n : (size_t)left;
	if (put_lines(l, lines, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		ret_receipts[i].index = l->tree.size;
		(void)log_count_line(l, &lines[i], l->end, &ret_receipts[i].leaf, err);
		l->end += lines[i].len + 1;
	}
	l->behind = true;
	return (ssize_t)n;
}

ssize_t log_append(struct log *l, const struct log_line *lines, size_t n,
		   struct receipt *ret_receipts, struct error *err)
{
	size_t bytes;

	n = take_some(lines, n, &bytes);
	return check_lines(lines, n, err) < 0 ? -1
					      : log_append_records(l, lines, n, ret_receipts, err);
}

uint64_t log_size(const struct log *l)
{
	return l->tree.size;
}

uint64_t log_synced_size(const struct log *l)
{
	return l->synced;
}

uint64_t log_signed_size(const struct log *l)
{
	return l->signed_size;
}

const char *log_checkpoint_text(const struct log *l)
{
	return l->checkpoint;
}

const struct note_key *log_key(const struct log *l)
{
	return &l->signer.key;
}

int log_directory(const struct log *l)
{
	return l->dir;
}

uint64_t log_since(const struct log *l)
{
	return l->since;
}

void log_set_since(struct log *l, uint64_t index)
{
	l->since = index;
	l->since_changed = true;
}
