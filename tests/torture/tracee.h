/* SPDX-License-Identifier: Apache-2.0 */
/* tracee.h - one process of the traced tree, and the registers the injector may change.
 *
 * A process is named by its place in the tree, not by its number: "0" is the
 * command, "0.1" its second child, "0.1.0" that one's first.  Places, unlike
 * pids, are the same in every run, so that a fault can be aimed.
 */
#ifndef TORTURE_TRACEE_H
#define TORTURE_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PLACE_MAX = 64, TRACEES_MAX = 512 };

struct tracee {
	pid_t pid;
	char place[PLACE_MAX]; /* empty until its parent's event has been seen */
	unsigned children;
	uint64_t calls;
	uint64_t ld_from, ld_to; /* where the dynamic loader is mapped */
	int owed_errno;          /* to be put in place of the result at the call's exit */
	uint64_t owed_first;     /* the call's first argument, to be put back then */
	bool waiting;            /* stopped at birth, not yet placed */
	bool daemon;             /* not waited for */
};

struct tracees {
	struct tracee all[TRACEES_MAX];
	size_t n;
};

struct tracee *tracees_find(struct tracees *t, pid_t pid);
/* NULL when the table is full. */
struct tracee *tracees_add(struct tracees *t, pid_t pid);
void tracees_drop(struct tracees *t, pid_t pid);

/* The child takes the next place beneath its parent and what fork copies. */
void tracee_place(struct tracee *child, struct tracee *parent);
/* Looks where the loader lies in a freshly executed program; a static one has none. */
void tracee_find_loader(struct tracee *t);

/* At a system call's entry: do nothing instead. */
int tracee_skip_call(const struct tracee *t);
/* At its exit: this is what it returned. */
int tracee_set_result(const struct tracee *t, long result);

#endif
