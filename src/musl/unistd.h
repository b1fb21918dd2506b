/* SPDX-License-Identifier: Apache-2.0 */
/* unistd.h - close_range, which musl has not. */
#ifndef MUSL_UNISTD_H
#define MUSL_UNISTD_H

#include_next <unistd.h>

#include <linux/close_range.h>
#include <sys/syscall.h>

static inline int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

#endif
