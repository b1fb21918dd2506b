/* SPDX-License-Identifier: Apache-2.0 */
/* sys/stat.h - statx, which musl has not. */
#ifndef MUSL_SYS_STAT_H
#define MUSL_SYS_STAT_H

#include_next <sys/stat.h>

#include <linux/stat.h>
#include <unistd.h>

static inline int statx(int at, const char *path, int flags, unsigned mask, struct statx *ret)
{
	return (int)syscall(SYS_statx, at, path, flags, mask, ret);
}

#endif
