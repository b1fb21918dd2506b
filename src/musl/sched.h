/* SPDX-License-Identifier: Apache-2.0 */
/* sched.h - getcpu, which musl has not. */
#ifndef MUSL_SCHED_H
#define MUSL_SCHED_H

#include_next <sched.h>

#include <unistd.h>

static inline int getcpu(unsigned *cpu, unsigned *node)
{
	return (int)syscall(SYS_getcpu, cpu, node, NULL);
}

#endif
