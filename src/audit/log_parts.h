/* SPDX-License-Identifier: Apache-2.0 */
/* log_parts.h - the writer's inside: shared by log.c, logopen.c and logsign.c. */
#ifndef AUDIT_LOG_PARTS_H
#define AUDIT_LOG_PARTS_H

#include "audit/log.h"
#include "audit/tiles.h"
#include "base/buf.h"

enum { LOG_OFFSETS = LOG_SEGMENT / TILE_WIDTH };

struct log {
	int dir;
	int segments; /* the directory log/ */
	int lock;
	int fd; /* the segment that grows */
	struct note_signer signer;

	struct tree tree;    /* over everything appended */
	struct hash *leaves; /* those that are in no tile yet: tiler.size to tree.size */
	size_t n_leaves, room_leaves;
	struct tiler tiler;

	uint64_t first;                /* record of this segment */
	uint64_t end;                  /* bytes of lines in it */
	uint64_t zeros_end;            /* up to here it is filled with zeros */
	uint64_t ahead;                /* how many to write next time */
	uint64_t offsets[LOG_OFFSETS]; /* of each 256th line */
	struct buf unsynced;           /* the bytes from synced_end to end, should a sync fail */
	uint64_t synced_end, synced;
	bool spoilt;  /* behind end may be something that was never acknowledged */
	bool unnamed; /* the directory does not know this segment for sure */
	bool unsure;  /* a sync failed: the kernel may have dropped what is unsynced */

	bool behind; /* tiles and checkpoint do not cover everything */
	uint64_t signed_size;
	/* Up to here tiles are on disk for sure; multiples of 256.  The first is in "state". */
	uint64_t tiled, tiles_synced;
	uint64_t since;
	bool since_changed;
	char checkpoint[1024];
};

/* Also for repair: hashes the line and counts it as record tree.size, which begins at offset. */
int log_count_line(struct log *l, const struct log_line *line, uint64_t offset, struct hash *ret,
		   struct error *err);
/* Opens the segment that begins with record first; it is made if it is missing. */
int log_open_segment(struct log *l, uint64_t first, struct error *err);
/* Where each 256th line begins, for readers. */
int log_put_offsets(const struct log *l, struct error *err);
/* The tiles to disk, then the note that they are there. */
int log_put_state(struct log *l, bool closing, struct error *err);
int log_get_state(struct log *l, struct error *err);

#endif
