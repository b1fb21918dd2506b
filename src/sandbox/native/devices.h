/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h - /dev of a box: five devices, as nodes of its own where that can be had. */
#ifndef NATIVE_DEVICES_H
#define NATIVE_DEVICES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Launcher, as the host's root: makes the file system of a box's root, the owner's but for the
 * nodes in its dev, and returns it as a detached mount; -1 in *ret_tree where nodes may not be made
 * (no CAP_MKNOD). */
int devices_make(uid_t owner, int *ret_tree, struct error *err);
/* New root in the current directory: what is at dev there is completed and becomes a mount of its
 * own, or else the host's nodes are bound. */
int devices_place(bool own_nodes, struct error *err);

#endif
