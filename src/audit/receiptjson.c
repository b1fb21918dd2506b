/* SPDX-License-Identifier: Apache-2.0 */
/* receiptjson.c - a receipt, as answers carry it. */
#include <string.h>

#include "audit/announce.h"
#include "audit/tree.h"

void audit_receipt_json(const struct audit_receipt *r, struct jsonout *j, const char *key)
{
	struct hash leaf;
	char hex[HASH_HEX];

	if (!r->given) {
		jsonout_null(j, key);
		return;
	}
	memcpy(leaf.bytes, r->leaf_hash, sizeof(leaf.bytes));
	hash_hex(&leaf, hex);
	jsonout_object(j, key);
	jsonout_uint(j, "index", r->index);
	jsonout_str(j, "leaf_hash", hex);
	jsonout_object_end(j);
}
