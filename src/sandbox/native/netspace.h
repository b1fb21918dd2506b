/* SPDX-License-Identifier: Apache-2.0 */
/* netspace.h - an empty network namespace, made beside other work. */
#ifndef NATIVE_NETSPACE_H
#define NATIVE_NETSPACE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct netspace {
	pid_t maker;
	int fd;         /* in the descriptor table that maker shares with us; -1: not made */
	uint32_t made;  /* 1: it was tried; a futex */
	uint32_t alive; /* 1: the maker is; the kernel writes 0 when it is not */
};

/* The caller's own becomes a new one: its descriptor, or a negative errno.  A child may use libc in
 * our memory meanwhile: this does not touch what libc keeps.  The socket that led to it is the
 * caller's to close, when there is time. */
int netspace_become(int *ret_socket);

/* Or by a child.  Needs a whole /proc in sight.  Until netspace_enter the maker may open a
 * descriptor at any moment: whoever needs a certain number must have taken it before. */
int netspace_begin(struct netspace *n, struct error *err);
/* Waits until it is there and goes in. */
int netspace_enter(struct netspace *n, struct error *err);

#endif
