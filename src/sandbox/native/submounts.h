/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.h - what is mounted beneath a directory of the host that is to be granted. */
#ifndef NATIVE_SUBMOUNTS_H
#define NATIVE_SUBMOUNTS_H

#include <stddef.h>

#include "base/error.h"

/* Counts the mounts beneath the file behind fd.  Fails, ERR_CALLER, if one of them, or what the
 * file itself lies on, is a file system of the kernel: those show the host, not files. */
int submounts_check(int fd, size_t *ret_count, struct error *err);

#endif
