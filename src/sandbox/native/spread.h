/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h - two processes that work side by side belong on two processors. */
#ifndef NATIVE_SPREAD_H
#define NATIVE_SPREAD_H

#include <sys/types.h>

/* The kernel tends to keep a new process on the processor of its parent, where the two then wait
 * for each other.  Sent to another one it may come back whenever that is better: its mask stays
 * whole. Only saves time. */
void spread(pid_t pid);

#endif
