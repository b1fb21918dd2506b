/* SPDX-License-Identifier: Apache-2.0 */
/* door.c - where a process that is sealed already waits for the call it is for.
 *
 * Also part of what is loaded into interpreters: nothing but system calls.
 */
#include "sandbox/native/door.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union room {
	struct cmsghdr head; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(int) * DOOR_FDS)];
};

int door_send(int door, const int io[3], int words, bool called)
{
	const int fds[DOOR_FDS] = {io[0], io[1], io[2], words};
	struct door_go go = {.magic = DOOR_MAGIC, .called = called};
	struct iovec iov = {.iov_base = &go, .iov_len = sizeof(go)};
	union room room = {0};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room.bytes,
		.msg_controllen = sizeof(room.bytes),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	return sendmsg(door, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(go) ? 0 : -1;
}

int door_wait(int door, int ret_fds[DOOR_FDS], bool *ret_called)
{
	struct door_go go = {0};
	struct iovec iov = {.iov_base = &go, .iov_len = sizeof(go)};
	union room room = {0};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room.bytes,
		.msg_controllen = sizeof(room.bytes),
	};
	const struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(door, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&msg);
	if (n != (ssize_t)sizeof(go) || go.magic != DOOR_MAGIC || !c ||
	    c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int) * DOOR_FDS))
		return -1;
	memcpy(ret_fds, CMSG_DATA(c), sizeof(int) * DOOR_FDS);
	*ret_called = go.called != 0;
	return 0;
}
