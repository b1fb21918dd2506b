/* SPDX-License-Identifier: Apache-2.0 */
/* netspace.h - an empty network namespace, made beside other work. */
#ifndef NATIVE_NETSPACE_H
#define NATIVE_NETSPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct netspace {
	pid_t maker;
	int fd;        /* in the descriptor table that maker shares with us; -1: not made */
	uint32_t made; /* 1: it was tried; a futex */
	/* Its second work, if there is one: */
	bool errand;
	int mounts;     /* the box's mount namespace */
	uint32_t begin; /* 0: not yet, 1: now, 2: not at all; the maker sleeps on it */
	uint32_t *done; /* board.h, old_root */
	uint32_t *alive;
};

/* Needs a whole /proc in sight.  Until netspace_enter the maker may open a descriptor at any
 * moment: whoever needs a certain number must have taken it before.
 *
 * errand: afterwards the maker unmounts the old root of a box.  The kernel lets whoever unmounts
 * something wait until no processor looks at it any more; that wait need not be the box's.
 * alive: 1 until the maker is dead, or could not be made, then 0. */
void netspace_init(struct netspace *n, bool errand, uint32_t *alive);
/* A box may be in the making meanwhile, in our memory: this does not touch what libc keeps. */
int netspace_begin(struct netspace *n, struct error *err);
/* The box has pivoted: what lies above its root is to go.  mounts: its mount namespace; done: comes
 * to say, and whoever waits there is woken, that it is gone, or that it is still there. */
void netspace_unmount(struct netspace *n, int mounts, uint32_t *done);
/* Waits until it is there and goes in.  The errand may still be under way. */
int netspace_enter(struct netspace *n, struct error *err);
/* Waits until the maker has ended. */
int netspace_reap(struct netspace *n, struct error *err);

#endif
