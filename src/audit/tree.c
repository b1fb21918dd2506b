/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - the Merkle tree of RFC 6962 over the lines of the log. */
#include "audit/tree.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void tree_add_subtree(struct tree *t, unsigned level, const struct hash *h)
{
	struct hash carry = *h;

	assert(level < TREE_DEPTH_MAX && (t->size & ((UINT64_C(1) << level) - 1)) == 0);
	t->size += UINT64_C(1) << level;
	/* Where the sum carries, two neighbours become one subtree of the next level. */
	while (!(t->size >> level & 1)) {
		hash_node(&t->edge[level], &carry, &carry);
		level++;
	}
	t->edge[level] = carry;
}

void tree_add(struct tree *t, const struct hash *leaf)
{
	tree_add_subtree(t, 0, leaf);
}

void tree_root(const struct tree *t, struct hash *ret)
{
	bool first = true;

	if (t->size == 0) {
		hash_bytes("", 0, ret);
		return;
	}
	for (unsigned level = 0; level < TREE_DEPTH_MAX; level++) {
		if (!(t->size >> level & 1))
			continue;
		if (first)
			*ret = t->edge[level];
		else
			hash_node(&t->edge[level], ret, ret);
		first = false;
	}
}

int tree_load(struct tree *ret, uint64_t size, const struct tree_source *from, struct error *err)
{
	struct tree t = {.size = size};

	for (unsigned level = 0; level < TREE_DEPTH_MAX - 1; level++) {
		uint64_t index = (size >> level) - 1;

		if ((size >> level & 1) &&
		    from->node(from->context, level, index, &t.edge[level], err) < 0)
			return -1;
	}
	*ret = t;
	return 0;
}

/* The largest power of two below n, as its exponent; n is at least 2. */
static unsigned split_level(uint64_t n)
{
	return 63 - (unsigned)__builtin_clzll(n - 1);
}

/* The hash over [first, first + n); first is a multiple of every power of two in n's beginning,
 * as it is for each part of a tree that was split as RFC 6962 does. */
static int range_hash(uint64_t first, uint64_t n, const struct tree_source *from, struct hash *ret,
		      struct error *err)
{
	struct tree part = {0};

	while (n > 0) {
		unsigned level = 63 - (unsigned)__builtin_clzll(n);
		struct hash h;

		if (from->node(from->context, level, first >> level, &h, err) < 0)
			return -1;
		tree_add_subtree(&part, level, &h);
		first += UINT64_C(1) << level;
		n -= UINT64_C(1) << level;
	}
	tree_root(&part, ret);
	return 0;
}

/* Paths are found from the root down and told from the leaf up. */
static void turn_round(struct tree_path *p)
{
	for (size_t i = 0; i < p->n / 2; i++) {
		struct hash h = p->hashes[i];

		p->hashes[i] = p->hashes[p->n - 1 - i];
		p->hashes[p->n - 1 - i] = h;
	}
}

int tree_prove(uint64_t index, uint64_t size, const struct tree_source *from, struct tree_path *ret,
	       struct error *err)
{
	uint64_t first = 0, n = size;

	if (index >= size || size >> 62)
		return fail(err, ERR_CALLER, "there is no such leaf in a tree of that size");
	ret->n = 0;
	while (n > 1) {
		uint64_t half = UINT64_C(1) << split_level(n);
		bool right = index - first >= half;
		uint64_t other = right ? first : first + half;

		if (range_hash(other, right ? half : n - half, from, &ret->hashes[ret->n++], err) <
		    0)
			return -1;
		first += right ? half : 0;
		n = right ? n - half : half;
	}
	turn_round(ret);
	return 0;
}

int tree_prove_growth(uint64_t old_size, uint64_t size, const struct tree_source *from,
		      struct tree_path *ret, struct error *err)
{
	uint64_t first = 0, n = size, old = old_size;

	if (old_size > size || size >> 62)
		return fail(err, ERR_CALLER, "a tree does not grow from %llu to %llu",
			    (unsigned long long)old_size, (unsigned long long)size);
	ret->n = 0;
	if (old_size == 0)
		return 0;
	while (old != n) {
		uint64_t half = UINT64_C(1) << split_level(n);
		bool right = old > half;
		uint64_t other = right ? first : first + half;

		if (range_hash(other, right ? half : n - half, from, &ret->hashes[ret->n++], err) <
		    0)
			return -1;
		first += right ? half : 0;
		old -= right ? half : 0;
		n = right ? n - half : half;
	}
	if (first > 0 && range_hash(first, n, from, &ret->hashes[ret->n++], err) < 0)
		return -1;
	turn_round(ret);
	return 0;
}

/* The checks below are those of RFC 9162, 2.1.3.2 and 2.1.4.2. */
bool tree_includes(const struct hash *leaf, uint64_t index, uint64_t size,
		   const struct tree_path *path, const struct hash *root)
{
	uint64_t at = index, last = size - 1;
	struct hash h = *leaf;

	if (index >= size || path->n > TREE_DEPTH_MAX)
		return false;
	for (size_t i = 0; i < path->n; i++) {
		if (last == 0)
			return false;
		if (at & 1 || at == last) {
			hash_node(&path->hashes[i], &h, &h);
			while (!(at & 1) && at != 0) {
				at >>= 1;
				last >>= 1;
			}
		} else {
			hash_node(&h, &path->hashes[i], &h);
		}
		at >>= 1;
		last >>= 1;
	}
	return last == 0 && hash_equal(&h, root);
}

/* From a node that both trees have, up to both roots. */
static bool climb(uint64_t at, uint64_t last, const struct hash *hashes, size_t n, struct hash *old,
		  struct hash *now)
{
	for (size_t i = 0; i < n; i++) {
		if (last == 0)
			return false;
		if (at & 1 || at == last) {
			hash_node(&hashes[i], old, old);
			hash_node(&hashes[i], now, now);
			while (!(at & 1) && at != 0) {
				at >>= 1;
				last >>= 1;
			}
		} else {
			hash_node(now, &hashes[i], now);
		}
		at >>= 1;
		last >>= 1;
	}
	return last == 0;
}

bool tree_extends(uint64_t old_size, const struct hash *old_root, uint64_t size,
		  const struct hash *root, const struct tree_path *path)
{
	uint64_t at = old_size - 1, last = size - 1;
	bool whole = (old_size & at) == 0; /* a power of two: its root is a node of the new tree */
	struct hash nothing, old, now;

	if (old_size > size || path->n > TREE_DEPTH_MAX)
		return false;
	if (old_size == 0) {
		hash_bytes("", 0, &nothing);
		return path->n == 0 && hash_equal(old_root, &nothing);
	}
	if (old_size == size)
		return path->n == 0 && hash_equal(old_root, root);
	if (path->n == 0)
		return false;
	while (at & 1) {
		at >>= 1;
		last >>= 1;
	}
	old = now = whole ? *old_root : path->hashes[0];
	return climb(at, last, path->hashes + !whole, path->n - !whole, &old, &now) &&
	       hash_equal(&old, old_root) && hash_equal(&now, root);
}
