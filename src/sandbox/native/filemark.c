/* SPDX-License-Identifier: Apache-2.0 */
/* filemark.c - tells whether a file is the one it was. */
#include "sandbox/native/filemark.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

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

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U
#endif

static int64_t x_in_ns(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000 + t->tv_nsec;
}

int filemark_look(int dir, const char *path, int flags, struct filemark *ret)
{
	struct statx st;

	if (statx(dir, path, flags, STATX_BASIC_STATS | STATX_MNT_ID_UNIQUE, &st) < 0)
		return -1;
	if (!(st.stx_mask & STATX_MNT_ID_UNIQUE))
		return errno = ENOSYS, -1;
	*ret = (struct filemark){
		.device = makedev(st.stx_dev_major, st.stx_dev_minor),
		.inode = st.stx_ino,
		.size = st.stx_size,
		.mount = st.stx_mnt_id,
		.changed_ns = x_in_ns(&st.stx_mtime),
		.status_ns = x_in_ns(&st.stx_ctime),
	};
	return 0;
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
