/* SPDX-License-Identifier: Apache-2.0 */
/* leaving.h - whether a process of ours is on its way out. */
#ifndef SERVE_ROLES_LEAVING_H
#define SERVE_ROLES_LEAVING_H

#include <stdbool.h>
#include <sys/types.h>

/* True from before it lets go of its descriptors: whoever has seen one of them closed finds it so.
 * pid: a child that nobody has waited for.  What cannot be told is false. */
bool leaving(pid_t pid);

#endif
