/* SPDX-License-Identifier: Apache-2.0 */
/* procfs.h - a /proc of the pid namespace we are in. */
#ifndef NATIVE_PROCFS_H
#define NATIVE_PROCFS_H

#include "base/error.h"
#include "sandbox/native/board.h"

/* The kernel allows it in a user namespace only while a whole /proc is in sight.  If it cannot be
 * had and the run may do without, nothing is mounted and the layer says so. */
int procfs_mount(const char *target, bool full, struct board *board, struct error *err);

#endif
