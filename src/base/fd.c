/* SPDX-License-Identifier: Apache-2.0 */
/* fd.c - descriptors: whole reads and writes, small files, passing them on. */
#include "base/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

/* A descriptor that others made non-blocking takes the rest when somebody has read. */
static bool wait_for_room(int fd)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	return poll(&room, 1, -1) > 0 || errno == EINTR;
}

int fd_write_all(int fd, const void *data, size_t len, struct error *err)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room(fd))))
			continue;
		if (n < 0)
			return fail_sys(err, "write %zu bytes", len);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t fd_read_all(int fd, void *data, size_t len, struct error *err)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, (char *)data + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_sys(err, "read");
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int fd_put_file(int dir, const char *path, const char *text, struct error *err)
{
	own_fd fd = openat(dir, path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);

	if (fd < 0)
		return fail_sys(err, "open %s", path);
	/* These files take one write or none: a partial one would be another value. */
	if (write(fd, text, len) != (ssize_t)len)
		return fail_sys(err, "write '%.60s' to %s", text, path);
	return 0;
}

int fd_get_file(int dir, const char *path, char *ret_text, size_t room, struct error *err)
{
	own_fd fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert(room > 0);
	if (fd < 0)
		return fail_sys(err, "open %s", path);
	n = fd_read_all(fd, ret_text, room, err);
	if (n < 0)
		return fail_in(err, "%s", path);
	if ((size_t)n == room)
		return fail(err, ERR_SYSTEM, "%s is larger than %zu bytes", path, room - 1);
	ret_text[n] = '\0';
	return 0;
}

int fd_send(int sock, const void *data, size_t len, const int *fds, size_t n_fds, struct error *err)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int) * FD_PASS_MAX)];
	} control = {0};
	struct iovec piece = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &piece, .msg_iovlen = 1};
	ssize_t n;

	assert(n_fds <= FD_PASS_MAX);
	if (n_fds) {
		struct cmsghdr *head;

		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		head = CMSG_FIRSTHDR(&msg);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(head), fds, sizeof(int) * n_fds);
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_sys(err, "send a message of %zu bytes", len);
	return n == (ssize_t)len ? 0 : fail(err, ERR_SYSTEM, "a message was sent in part");
}

static size_t collect_fds(struct msghdr *msg, int *fds, size_t room)
{
	size_t n = 0;

	for (struct cmsghdr *head = CMSG_FIRSTHDR(msg); head; head = CMSG_NXTHDR(msg, head)) {
		size_t count;

		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(fd));
			if (n < room)
				fds[n++] = fd;
			else
				(void)close(fd);
		}
	}
	return n;
}

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)close(fds[i]);
}

ssize_t fd_receive_any(int sock, void *ret_data, size_t room, int *ret_fds, size_t *n_fds,
		       struct error *err)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int) * FD_PASS_MAX)];
	} control;
	struct iovec piece = {.iov_base = ret_data, .iov_len = room};
	struct msghdr msg = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	size_t came = 0;
	int reset = 0;
	ssize_t n;

	/* A peer that closed without hearing us out leaves ECONNRESET in front of what it said
	 * before; it is reported once. */
	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !reset++)));
	if (n < 0) {
		if (n_fds)
			*n_fds = 0;
		return fail_sys(err, "receive a message");
	}
	err->sys = n == 0 && reset ? ECONNRESET : err->sys;
	came = collect_fds(&msg, ret_fds, n_fds ? *n_fds : 0);
	if (n_fds)
		*n_fds = came;
	if (!(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && (n > 0 || came == 0))
		return n;
	close_all(ret_fds, came);
	if (n_fds)
		*n_fds = 0;
	return fail(err, ERR_INTERNAL, "a message came that is empty or of more than %zu bytes",
		    room);
}

ssize_t fd_receive(int sock, void *ret_data, size_t len, int *ret_fds, size_t *n_fds,
		   struct error *err)
{
	ssize_t n = fd_receive_any(sock, ret_data, len, ret_fds, n_fds, err);

	if (n <= 0 || n == (ssize_t)len)
		return n;
	if (n_fds) {
		close_all(ret_fds, *n_fds);
		*n_fds = 0;
	}
	return fail(err, ERR_INTERNAL, "a message of %zd bytes came, %zu were due", n, len);
}

int fd_lift(int fd)
{
	int lifted, saved;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	saved = errno;
	(void)close(fd);
	errno = saved;
	return lifted;
}

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

bool fd_refuse_rights(int sock)
{
	const int no = 0;

	return setsockopt(sock, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no)) == 0;
}

bool fd_refuses_rights(int sock)
{
	int passes = 1;
	socklen_t len = sizeof(passes);

	return getsockopt(sock, SOL_SOCKET, SO_PASSRIGHTS, &passes, &len) == 0 && !passes;
}

int fd_name(int fd, char **ret_name, struct error *err)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n < 0)
		return fail_sys(err, "read %s", link);
	if (n == (ssize_t)sizeof(path) || path[0] != '/')
		return fail(err, ERR_SYSTEM, "a file has no usable path");
	*ret_name = strndup(path, (size_t)n);
	return *ret_name ? 0 : fail_sys(err, "keep a path");
}
