/* SPDX-License-Identifier: Apache-2.0 */
/* letgo.h - a descriptor whose end is the kernel's own work, not that of our exit. */
#ifndef NATIVE_LETGO_H
#define NATIVE_LETGO_H

/* From now until this process ends, the kernel holds what fd stands for; fd stays the caller's.
 * Only saves time: whether it could be done is not told. */
void letgo_at_exit(int fd);

#endif
