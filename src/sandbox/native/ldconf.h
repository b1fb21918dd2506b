/* SPDX-License-Identifier: Apache-2.0 */
/* ldconf.h - reads ld.so.conf: the directories that ldconfig was told about. */
#ifndef NATIVE_LDCONF_H
#define NATIVE_LDCONF_H

#include "sandbox/native/rootdir.h"

/* Called for each directory, in order. */
typedef int ldconf_take(void *context, const char *dir, struct error *err);

/* Reads /etc/ld.so.conf beneath root and what it includes; no file is no directory. */
int ldconf_read(const struct rootdir *root, ldconf_take *take, void *context, struct error *err);

#endif
