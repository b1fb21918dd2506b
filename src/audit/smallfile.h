/* SPDX-License-Identifier: Apache-2.0 */
/* smallfile.h - small files that are replaced as a whole: readers see the old or the new one. */
#ifndef AUDIT_SMALLFILE_H
#define AUDIT_SMALLFILE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum {
	SMALLFILE_PUBLIC = 1,  /* others may read it */
	SMALLFILE_DURABLE = 2, /* it is on disk before it takes the name */
	SMALLFILE_SHARED = 4,  /* others may be putting the same one at this moment */
};

/* Written beside and renamed. */
int smallfile_put(int dir, const char *path, const void *data, size_t len, unsigned how,
		  struct error *err);
/* Returns the length; at most room bytes or it fails.  ERR_NOT_FOUND: there is none. */
ssize_t smallfile_get(int dir, const char *path, void *ret, size_t room, struct error *err);
/* Like mkdir -p for what lies beneath dir in front of the last slash of path. */
int smallfile_make_parents(int dir, const char *path, struct error *err);

#endif
