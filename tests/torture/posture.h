/* SPDX-License-Identifier: Apache-2.0 */
/* posture.h - what the kernel says of a process that is about to run its first instruction. */
#ifndef TORTURE_POSTURE_H
#define TORTURE_POSTURE_H

#include <stdio.h>
#include <sys/types.h>

/* Writes "posture KEY VALUE" lines: credentials, namespaces, mounts, limits, groups, descriptors,
 * environment.  The process must be stopped.  Two runs that are sealed alike write the same. */
void posture_write(FILE *log, pid_t pid);

#endif
