/* SPDX-License-Identifier: Apache-2.0 */
/* pidspace.h - into a box's pid namespace, as soon as its pid 1 lets itself be looked at. */
#ifndef NATIVE_PIDSPACE_H
#define NATIVE_PIDSPACE_H

/* For the children that are born from now on.  pidfd: of the box's pid 1.  0, or -1 and errno. */
int pidspace_join(int pidfd);

#endif
