/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h - /dev of a box: five devices, as nodes of its own where that can be had. */
#ifndef NATIVE_DEVICES_H
#define NATIVE_DEVICES_H

#include "base/error.h"

/* Launcher, while it is the host's root: makes nodes in a file system of their own and returns it
 * as a detached mount; -1 in *ret_tree where nodes may not be made (no CAP_MKNOD). */
int devices_make(int *ret_tree, struct error *err);
/* New root in the current directory: puts that tree at dev, or with -1 binds the host's nodes. */
int devices_place(int tree, struct error *err);

#endif
