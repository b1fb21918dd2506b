/* SPDX-License-Identifier: Apache-2.0 */
/* inherit.c - a helper that our process started before it became what it is now.
 *
 * belljar starts one beside belljar-call, which it becomes: the two know each
 * other from then on as parent and child, whoever the program is.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/spawn.h"
#include "base/text.h"
#include "lib/remote.h"

/* Who made it is a process of ours: no other is to be waited for, or told anything. */
static bool is_own_socket(int fd)
{
	struct ucred maker = {0};
	socklen_t len = sizeof(maker);
	int kind = 0;
	socklen_t kind_len = sizeof(kind);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &kind_len) == 0 &&
	       kind == SOCK_SEQPACKET &&
	       getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &maker, &len) == 0 && maker.pid == getpid();
}

static bool is_own_child(pid_t pid)
{
	siginfo_t info;

	return pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void remote_inherit(struct remote *r, const char *words)
{
	struct error ignored;
	own_fd sock = -1;
	uint64_t fd, pid;
	char number[24];
	size_t len;

	remote_init(r);
	len = words ? strcspn(words, ":") : 0;
	if (len == 0 || len >= sizeof(number) || words[len] != ':')
		return;
	(void)snprintf(number, sizeof(number), "%.*s", (int)len, words);
	if (text_parse_uint(number, &fd, &ignored) < 0 || fd < SPAWN_FIRST_FD || fd > INT_MAX ||
	    !is_own_socket((int)fd))
		return;
	sock = (int)fd; /* ours, also if nobody is found at its other end */
	if (fcntl(sock, F_SETFD, FD_CLOEXEC) < 0 ||
	    text_parse_uint(words + len + 1, &pid, &ignored) < 0 || pid > INT_MAX ||
	    !is_own_child((pid_t)pid))
		return;
	r->pidfd = pidfd_open((pid_t)pid, 0);
	if (r->pidfd < 0)
		return;
	r->sock = take_fd(&sock);
	r->pid = (pid_t)pid;
}
