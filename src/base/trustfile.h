/* SPDX-License-Identifier: Apache-2.0 */
/* trustfile.h - opens a file that only its owner can have written.
 *
 * Only root and the one who asks may own it or write to it, and the same holds
 * for every directory and link on the way: otherwise somebody else could put
 * another file in its place.  In a directory such as /tmp, where everybody may
 * make files but not touch those of others (sticky), what counts is whose the
 * next part is.
 */
#ifndef BASE_TRUSTFILE_H
#define BASE_TRUSTFILE_H

#include "base/error.h"

/* A regular file, to be read.  ERR_NOT_FOUND: there is none. */
int trustfile_open(const char *path, struct error *err);
/* A directory, to be listed. */
int trustfile_open_directory(const char *path, struct error *err);

#endif
