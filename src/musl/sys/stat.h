/* SPDX-License-Identifier: Apache-2.0 */
/* sys/stat.h - statx with the kernel's own struct: musl before 1.2.5 has none, later an older one.
 */
#ifndef MUSL_SYS_STAT_H
#define MUSL_SYS_STAT_H

#define statx           statx_of_musl
#define statx_timestamp statx_timestamp_of_musl
#include_next <sys/stat.h>
#undef statx
#undef statx_timestamp
#undef STATX_TYPE
#undef STATX_MODE
#undef STATX_NLINK
#undef STATX_UID
#undef STATX_GID
#undef STATX_ATIME
#undef STATX_MTIME
#undef STATX_CTIME
#undef STATX_INO
#undef STATX_SIZE
#undef STATX_BLOCKS
#undef STATX_BASIC_STATS
#undef STATX_BTIME
#undef STATX_ALL

#include <linux/stat.h>
#include <unistd.h>

static inline int statx(int at, const char *path, int flags, unsigned mask, struct statx *ret)
{
	return (int)syscall(SYS_statx, at, path, flags, mask, ret);
}

#endif
