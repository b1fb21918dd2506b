/* SPDX-License-Identifier: Apache-2.0 */
/* box.h - an empty box: fresh namespaces, its own /proc, /work and /tmp, and a pid 1. */
#ifndef NATIVE_BOX_H
#define NATIVE_BOX_H

#include "base/error.h"
#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

struct box {
	pid_t init; /* 0: there is no box */
	int pidfd;  /* of init */
	int leash;  /* write end: init exits when the last holder is gone */
	int work;   /* the box's /work; stays readable after its death */
	int rules;  /* what its program may do to which file; -1: Landlock is not in force */
	int mounts; /* its mount namespace: held so that taking it down is off the path */
	int proc;   /* its /proc; -1: it has none, or nobody wants it */
	int root;   /* O_PATH */
	int ready;  /* while it is being made: readable when it is built, or cannot be */
	struct maker *maker; /* the same; NULL: nobody makes it */
	struct limits made_for;
};

/* Inodes of the box's disk that are ours. */
enum { BOX_OWN_INODES = 4 };

void box_init(struct box *box);
/* For a single program (plan.h), before its box is made: what we bear from here on is in it. */
int box_enter_spaces(struct error *err);
int box_make(struct box *box, struct plan *plan, const struct limits *limits, struct board *board,
	     struct error *err);
/* The same in two halves, between which it is being made by a child in our memory, who uses libc.
 * What the caller does meanwhile must not fail in the ordinary course (errno is the child's as
 * well), and takes nothing from the heap. */
int box_begin(struct box *box, struct plan *plan, const struct limits *limits, struct board *board,
	      struct error *err);
int box_await(struct box *box, struct error *err); /* -1: it is still to be killed */
/* For who was born while it was made: it is built, and awaited or not. */
void box_lend(const struct box *box, int *ret_root, int *ret_rules);
/* Kills everything in it and waits.  The program must have been waited for.  Safe to call twice.
 * Was pid 1 alive until now? */
bool box_kill(struct box *box);
/* Lets go of its files and mounts. */
void box_done(struct box *box);

#endif
