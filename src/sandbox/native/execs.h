/* SPDX-License-Identifier: Apache-2.0 */
/* execs.h - the programs of a kept box, as its launcher has them: children to wait for. */
#ifndef NATIVE_EXECS_H
#define NATIVE_EXECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/inside.h"
#include "sandbox/native/wire.h"

struct exec_child {
	uint64_t number;
	pid_t pid;
	int fd; /* pidfd */
};

struct execs {
	struct exec_child list[KEPT_EXECS_MAX];
	size_t n;
};

/* Takes a child that runs. */
int execs_add(struct execs *e, uint64_t number, pid_t pid, struct error *err);
/* One that has ended is nobody: then nothing happens. */
void execs_signal(const struct execs *e, uint64_t number, int signal, bool group);
/* Waits for the i-th and takes it off the list; fills in how it ended. */
void execs_reap(struct execs *e, size_t i, struct to_warden *ret);

#endif
