/* SPDX-License-Identifier: Apache-2.0 */
/* rolespawn.h - a process with exactly what it is given: words, descriptors, nothing else. */
#ifndef SERVE_ROLES_ROLESPAWN_H
#define SERVE_ROLES_ROLESPAWN_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum { SPAWN_FDS_MAX = 40, SPAWN_FIRST_FD = 3 };

struct spawn {
	const char *program;     /* an absolute path */
	const char *const *argv; /* NULL-terminated */
	const char *const *env;  /* NULL: none */
	const int *fds;          /* become 3, 4, ... */
	size_t n_fds;
	int out; /* its standard output; -1: /dev/null */
	int err; /* its standard error; -1: /dev/null */
};

/* In a session of its own, with no signal blocked, ignored or caught, in /.  ret_pidfd is readable
 * when it has ended; the caller waits for it by pid. */
int spawn_start(const struct spawn *s, pid_t *ret_pid, int *ret_pidfd, struct error *err);

#endif
