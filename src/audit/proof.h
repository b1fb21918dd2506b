/* SPDX-License-Identifier: Apache-2.0 */
/* proof.h - a receipt that holds without the log: c2sp.org/tlog-proof.
 *
 *     c2sp.org/tlog-proof@v1
 *     extra base64          the record itself, or only its leaf hash
 *     index 73894
 *     base64 ...            from the leaf's neighbour up to the root
 *
 *     the signed checkpoint
 *
 * Whoever has the public key can check it, offline and for ever.
 */
#ifndef AUDIT_PROOF_H
#define AUDIT_PROOF_H

#include "audit/log.h"
#include "base/buf.h"

enum { PROOF_MAX = 131072 };

struct proof {
	uint64_t index;
	struct hash leaf;
	struct log_line line; /* the record; data NULL: only its hash is known */
	struct checkpoint checkpoint;
};

/* The proof as text.  ERR_CALLER: there is no such record, or it is not signed yet. */
int proof_make(struct log_reader *r, uint64_t index, bool with_line, struct buf *ret,
	       struct error *err);
/* Holds under this key?  ret->line points into room, which takes PROOF_MAX bytes. */
int proof_verify(const struct note_key *key, const char *text, size_t len, struct proof *ret,
		 char *room, struct error *err);

#endif
