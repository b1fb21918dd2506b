/* SPDX-License-Identifier: Apache-2.0 */
/* dpkg.h - which files belong together, by Debian's package database; nothing is run. */
#ifndef NATIVE_DPKG_H
#define NATIVE_DPKG_H

#include "base/error.h"

typedef int dpkg_take(void *context, const char *path, struct error *err);

/* Calls take for each path of the package that path belongs to, by the *.list files in the
 * directory info.  1: done.  0: no package has it, or there is no such database. */
int dpkg_siblings(const char *info, const char *path, dpkg_take *take, void *context,
		  struct error *err);

#endif
