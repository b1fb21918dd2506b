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
#include <stdio.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/spawn.h"
#include "call/call.h"

enum { SCRIBE_FD = SPAWN_FIRST_FD, WORDS_MAX = LAYER_COUNT + 8, WORD_ROOM = 64 };

static int spawn(const char *program, char **argv, int sock, pid_t *ret)
{
	const struct spawn how = {.program = program,
				  .argv = argv,
				  .fds = {sock},
				  .n_fds = 1,
				  .own_session = true,
				  .directory = "/"};

	return spawn_helper(&how, ret);
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
