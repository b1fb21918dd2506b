/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - the hashes of the log, and how they are written.
 *
 * SHA-256 by the functions of libcrypto that are deprecated in favour of ones
 * that load providers and allocate: a leaf is hashed in less time than that takes.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <string.h>

#include "audit/tree.h"

void hash_bytes(const void *data, size_t len, struct hash *ret)
{
	SHA256_CTX s;

	(void)SHA256_Init(&s);
	(void)SHA256_Update(&s, data, len);
	(void)SHA256_Final(ret->bytes, &s);
}

void hash_leaf(const void *line, size_t len, struct hash *ret)
{
	static const uint8_t mark = 0;
	SHA256_CTX s;

	(void)SHA256_Init(&s);
	(void)SHA256_Update(&s, &mark, 1);
	(void)SHA256_Update(&s, line, len);
	(void)SHA256_Final(ret->bytes, &s);
}

void hash_node(const struct hash *left, const struct hash *right, struct hash *ret)
{
	uint8_t both[1 + 2 * HASH_BYTES] = {1};
	SHA256_CTX s;

	memcpy(both + 1, left->bytes, HASH_BYTES);
	memcpy(both + 1 + HASH_BYTES, right->bytes, HASH_BYTES);
	(void)SHA256_Init(&s);
	(void)SHA256_Update(&s, both, sizeof(both));
	(void)SHA256_Final(ret->bytes, &s);
}

void hash_hex(const struct hash *h, char ret_hex[static HASH_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < HASH_BYTES; i++) {
		ret_hex[2 * i] = digits[h->bytes[i] >> 4];
		ret_hex[2 * i + 1] = digits[h->bytes[i] & 15];
	}
	ret_hex[HASH_HEX - 1] = '\0';
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hash_from_hex(const char *hex, size_t len, struct hash *ret)
{
	if (len != HASH_HEX - 1)
		return false;
	for (size_t i = 0; i < HASH_BYTES; i++) {
		int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool hash_equal(const struct hash *a, const struct hash *b)
{
	return memcmp(a->bytes, b->bytes, HASH_BYTES) == 0;
}
