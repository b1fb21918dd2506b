/* SPDX-License-Identifier: Apache-2.0 */
/* filemark.h - tells whether a file is the one it was. */
#ifndef NATIVE_FILEMARK_H
#define NATIVE_FILEMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Nobody can change a file, or what a directory lists, without changing this.  All zero: there is
 * nothing.  No gaps: it may be compared, kept and hashed as bytes. */
struct filemark {
	uint64_t device, inode, size;
	int64_t changed_ns, status_ns; /* mtime, ctime */
};

struct filemark filemark_of(const struct stat *st);
bool filemark_is_same(const struct filemark *a, const struct filemark *b);

/* FNV-1a, for names of files that say what they were made from. */
enum { FILEMARK_HASH_HEX = 16 };
uint64_t filemark_hash_begin(void);
uint64_t filemark_hash(uint64_t hash, const void *data, size_t len);

#endif
