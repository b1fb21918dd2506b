/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.c - starts a helper of our own: with the descriptors it is given and no others of ours. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int close_others(posix_spawn_file_actions_t *actions, const struct spawn *s)
{
#ifdef __GLIBC__
	return posix_spawn_file_actions_addclosefrom_np(actions, SPAWN_FIRST_FD + (int)s->n_fds);
#else
	/* musl has no such action, and is in programs of our own only: what their caller left open
	 * may be marked in ourselves. */
	(void)actions;
	return close_range(SPAWN_FIRST_FD + (unsigned)s->n_fds, ~0U, CLOSE_RANGE_CLOEXEC) < 0
		       ? errno
		       : 0;
#endif
}

/* In this order: a single descriptor may have any number, 0, 1 and 2 among them. */
static int place_descriptors(posix_spawn_file_actions_t *actions, const struct spawn *s)
{
	int result = 0;

	for (size_t i = 0; i < s->n_fds && result == 0; i++)
		result = posix_spawn_file_actions_adddup2(actions, s->fds[i],
							  SPAWN_FIRST_FD + (int)i);
	for (int fd = 0; fd < SPAWN_FIRST_FD && result == 0; fd++)
		result = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
	if (s->close_others && result == 0)
		result = close_others(actions, s);
	if (s->directory && result == 0)
		result = posix_spawn_file_actions_addchdir_np(actions, s->directory);
	return result;
}

/* Whatever we ignore or block, it starts with the defaults; in our session a Ctrl-C is for others:
 * it ends with us. */
static int set_attributes(posix_spawnattr_t *attributes, const struct spawn *s)
{
	static const int from_a_terminal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
	sigset_t all, blocked;
	int result;

	(void)sigfillset(&all);
	(void)sigemptyset(&blocked);
	for (size_t i = 0; !s->own_session && i < sizeof(from_a_terminal) / sizeof(int); i++)
		(void)sigaddset(&blocked, from_a_terminal[i]);
	if (s->own_session)
		flags |= POSIX_SPAWN_SETSID;
	result = posix_spawnattr_setflags(attributes, flags);
	if (result == 0)
		result = posix_spawnattr_setsigdefault(attributes, &all);
	if (result == 0)
		result = posix_spawnattr_setsigmask(attributes, &blocked);
	return result;
}

int spawn_helper(const struct spawn *s, pid_t *ret)
{
	static char *const nothing[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int result = posix_spawn_file_actions_init(&actions);

	if (result)
		return result;
	result = posix_spawnattr_init(&attributes);
	if (result == 0) {
		result = place_descriptors(&actions, s);
		if (result == 0)
			result = set_attributes(&attributes, s);
		if (result == 0)
			result = posix_spawn(ret, s->program, &actions, &attributes, s->argv,
					     s->env ? s->env : nothing);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return result;
}
