/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.h - starts a helper of our own: with the descriptors it is given and no others of ours. */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SPAWN_FIRST_FD = 3, SPAWN_FDS_MAX = 2 };

struct spawn {
	const char *program;
	char *const *argv;
	char *const *env; /* NULL: an empty one */
	/* What becomes 3, 4, ...; several must have higher numbers than these.  0, 1 and 2 are
	 * /dev/null. */
	int fds[SPAWN_FDS_MAX];
	size_t n_fds;
	bool own_session;      /* else it stays in ours, and does not hear what a terminal says */
	bool close_others;     /* that are not close-on-exec: the caller's process is not ours */
	const char *directory; /* NULL: ours */
};

/* It starts with no signal ignored.  0, or an errno. */
int spawn_helper(const struct spawn *s, pid_t *ret);

#endif
