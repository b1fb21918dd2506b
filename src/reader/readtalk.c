/* SPDX-License-Identifier: Apache-2.0 */
/* readtalk.c - messages between the front and the reader of the log: sent, received, checked. */
#include "reader/readtalk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL, CHUNK = 65536 };

static int send_message(int sock, struct iovec *pieces, size_t n, int fd, struct error *err)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = pieces, .msg_iovlen = n};
	ssize_t sent;

	if (fd >= 0) {
		struct cmsghdr *head = &control.align;

		msg.msg_control = control.room;
		msg.msg_controllen = sizeof(control.room);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? fail_sys(err, "send a message") : 0;
}

int read_send_request(int sock, struct read_request *r, struct error *err)
{
	struct iovec piece = {.iov_base = r, .iov_len = sizeof(*r)};

	r->magic = READ_MAGIC;
	r->version = READ_VERSION;
	return send_message(sock, &piece, 1, -1, err);
}

static int pack_body(const void *data, size_t len, struct error *err)
{
	own_fd fd = memfd_create("belljar-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fail_sys(err, "memfd for an answer");
	if (fd_write_all(fd, data, len, err) < 0)
		return -1;
	return fcntl(fd, F_ADD_SEALS, SEALS) < 0 ? fail_sys(err, "seal an answer") : take_fd(&fd);
}

int read_send_reply(int sock, struct read_reply *r, const void *data, size_t len, struct error *err)
{
	struct iovec pieces[2] = {
		{.iov_base = r, .iov_len = sizeof(*r)},
		{.iov_base = (void *)(uintptr_t)data, .iov_len = len},
	};
	bool inside = len <= READ_INLINE_MAX;
	own_fd fd = -1;

	assert(len <= READ_BODY_MAX);
	r->magic = READ_MAGIC;
	r->version = READ_VERSION;
	r->body_len = len;
	if (!inside) {
		fd = pack_body(data, len, err);
		if (fd < 0)
			return -1;
	}
	return send_message(sock, pieces, inside && len ? 2 : 1, fd, err);
}

/* 1: there is something to receive; -1 with EAGAIN: not yet. */
static int has_news(int sock, struct error *err)
{
	struct pollfd fd = {.fd = sock, .events = POLLIN};
	int ready;

	do
		ready = poll(&fd, 1, 0);
	while (ready < 0 && errno == EINTR);
	if (ready > 0)
		return 1;
	if (ready == 0)
		errno = EAGAIN;
	return fail_sys(err, "receive a message");
}

/* Parameters of a call: terminated whatever came, and nothing behind the end is looked at. */
static void terminate(struct read_request *r)
{
	static const size_t texts[] = {
		offsetof(struct read_request, tool),
		offsetof(struct read_request, client),
		offsetof(struct read_request, session),
		offsetof(struct read_request, status),
		offsetof(struct read_request, decision),
		offsetof(struct read_request, record_kind),
		offsetof(struct read_request, since),
		offsetof(struct read_request, until),
		offsetof(struct read_request, limit),
		offsetof(struct read_request, after),
		offsetof(struct read_request, index),
		offsetof(struct read_request, id),
		offsetof(struct read_request, request_id),
	};

	static_assert(ARRAY_LEN(texts) * READ_TEXT_ROOM + offsetof(struct read_request, tool) ==
			      sizeof(*r),
		      "every text is in the list");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		((char *)r)[texts[i] + READ_TEXT_ROOM - 1] = '\0';
}

int read_take_request(int sock, struct read_request *ret, struct error *err)
{
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n;

	if (has_news(sock, err) < 0)
		return -1;
	n = fd_receive(sock, ret, sizeof(*ret), fds, &n_fds, err);
	if (n <= 0)
		return (int)n;
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
	if (n_fds || ret->magic != READ_MAGIC || ret->version != READ_VERSION ||
	    ret->kind == READ_ASK_NONE || ret->kind >= READ_ASK_COUNT)
		return fail(err, ERR_INTERNAL, "a request came that is none");
	terminate(ret);
	return 1;
}

/* Only what can change no more: it is read while its sender lives on. */
static int read_body(int fd, uint64_t len, struct buf *body, struct error *err)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	char chunk[CHUNK];

	if (seals < 0 || (seals & SEALS) != SEALS)
		return fail(err, ERR_INTERNAL, "an answer came that is not sealed");
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at an answer");
	if (st.st_size < 0 || (uint64_t)st.st_size != len)
		return fail(err, ERR_INTERNAL, "an answer came that is not as long as it says");
	for (uint64_t at = 0; at < len;) {
		ssize_t n = pread(fd, chunk, sizeof(chunk), (off_t)at);

		if (n <= 0)
			return fail_sys(err, "read an answer");
		if (buf_add(body, chunk, (size_t)n, err) < 0)
			return -1;
		at += (uint64_t)n;
	}
	return 0;
}

static int check_reply(const struct read_reply *r, struct error *err)
{
	if (r->magic != READ_MAGIC || r->version != READ_VERSION || r->kind == READ_SAY_NONE ||
	    r->kind >= READ_SAY_COUNT || r->content >= READ_CONTENT_COUNT ||
	    r->body_len > READ_BODY_MAX ||
	    (r->kind == READ_ANSWER && (r->http_status < 200 || r->http_status > 599)))
		return fail(err, ERR_INTERNAL, "an answer came that is none");
	return 0;
}

static int take_body(const struct read_reply *r, const char *inside, size_t n_inside, int fd,
		     struct buf *body, struct error *err)
{
	if (fd >= 0)
		return n_inside == 0 ? read_body(fd, r->body_len, body, err)
				     : fail(err, ERR_INTERNAL, "an answer came with two bodies");
	if (n_inside != r->body_len)
		return fail(err, ERR_INTERNAL, "an answer came that is not as long as it says");
	return buf_add(body, inside, n_inside, err);
}

int read_take_reply(int sock, struct read_reply *ret, struct buf *body, struct error *err)
{
	static_assert(sizeof(*ret) % _Alignof(struct read_reply) == 0, "the body follows it");
	struct {
		struct read_reply reply;
		char body[READ_INLINE_MAX];
	} m;
	int fds[FD_PASS_MAX], result = -1;
	size_t n_fds = FD_PASS_MAX;
	ssize_t n;

	buf_init(body, READ_BODY_MAX);
	if (has_news(sock, err) < 0)
		return -1;
	n = fd_receive_any(sock, &m, sizeof(m), fds, &n_fds, err);
	if (n <= 0)
		return (int)n;
	if ((size_t)n < sizeof(m.reply) || n_fds > 1)
		(void)fail(err, ERR_INTERNAL, "an answer came that is none");
	else if (check_reply(&m.reply, err) == 0 &&
		 take_body(&m.reply, m.body, (size_t)n - sizeof(m.reply), n_fds ? fds[0] : -1, body,
			   err) == 0)
		result = 1;
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
	if (result > 0)
		*ret = m.reply;
	return result;
}
