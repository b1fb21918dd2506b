/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - memory that is given back all at once: a policy, or what one call was judged by. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/error.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* the newest first */
	size_t used;                /* bytes asked for so far, in all blocks */
	size_t limit;               /* most bytes ever given */
};

void arena_init(struct arena *a, size_t limit);
void arena_done(struct arena *a);
void arena_end(struct arena *a); /* for own(arena) */

/* Zeroed, aligned for anything.  NULL when the limit is reached or the host has no memory; err then
 * says which. */
void *arena_alloc(struct arena *a, size_t size, struct error *err);
/* n elements; refuses a product that overflows. */
void *arena_array(struct arena *a, size_t n, size_t size, struct error *err);
/* A copy with a NUL behind it. */
char *arena_copy(struct arena *a, const char *data, size_t len, struct error *err);
char *arena_str(struct arena *a, const char *str, struct error *err);
char *arena_printf(struct arena *a, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
