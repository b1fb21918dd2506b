/* SPDX-License-Identifier: Apache-2.0 */
/* mounts.h - small verbs over mount(2), for code that builds a tree beneath its current directory.
 */
#ifndef NATIVE_MOUNTS_H
#define NATIVE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/* All paths to targets are relative and made by us: except for mounts_open_target, nothing foreign
 * is in the tree yet. */

int mounts_mkdir(const char *path, mode_t mode, struct error *err);
/* Makes the directories above path, then a directory or an empty file there; fine if it exists. */
int mounts_make_target(const char *path, bool directory, struct error *err);
/* The same where files of the host may be in the tree: through no link.  Returns an O_PATH
 * descriptor for mounts_move. */
int mounts_open_target(const char *path, bool directory, struct error *err);
int mounts_move(int tree, int target, struct error *err);
int mounts_put_file(const char *path, const char *text, size_t len, struct error *err);
int mounts_bind(const char *source, const char *target, bool recursive, struct error *err);
/* A mount that is there already (recursive: and those beneath it) gets these MOUNT_ATTR_ bits too.
 */
int mounts_restrict(const char *target, uint64_t attributes, bool recursive, struct error *err);
/* An overlay of two read-only layers: locks and watches on its files stay within it. */
int mounts_overlay(const char *upper, const char *lower, const char *target, struct error *err);

#endif
