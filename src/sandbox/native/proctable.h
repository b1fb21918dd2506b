/* SPDX-License-Identifier: Apache-2.0 */
/* proctable.h - the processes of a living box, through its own /proc. */
#ifndef NATIVE_PROCTABLE_H
#define NATIVE_PROCTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "call/inside.h"

/* Do we see the box's processes there, and their namespaces? */
bool proctable_sees(int proc);
/* The mark of this process itself; 0: not known. */
uint64_t proctable_own_mark(void);
/* Kills each that has the mark (the inode of its cgroup namespace); returns how many there were,
 * those that are dying among them, and those of which it could not be told, but no zombies.  -1:
 * nothing can be told. */
int proctable_kill(int proc, uint64_t mark, struct error *err);
/* The time that those with the mark have used, and their children that they waited for. */
uint64_t proctable_cpu_us(int proc, uint64_t mark);
/* The same of all that live in the box. */
uint64_t proctable_all_cpu_us(int proc);

struct proctable_row {
	struct kept_process process;
	uint64_t mark; /* 0: not known */
};

/* At most room; pid 1, which is ours, is left out. */
int proctable_list(int proc, struct proctable_row *ret, size_t room, size_t *ret_n,
		   struct error *err);

/* A line of /proc/PID/stat: the name in it may have any bytes.  -1: it is none. */
int proctable_parse(const char *line, struct kept_process *ret);

#endif
