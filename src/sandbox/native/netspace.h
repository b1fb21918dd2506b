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

/* Needs a whole /proc in sight.  Between the two calls no descriptor but /dev/null may be open at
 * 0: the table is shared. */
int netspace_begin(struct netspace *n, struct error *err);
/* Waits until it is there and goes in. */
int netspace_enter(struct netspace *n, struct error *err);

#endif
