/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h - the Merkle tree of RFC 6962 over the lines of the log.
 *
 * A leaf is SHA-256(0x00 || line), a node SHA-256(0x01 || left || right).  The
 * state that grows (struct tree) keeps one hash per set bit of its size and
 * nothing else; whoever wants a proof hands in a function that knows the
 * hashes of complete subtrees (tiles.h has one).
 */
#ifndef AUDIT_TREE_H
#define AUDIT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { HASH_BYTES = 32, HASH_HEX = 65, TREE_DEPTH_MAX = 64 };

struct hash {
	uint8_t bytes[HASH_BYTES];
};

/* Plain SHA-256: bodies, arguments, policies. */
void hash_bytes(const void *data, size_t len, struct hash *ret);
void hash_leaf(const void *line, size_t len, struct hash *ret);
void hash_node(const struct hash *left, const struct hash *right, struct hash *ret);
void hash_hex(const struct hash *h, char ret_hex[static HASH_HEX]);
/* 64 lower-case hex digits and nothing else. */
bool hash_from_hex(const char *hex, size_t len, struct hash *ret);
bool hash_equal(const struct hash *a, const struct hash *b);

/* A tree that grows on its right side; {0} is the empty one. */
struct tree {
	uint64_t size;
	struct hash edge[TREE_DEPTH_MAX]; /* [i]: the complete subtree of bit i of size */
};

void tree_add(struct tree *t, const struct hash *leaf);
/* A complete subtree of 2^level leaves at once; size must be a multiple of that. */
void tree_add_subtree(struct tree *t, unsigned level, const struct hash *h);
/* The root; that of the empty tree is the hash of nothing. */
void tree_root(const struct tree *t, struct hash *ret);

/* Tells the hash of the complete subtree over [index << level, (index + 1) << level). */
struct tree_source {
	int (*node)(void *context, unsigned level, uint64_t index, struct hash *ret,
		    struct error *err);
	void *context;
};

struct tree_path {
	struct hash hashes[TREE_DEPTH_MAX];
	size_t n;
};

/* The state of a tree of that size, and the two proofs. */
int tree_load(struct tree *ret, uint64_t size, const struct tree_source *from, struct error *err);
int tree_prove(uint64_t index, uint64_t size, const struct tree_source *from, struct tree_path *ret,
	       struct error *err);
int tree_prove_growth(uint64_t old_size, uint64_t size, const struct tree_source *from,
		      struct tree_path *ret, struct error *err);

/* Does the path lead from this leaf to this root, and is none of it left over? */
bool tree_includes(const struct hash *leaf, uint64_t index, uint64_t size,
		   const struct tree_path *path, const struct hash *root);
/* Is the old tree the beginning of the new one? */
bool tree_extends(uint64_t old_size, const struct hash *old_root, uint64_t size,
		  const struct hash *root, const struct tree_path *path);

#endif
