/* SPDX-License-Identifier: Apache-2.0 */
/* suspects.h - where lines and tiles do not fit together, and what that looks like. */
#ifndef AUDIT_SUSPECTS_H
#define AUDIT_SUSPECTS_H

#include "audit/tiles.h"
#include "audit/verify.h"

enum { SUSPECTS_MAX = 64 };

struct suspect {
	struct tile_name tile;
	bool absent;            /* the tile is not there at all */
	enum finding_kind kind; /* what happened to the record, if the tile is right */
	uint64_t index;         /* of the record */
	uint64_t other;         /* the record that stands there, or how many are missing */
};

struct suspects {
	struct suspect list[SUSPECTS_MAX];
	size_t n;
	bool out_of_step; /* a record is missing or added: nothing behind it fits */
	bool done;        /* look at no more tiles */
};

/* A tile made from the lines against the one in the file.  size: of the signed tree. */
void suspects_compare(struct suspects *s, int dir, struct tile_name name, const struct hash *hashes,
		      uint64_t size);
/* The lines at the end, fewer than the tile of the signed tree has. */
void suspects_compare_rest(struct suspects *s, int dir, const struct tiler *t, uint64_t size);
/* In words.  none_missing: there are as many lines as were signed, so that a record that seems to
 * be missing is only somewhere else. */
enum finding_kind suspects_words(const struct suspect *s, bool none_missing, char *ret_text,
				 size_t room);

#endif
