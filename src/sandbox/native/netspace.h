/* SPDX-License-Identifier: Apache-2.0 */
/* netspace.h - an empty network namespace, made beside other work. */
#ifndef NATIVE_NETSPACE_H
#define NATIVE_NETSPACE_H

#include <sys/types.h>

#include "base/error.h"

struct netspace {
	pid_t maker;
	int fd; /* in the descriptor table that maker shares with us; -1: not made */
};

/* Needs a whole /proc in sight.  Until netspace_enter the maker may open a descriptor at any
 * moment: whoever needs a certain number must have taken it before. */
int netspace_begin(struct netspace *n, struct error *err);
/* Waits until it is there and goes in. */
int netspace_enter(struct netspace *n, struct error *err);

#endif
