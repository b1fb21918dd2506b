/* SPDX-License-Identifier: Apache-2.0 */
/* newborn.h - the process of the only program, born before its box is built.
 *
 * It seals itself as soon as the box is there, while the launcher still makes
 * the network namespace: that takes as long as the box, and the sealing goes
 * on beside it.
 */
#ifndef NATIVE_NEWBORN_H
#define NATIVE_NEWBORN_H

#include "sandbox/native/box.h"
#include "sandbox/native/payload.h"

struct newborn {
	pid_t pid; /* 0: there is none */
	struct payload *payload;
	const struct box *box;
	struct board *board;
};

/* In the namespaces of the box, after its pid 1.  It has our memory and our descriptors, and sleeps
 * until newborn_start. */
int newborn_bear(struct newborn *n, const struct box *box, struct board *board, struct error *err);
/* It is not wanted: killed, and waited for.  Not later than pid 1 of its box, which ends after the
 * last of the others was waited for. */
void newborn_drop(struct newborn *n);
/* Tells it what it is to become.  From here on it uses libc, whose errno we share: the caller keeps
 * to raw calls until newborn_await. */
void newborn_start(struct newborn *n, struct payload *p);
/* The box's network namespace is there: its descriptor. */
void newborn_network(struct newborn *n, int fd);
/* As payload_start, but that nobody is to be waited for after a failure. */
int newborn_await(struct newborn *n, pid_t *ret_pid, struct error *err);

#endif
