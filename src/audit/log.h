/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - the log: a directory that one process writes and any number read.
 *
 *     checkpoint             the last signed checkpoint (note.h)
 *     key, key.pub           who signs (0600), and whom to believe
 *     log/00000000.jsonl     records 0 to 65,535, one line each; then 00000001.jsonl
 *     log/00000000.offsets   where each 256th line begins; made from the lines
 *     tile/0/x000/...        the hashes, as c2sp.org/tlog-tiles lays them out; made from the lines
 *     state                  up to where the tiles are known to be on disk
 *     lock                   held by the writer
 *
 * What is promised:
 *   log_append() came back   the lines survive the death of every process at any moment
 *   log_sync() came back     ... and the loss of power: one fdatasync of the segment, whose
 *                            entry in the directory was synced when it was made
 *   log_checkpoint()         ... and are signed.  Signed is only what is on disk, so that a
 *                            checkpoint never promises what a loss of power can take away
 * A line that was never acknowledged may be there after a crash, whole, or not at all.
 *
 * A failed call (disk full, I/O error) acknowledges nothing, leaves the log as it was and may be
 * repeated at any time: the next call repairs what is to be repaired.
 */
#ifndef AUDIT_LOG_H
#define AUDIT_LOG_H

#include <sys/types.h>

#include "audit/note.h"
#include "audit/tree.h"

enum {
	LOG_LINE_MAX = 64000,      /* bytes of one record, without its newline */
	LOG_SEGMENT = 65536,       /* records in one file */
	LOG_BATCH_MAX = 1024,      /* lines in one append */
	LOG_UNSIGNED_MAX = 65536,  /* records after which an append makes a checkpoint by itself */
	LOG_UNSYNCED_MAX = 1 << 23 /* bytes after which it syncs by itself */
};

struct log;

struct log_line {
	const char *data; /* a record (record.h): no newline in it */
	size_t len;
};

struct receipt {
	uint64_t index;
	struct hash leaf;
};

/* Opens for writing, makes what is missing, repairs what a crash left.  origin is the name of a log
 * that is made now; NULL: a random one.  err->sys is EAGAIN if another process writes it.  Refuses
 * a log whose files are not those of its checkpoint. */
struct log *log_open(const char *path, const char *origin, struct error *err);
/* Signs what is not signed yet, if it can. */
void log_close(struct log *l);
void log_end(struct log **l); /* for __attribute__((cleanup)) */

/* Writes lines in this order.  Returns how many it took, at least one: fewer than n at the end of a
 * segment.  -1: none.  ret_receipts has room for n. */
ssize_t log_append(struct log *l, const struct log_line *lines, size_t n,
		   struct receipt *ret_receipts, struct error *err);
/* The same for lines that record_read() has taken already: it is not asked again. */
ssize_t log_append_records(struct log *l, const struct log_line *lines, size_t n,
			   struct receipt *ret_receipts, struct error *err);
/* The segment has room for so many bytes of lines, whatever the disk does meanwhile.  (A segment
 * that begins before they are written has it not.)  -1: it has not, and nothing is lost. */
int log_keep_room(struct log *l, uint64_t bytes, struct error *err);
/* Everything appended is on disk.  Cheap if it was already. */
int log_sync(struct log *l, struct error *err);
/* log_sync(), tiles, a new signed checkpoint.  Cheap if there is nothing new.  At most every 100 ms
 * is often enough. */
int log_checkpoint(struct log *l, struct error *err);

uint64_t log_size(const struct log *l);        /* records appended */
uint64_t log_synced_size(const struct log *l); /* records on disk */
uint64_t log_signed_size(const struct log *l); /* records beneath the checkpoint */
/* The last signed checkpoint as text, for anchors; valid until the next checkpoint. */
const char *log_checkpoint_text(const struct log *l);
const struct note_key *log_key(const struct log *l);
/* The directory; stays the log's. */
int log_directory(const struct log *l);
/* A number that is kept with the log, durable with the next checkpoint: from which record on
 * somebody has to look for calls that began and never ended. */
uint64_t log_since(const struct log *l);
void log_set_since(struct log *l, uint64_t index);

/* Reading: without a lock, beside the writer. */
struct log_reader;

struct log_reader *log_reader_open(const char *path, struct error *err);
void log_reader_close(struct log_reader *r);
void log_reader_end(struct log_reader **r);
int log_reader_directory(const struct log_reader *r);
/* The key in the directory, or the one that is believed instead. */
const struct note_key *log_reader_key(const struct log_reader *r);
void log_reader_believe(struct log_reader *r, const struct note_key *key);
/* The checkpoint as it is now, verified.  ret_text (may be NULL) has room for NOTE_MAX. */
int log_reader_checkpoint(struct log_reader *r, struct checkpoint *ret, char *ret_text,
			  struct error *err);

/* From record index on. Costs at most 256 lines of reading. */
int log_seek(struct log_reader *r, uint64_t index, struct error *err);
/* The next line, without its newline, valid until the next call on r.  1: here it is; 0: there is
 * no more (yet: ask again later); -1: err. */
int log_next(struct log_reader *r, struct log_line *ret, uint64_t *ret_index, struct error *err);
/* One line; log_seek() and log_next().  ERR_NOT_FOUND: there is none. */
int log_read(struct log_reader *r, uint64_t index, struct log_line *ret, struct error *err);

/* Hashes of complete subtrees from tiles, or from lines where there is no tile yet: asking for one
 * may move the place where log_next() reads. */
struct tree_source log_reader_hashes(struct log_reader *r);

#endif
