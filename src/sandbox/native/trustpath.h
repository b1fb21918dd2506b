/* SPDX-License-Identifier: Apache-2.0 */
/* trustpath.h - opens a path of the host through no link that a program in a box could have left.
 *
 * A program that may write to a directory can leave links there, and they belong to the
 * directory's owner, who may be root.  So it does not help to ask whose a link is: links count only
 * where the system itself keeps them (/bin, /home, /var/run...), in /, /usr and /var, as long as
 * nobody but root may write there.
 */
#ifndef NATIVE_TRUSTPATH_H
#define NATIVE_TRUSTPATH_H

#include "base/error.h"
#include "base/pathrest.h"

/* Like open(path, flags | O_CLOEXEC), without O_CREAT.  Whatever fails is ERR_CALLER; err names the
 * link if there is one, else the path. */
int trustpath_open(const char *path, int flags, struct error *err);

/* A directory that may not be there yet.  What is there of its path is held: no name that somebody
 * gives to something else meanwhile leads elsewhere. */
struct trustdir {
	const char *path;     /* the caller's */
	int fd;               /* -1: it is not there */
	struct pathrest rest; /* from what is there to it */
};

/* Makes nothing; fails also if nothing could be written there. */
int trustdir_find(const char *path, struct trustdir *ret, struct error *err);
/* Makes it and those above it where they are not there; its fd, which stays its own. */
int trustdir_make(struct trustdir *d, struct error *err);
void trustdir_end(struct trustdir *d);

#endif
