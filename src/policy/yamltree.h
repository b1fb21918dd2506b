/* SPDX-License-Identifier: Apache-2.0 */
/* yamltree.h - the text of a policy file becomes a tree; what could mean two things is refused.
 *
 * Of YAML there is: maps, lists and scalars in every style, comments, one
 * document.  There are no anchors, aliases, merge keys, tags, directives,
 * second documents, collections as keys, or the same key twice.  Scalars stay
 * text: the setting that reads one decides what "no" means.
 */
#ifndef POLICY_YAMLTREE_H
#define POLICY_YAMLTREE_H

#include "policy/policy.h"

enum {
	YAML_BYTES_MAX = 1 << 20,
	YAML_DEPTH_MAX = 32,
	YAML_NODES_MAX = 50000,
	YAML_KEYS_MAX = 1000, /* of one map */
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
	enum node_kind kind;
	bool plain;        /* a scalar without quotes */
	const char *text;  /* a scalar's; valid UTF-8, no NUL in it */
	struct node *key;  /* in a map: the scalar that it stands behind */
	struct node *next; /* in the same list or map */
	struct node *first;
	size_t n; /* of a list or map */
	struct place place;
};

/* The tree lives in a; place.file of every node is name, which must last as long.  NULL: ret says
 * why, at least once. */
struct node *yamltree_read(const char *name, const char *data, size_t len, struct arena *a,
			   struct complaints *ret);
/* What stands behind key; NULL: nothing, or n is no map. */
const struct node *node_find(const struct node *n, const char *key);
/* Nothing was written: "key:" and no more. */
bool node_is_empty(const struct node *n);
/* "a text", "a list", "a map", "nothing": for complaints. */
const char *node_kind_name(const struct node *n);

#endif
