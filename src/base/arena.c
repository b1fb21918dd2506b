/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - memory that is given back all at once.
 *
 * Blocks are taken from malloc and cut up from the left.  Nothing is ever
 * given back alone, so whoever fails half-way has nothing to clean up.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 4000 }; /* with its head and malloc's, less than a page */

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	bool blank; /* zeros already */
	alignas(max_align_t) char data[];
};

void arena_init(struct arena *a, size_t limit)
{
	*a = (struct arena){.limit = limit};
}

void arena_done(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
}

void arena_end(struct arena *a)
{
	arena_done(a);
}

static struct arena_block *add_block(struct arena *a, size_t least, struct error *err)
{
	/* A large one may be used in part only, and then comes blank for nothing. */
	bool large = least > BLOCK_BYTES / 4;
	size_t size = large ? least : BLOCK_BYTES;
	struct arena_block *b = large ? calloc(1, sizeof(*b) + size) : malloc(sizeof(*b) + size);

	if (!b) {
		(void)fail_sys(err, "allocate %zu bytes", size);
		return NULL;
	}
	b->size = size;
	b->used = 0;
	b->blank = large;
	/* A large one goes behind: there is room left in the block that is being cut up. */
	if (large && a->blocks) {
		b->next = a->blocks->next;
		a->blocks->next = b;
	} else {
		b->next = a->blocks;
		a->blocks = b;
	}
	return b;
}

void *arena_alloc(struct arena *a, size_t size, struct error *err)
{
	const size_t step = alignof(max_align_t);
	struct arena_block *b = a->blocks;
	size_t rounded;
	void *ret;

	if (__builtin_add_overflow(size, step - 1, &rounded) || rounded > a->limit ||
	    a->used > a->limit - rounded) {
		(void)fail(err, ERR_CALLER, "needs more than %zu bytes of memory", a->limit);
		return NULL;
	}
	rounded -= rounded % step;
	if (rounded == 0)
		rounded = step;
	if (!b || b->size - b->used < rounded)
		b = add_block(a, rounded, err);
	if (!b)
		return NULL;
	ret = b->data + b->used;
	b->used += rounded;
	a->used += rounded;
	/* Only now: most of a block is often left. */
	return b->blank ? ret : memset(ret, 0, rounded);
}

void *arena_array(struct arena *a, size_t n, size_t size, struct error *err)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		(void)fail(err, ERR_CALLER, "%zu elements are too many", n);
		return NULL;
	}
	return arena_alloc(a, bytes, err);
}

char *arena_copy(struct arena *a, const char *data, size_t len, struct error *err)
{
	char *ret = len < SIZE_MAX ? arena_alloc(a, len + 1, err) : NULL;

	if (ret && len > 0)
		memcpy(ret, data, len);
	return ret;
}

char *arena_str(struct arena *a, const char *str, struct error *err)
{
	return arena_copy(a, str, strlen(str), err);
}

char *arena_printf(struct arena *a, struct error *err, const char *fmt, ...)
{
	va_list args;
	char *ret;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0) {
		(void)fail(err, ERR_INTERNAL, "cannot format");
		return NULL;
	}
	ret = arena_alloc(a, (size_t)len + 1, err);
	if (!ret)
		return NULL;
	va_start(args, fmt);
	(void)vsnprintf(ret, (size_t)len + 1, fmt, args);
	va_end(args);
	return ret;
}
