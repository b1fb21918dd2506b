/* SPDX-License-Identifier: Apache-2.0 */
/* patterns_key.c - what a database of patterns was made of, as a number. */
#include "redact/patterns.h"

static uint64_t mix(uint64_t hash, const char *text)
{
	/* FNV-1a; the NUL is mixed in, too: it keeps words apart. */
	do {
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	} while (*text++);
	return hash;
}

uint64_t patterns_key(const char *const *finds, size_t n)
{
	uint64_t hash = mix(0xcbf29ce484222325u, hs_version());

	for (size_t i = 0; i < n; i++)
		hash = mix(hash, finds[i]);
	return hash ? hash : 1;
}
