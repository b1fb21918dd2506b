/* SPDX-License-Identifier: Apache-2.0 */
/* beneath.h - opens files below a directory and nowhere else, whatever lies in between. */
#ifndef NATIVE_BENEATH_H
#define NATIVE_BENEATH_H

#include <stdbool.h>
#include <sys/types.h>

/* openat2(): never above dir, through no symbolic link, through no magic link; beneath_open()
 * also onto no other mount.  Returns a descriptor (close-on-exec), or -1 with errno: ELOOP for a
 * link, EXDEV for a way out. */
int beneath_open(int dir, const char *path, int flags, mode_t mode);
int beneath_open_any_mount(int dir, const char *path, int flags, mode_t mode);

#endif
