/* SPDX-License-Identifier: Apache-2.0 */
/* filemark.c - tells whether a file is the one it was. */
#include "sandbox/native/filemark.h"

#include <string.h>

static int64_t in_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

struct filemark filemark_of(const struct stat *st)
{
	return (struct filemark){
		.device = st->st_dev,
		.inode = st->st_ino,
		.size = (uint64_t)st->st_size,
		.changed_ns = in_ns(&st->st_mtim),
		.status_ns = in_ns(&st->st_ctim),
	};
}

bool filemark_is_same(const struct filemark *a, const struct filemark *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

uint64_t filemark_hash_begin(void)
{
	return UINT64_C(0xcbf29ce484222325);
}

uint64_t filemark_hash(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}
