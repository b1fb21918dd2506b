/* SPDX-License-Identifier: Apache-2.0 */
/* dirent.h - scandirat, which musl has not. */
#ifndef MUSL_DIRENT_H
#define MUSL_DIRENT_H

#include_next <dirent.h>

int scandirat(int at, const char *path, struct dirent ***ret,
	      int (*keep)(const struct dirent *entry),
	      int (*compare)(const struct dirent **a, const struct dirent **b));

#endif
