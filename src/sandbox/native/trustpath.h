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

/* Like open(path, flags | O_CLOEXEC), without O_CREAT.  Whatever fails is ERR_CALLER; err names the
 * link if there is one, else the path. */
int trustpath_open(const char *path, int flags, struct error *err);
/* The same for a directory, to be read; makes it and those above it where they are not there. */
int trustpath_make_directory(const char *path, struct error *err);

#endif
