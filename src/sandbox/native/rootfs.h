/* SPDX-License-Identifier: Apache-2.0 */
/* rootfs.h - the read-only tree that every box of a slot starts from. */
#ifndef NATIVE_ROOTFS_H
#define NATIVE_ROOTFS_H

#include "base/error.h"
#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* In a mount namespace of our own, which was made while --root, if there is one, was the working
 * directory: builds the tree, makes it the root, and lets go of the host's if there will be more
 * than one box.  Else rootfs_leave_old() is still to be called. */
int rootfs_build(struct plan *plan, struct board *board, struct error *err);
int rootfs_leave_old(struct error *err);

/* Opens what a box has its programs from: the host's root, or --root DIR, whose links stay beneath
 * it.  Returns -1 with errno. */
int rootfs_open_source(const struct plan *plan, const char *name, int flags);
struct source {
	int fd;           /* from rootfs_open_source */
	const char *name; /* the same name */
};

/* New root in the current directory: shows the directory source at target, read-only, by overlay;
 * by a plain bind only where the run may do without that layer. */
int rootfs_cover(const struct plan *plan, struct board *board, const struct source *source,
		 const char *target, struct error *err);

#endif
