/* SPDX-License-Identifier: Apache-2.0 */
/* blob.h - bodies (arguments, outputs, policies) by their hash, beside the log.
 *
 *     blob/ab/cdef...      one file per body: 2 + 62 hex digits of its SHA-256
 *
 * A body may be dropped at any time: its record keeps the hash and stays a leaf.
 */
#ifndef AUDIT_BLOB_H
#define AUDIT_BLOB_H

#include "audit/tree.h"
#include "base/buf.h"

enum blob_mode {
	BLOB_NONE = 0, /* nothing is kept, not even hashes */
	BLOB_HASHES,   /* records carry the hashes */
	BLOB_BODIES,   /* ... and the bodies are kept */
	BLOB_MODE_COUNT
};

struct blobs {
	int dir; /* owned */
};

const char *blob_mode_name(enum blob_mode mode);
/* -1: there is no such mode. */
int blob_mode_by_name(const char *name);

/* Beneath dir (the log's directory); made if missing. */
int blobs_open(struct blobs *ret, int dir, struct error *err);
void blobs_close(struct blobs *b);
/* Whole or not at all: written beside, then renamed.  One that is there already is only made
 * younger.
 */
int blob_put(struct blobs *b, const void *data, size_t len, struct hash *ret, struct error *err);
/* Checked against its hash.  ERR_NOT_FOUND: it was dropped or never kept. */
int blob_get(const struct blobs *b, const struct hash *h, struct buf *ret, struct error *err);
/* Retention: drops bodies that nobody put since then (seconds since 1970).  Counts them. */
int blob_expire(struct blobs *b, int64_t before, uint64_t *ret_dropped, uint64_t *ret_bytes,
		struct error *err);

#endif
