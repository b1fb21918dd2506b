/* SPDX-License-Identifier: Apache-2.0 */
/* procmem.h - the memory of a family of processes, for hosts where no control group counts it. */
#ifndef NATIVE_PROCMEM_H
#define NATIVE_PROCMEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct procmem {
	uint64_t private; /* anonymous, swapped out or not */
	uint64_t shared;  /* shared memory and files in a tmpfs, as far as mapped */
	uint64_t processes;
};

/* Sums up the descendants of ancestor, not itself.  Roughly: each counts what it shares with
 * others.  Exactly: what is shared is divided among those who do; that takes the kernel longer.
 * False if there is nothing to go by. */
bool procmem_sum(pid_t ancestor, bool exactly, struct procmem *ret);

#endif
