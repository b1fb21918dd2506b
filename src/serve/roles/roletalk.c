/* SPDX-License-Identifier: Apache-2.0 */
/* roletalk.c - messages between supervisor and front, each with at most one descriptor. */
#include "serve/roles/roletalk.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

/* Neither waits for the other: whoever does not read what it is told has stopped working. */
static int send_one(int sock, const struct role_message *m, int fd, struct error *err)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct role_message copy = *m;
	struct iovec piece = {&copy, sizeof(copy)};
	struct msghdr msg = {.msg_iov = &piece, .msg_iovlen = 1};
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *head;

		msg.msg_control = control.room;
		msg.msg_controllen = sizeof(control.room);
		head = CMSG_FIRSTHDR(&msg);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? fail_sys(err, "send a word to another role") : 0;
}

int role_send(int sock, struct role_message *m, int fd, struct error *err)
{
	m->magic = ROLE_MAGIC;
	m->version = ROLE_VERSION;
	return send_one(sock, m, fd, err);
}

int role_take(int sock, struct role_message *ret, int *ret_fd, struct error *err)
{
	struct role_message m;
	own_fd came = -1;
	int fd = -1;
	size_t n_fds = 1;
	ssize_t n = fd_receive(sock, &m, sizeof(m), &fd, &n_fds, err);

	if (n <= 0)
		return n < 0 ? -1 : 0;
	came = n_fds ? fd : -1;
	if (m.magic != ROLE_MAGIC || m.version != ROLE_VERSION)
		return fail(err, ERR_INTERNAL, "a role of another version speaks");
	if (m.word == ROLE_NONE || m.word >= ROLE_COUNT)
		return fail(err, ERR_INTERNAL, "there is no word %u between roles", m.word);
	m.text[sizeof(m.text) - 1] = '\0';
	*ret = m;
	*ret_fd = take_fd(&came);
	return 1;
}
