/* SPDX-License-Identifier: Apache-2.0 */
/* treewalk.h - goes through a tree of our own making: to list it, or to remove it. */
#ifndef NATIVE_TREEWALK_H
#define NATIVE_TREEWALK_H

#include <sys/stat.h>

#include "base/error.h"

/* One entry; path is relative to the top.  dir and name are for the *at() calls. */
struct treewalk_entry {
	int dir;
	const char *name;
	const char *path;
	struct stat st;
};

typedef int treewalk_take(void *context, const struct treewalk_entry *entry, struct error *err);

/* Visits everything beneath top, links not followed, names in order, a directory before what is
 * in it; stops when take fails. */
int treewalk_visit(int top, treewalk_take *take, void *context, struct error *err);
/* Removes name in dir and all that is in it. */
int treewalk_remove(int dir, const char *name, struct error *err);

#endif
