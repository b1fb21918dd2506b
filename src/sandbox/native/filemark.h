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
	uint64_t mount;                /* never another one's; 0: not looked at */
	int64_t changed_ns, status_ns; /* mtime, ctime */
};

/* Without the mount: for what lies in file systems that are not mounted anew with other layers. */
struct filemark filemark_of(const struct stat *st);
/* With it, as statx() finds path; a directory of an overlay has the times of its top layer only.
 * -1 with errno: ENOENT if there is nothing, ENOSYS where mounts have no such number (before Linux
 * 6.8). */
int filemark_look(int dir, const char *path, int flags, struct filemark *ret);
bool filemark_is_same(const struct filemark *a, const struct filemark *b);

/* FNV-1a, for names of files that say what they were made from. */
uint64_t filemark_hash_begin(void);
uint64_t filemark_hash(uint64_t hash, const void *data, size_t len);

#endif
