/* SPDX-License-Identifier: Apache-2.0 */
/* indexbegun.c - calls that began and have not ended yet: a hash table of fixed size. */
#include <stdlib.h>
#include <string.h>

#include "auditread/indexdb.h"

static size_t place_of(const char *id, size_t len)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)id[i]) * 1099511628211u;
	return (size_t)(h ^ h >> 32) % INDEX_BEGUN;
}

/* Where the call is, or where it would go. */
static struct index_begun *find(struct logindex *x, struct record_text id)
{
	size_t at = place_of(id.data, id.len);

	while (x->begun[at].id_len &&
	       (x->begun[at].id_len != id.len || memcmp(x->begun[at].id, id.data, id.len) != 0))
		at = (at + 1) % INDEX_BEGUN;
	return &x->begun[at];
}

int indexbegun_keep(struct logindex *x, struct record_text id, const struct index_begun *b)
{
	struct index_begun *place;

	if (!x->begun)
		x->begun = calloc(INDEX_BEGUN, sizeof(*x->begun));
	if (!x->begun || id.len == 0 || id.len > sizeof(b->id) || x->n_begun >= INDEX_BEGUN / 2)
		return -1;
	place = find(x, id);
	if (place->id_len)
		return 0;
	*place = *b;
	memcpy(place->id, id.data, id.len);
	place->id_len = id.len;
	x->n_begun++;
	return 1;
}

/* Those behind it that would not be found across the gap move up. */
static void close_gap(struct logindex *x, size_t gap)
{
	for (size_t at = (gap + 1) % INDEX_BEGUN; x->begun[at].id_len;
	     at = (at + 1) % INDEX_BEGUN) {
		size_t home = place_of(x->begun[at].id, x->begun[at].id_len);

		if ((at - home) % INDEX_BEGUN < (at - gap) % INDEX_BEGUN)
			continue;
		x->begun[gap] = x->begun[at];
		gap = at;
	}
	x->begun[gap].id_len = 0;
}

bool indexbegun_take(struct logindex *x, struct record_text id, struct index_begun *ret)
{
	struct index_begun *place;

	if (x->n_begun == 0 || id.len == 0 || id.len > sizeof(ret->id))
		return false;
	place = find(x, id);
	if (place->id_len == 0)
		return false;
	*ret = *place;
	close_gap(x, (size_t)(place - x->begun));
	x->n_begun--;
	return true;
}

void indexbegun_clear(struct logindex *x)
{
	if (x->n_begun)
		memset(x->begun, 0, INDEX_BEGUN * sizeof(*x->begun));
	x->n_begun = 0;
}
