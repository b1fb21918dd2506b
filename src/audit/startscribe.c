/* SPDX-License-Identifier: Apache-2.0 */
/* startscribe.c - a scribe for a log that has none.
 *
 * By posix_spawn and in a session of its own: it serves other callers when this
 * one is gone, and a Ctrl-C is not for it.  Of the caller it keeps one socket
 * and nothing else: what it inherits beside it, it closes first of all.
 */
#include "audit/startscribe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/own.h"
#include "call/call.h"

enum { SCRIBE_FD = 3, WORDS_MAX = LAYER_COUNT + 8, WORD_ROOM = 64 };

/* In this order: the socket may have any number, 0, 1 and 2 among them. */
static int place_descriptors(posix_spawn_file_actions_t *actions, int sock)
{
	int result = posix_spawn_file_actions_adddup2(actions, sock, SCRIBE_FD);

	for (int fd = 0; fd < SCRIBE_FD && result == 0; fd++)
		result = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
	if (result == 0)
		result = posix_spawn_file_actions_addchdir_np(actions, "/");
	return result;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t all, none;
	int result;

	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	result = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
							      POSIX_SPAWN_SETSIGMASK);
	if (result == 0)
		result = posix_spawnattr_setsigdefault(attributes, &all);
	if (result == 0)
		result = posix_spawnattr_setsigmask(attributes, &none);
	return result;
}

static int spawn(const char *program, char **argv, int sock, pid_t *ret)
{
	static char *const nothing[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int result = posix_spawn_file_actions_init(&actions);

	if (result)
		return result;
	result = posix_spawnattr_init(&attributes);
	if (result == 0) {
		result = place_descriptors(&actions, sock);
		if (result == 0)
			result = set_attributes(&attributes);
		if (result == 0)
			result = posix_spawn(ret, program, &actions, &attributes, argv, nothing);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return result;
}

static int start(const char *program, const char *directory, uint32_t allow_degraded, int sock,
		 pid_t *ret_child)
{
	char degraded[LAYER_COUNT][WORD_ROOM], fd[8];
	const char *argv[WORDS_MAX] = {"belljar-scribe", "--fd", fd};
	size_t n = 3;

	(void)snprintf(fd, sizeof(fd), "%d", SCRIBE_FD);
	for (int i = 0; i < LAYER_COUNT; i++) {
		if (!(allow_degraded & 1u << i))
			continue;
		(void)snprintf(degraded[i], WORD_ROOM, "--allow-degraded=%s",
			       layer_name((enum layer)i));
		argv[n++] = degraded[i];
	}
	argv[n++] = "--";
	argv[n++] = directory;
	return spawn(program, (char **)argv, sock, ret_child);
}

int scribe_start(const char *program, const char *directory, uint32_t allow_degraded,
		 pid_t *ret_child, struct error *err)
{
	own_fd ours = -1, theirs = -1;
	int ends[2], result;

	if (!program || program[0] != '/')
		return fail(err, ERR_CONFIG, "there is no program for the audit log");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "make a socket");
	ours = ends[0];
	theirs = ends[1];
	result = start(program, directory, allow_degraded, theirs, ret_child);
	if (result == 0)
		return take_fd(&ours);
	errno = result;
	return fail_sys(err, "start %s", program);
}
