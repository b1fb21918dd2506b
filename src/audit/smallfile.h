/* SPDX-License-Identifier: Apache-2.0 */
/* smallfile.h - small files that are replaced as a whole: readers see the old or the new one. */
#ifndef AUDIT_SMALLFILE_H
#define AUDIT_SMALLFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/* Written beside and renamed; durable: also on disk before it takes the name. */
int smallfile_put(int dir, const char *path, const void *data, size_t len, mode_t mode,
		  bool durable, struct error *err);
/* Returns the length; at most room bytes or it fails.  ERR_NOT_FOUND: there is none. */
ssize_t smallfile_get(int dir, const char *path, void *ret, size_t room, struct error *err);
/* Like mkdir -p for what lies beneath dir in front of the last slash of path. */
int smallfile_make_parents(int dir, const char *path, struct error *err);

#endif
