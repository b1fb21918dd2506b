/* SPDX-License-Identifier: Apache-2.0 */
/* keeptalk.c - messages between the front and a keeper: sent whole, and checked when they come.
 *
 * A small body is behind the struct.  A large one is in a memfd that is sealed
 * before it is sent: whoever takes it looks at the seals and at the size, and
 * then nobody can change it while it is read.
 */
#include "keeper/keeptalk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "base/own.h"
#include "call/why.h"

enum { SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW };

/* Sending. */

static int seal_body(const void *data, size_t len, struct error *err)
{
	own_fd fd = memfd_create("belljar-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fail_sys(err, "make room for a body");
	if (fd_write_all(fd, data, len, err) < 0)
		return -1;
	if (fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal a body");
	return take_fd(&fd);
}

enum { FDS_MAX = 2 }; /* the body's, and behind it a stream */

static int send_pieces(int sock, struct iovec *pieces, size_t n, const int fds[FDS_MAX],
		       struct error *err)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control = {0};
	size_t n_fds = 0;
	int given[FDS_MAX];
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = n};
	ssize_t sent;

	for (size_t i = 0; i < FDS_MAX; i++)
		if (fds[i] >= 0)
			given[n_fds++] = fds[i];
	if (n_fds) {
		message.msg_control = control.room;
		message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.head), given, n_fds * sizeof(int));
	}
	do
		sent = sendmsg(sock, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? fail_sys(err, "send a message") : 0;
}

static int send_message(int sock, struct iovec head, const void *data, size_t len, int stream,
			struct error *err)
{
	struct iovec pieces[] = {head, {(void *)(uintptr_t)data, len}};
	own_fd fd = -1;

	if (len > KEEP_BODY_MAX)
		return fail(err, ERR_INTERNAL, "a body of %zu bytes", len);
	if (len <= KEEP_INLINE_MAX)
		return send_pieces(sock, pieces, len ? 2 : 1, (int[FDS_MAX]){-1, stream}, err);
	fd = seal_body(data, len, err);
	return fd < 0 ? -1 : send_pieces(sock, pieces, 1, (int[FDS_MAX]){fd, stream}, err);
}

int keep_send_request(int sock, struct keep_request *r, const void *data, size_t len,
		      struct error *err)
{
	r->magic = KEEP_MAGIC;
	r->version = KEEP_VERSION;
	r->body_len = len;
	return send_message(sock, (struct iovec){r, sizeof(*r)}, data, len, -1, err);
}

int keep_send_reply(int sock, struct keep_reply *r, const void *data, size_t len, struct error *err)
{
	r->magic = KEEP_MAGIC;
	r->version = KEEP_VERSION;
	r->body_len = len;
	return send_message(sock, (struct iovec){r, sizeof(*r)}, data, len, -1, err);
}

int keep_send_open(int sock, struct keep_request *r, int stream, const struct buf *body,
		   struct error *err)
{
	r->magic = KEEP_MAGIC;
	r->version = KEEP_VERSION;
	r->body_len = body ? body->len : 0;
	r->number = stream >= 0;
	return send_message(sock, (struct iovec){r, sizeof(*r)}, body ? body->data : NULL,
			    r->body_len, stream, err);
}

int keep_send_begun(int sock, struct keep_reply *r, int stream, const struct buf *body,
		    struct error *err)
{
	r->magic = KEEP_MAGIC;
	r->version = KEEP_VERSION;
	r->body_len = body ? body->len : 0;
	r->has_stream = stream >= 0;
	return send_message(sock, (struct iovec){r, sizeof(*r)}, body ? body->data : NULL,
			    r->body_len, stream, err);
}

/* Checking. */

struct arrived {
	size_t size; /* of the struct that should have come */
	size_t came;
	size_t n_fds;
	bool stream; /* one should have come */
};

/* In this order: a peer of another version has messages of another size. */
static int check_head(uint32_t magic, uint32_t version, const struct arrived *a, struct error *err)
{
	if (a->came < 2 * sizeof(uint32_t) || magic != KEEP_MAGIC)
		return fail(err, ERR_INTERNAL, "a message of %zu bytes came that is not belljar's",
			    a->came);
	if (version != KEEP_VERSION)
		return fail(err, ERR_CONFIG,
			    "the programs of belljar are of different versions: they speak %u and "
			    "%u; install all from one release",
			    KEEP_VERSION, version);
	return a->came < a->size ? fail(err, ERR_INTERNAL, "a message of %zu bytes came", a->came)
				 : 0;
}

static int check_body(uint64_t len, const struct arrived *a, struct error *err)
{
	bool large = len > KEEP_INLINE_MAX;

	if (len > KEEP_BODY_MAX || a->n_fds != (size_t)large + a->stream ||
	    a->came - a->size != (large ? 0 : (size_t)len))
		return fail(err, ERR_INTERNAL,
			    "a body of %ju bytes was told, and %zu came behind the message, and "
			    "%zu files",
			    (uintmax_t)len, a->came - a->size, a->n_fds);
	return 0;
}

static bool has_stream(const struct keep_request *r)
{
	return r->kind == KEEP_OPEN && r->number == 1;
}

#define IS_TEXT(member) (memchr((member), '\0', sizeof(member)) != NULL)

int keep_check_request(const struct keep_request *r, size_t came, size_t n_fds, struct error *err)
{
	const struct arrived a = {sizeof(*r), came, n_fds, has_stream(r)};

	if (check_head(r->magic, r->version, &a, err) < 0 || check_body(r->body_len, &a, err) < 0)
		return -1;
	if (r->kind == KEEP_ASK_NONE || r->kind >= KEEP_ASK_COUNT || r->shape > SHAPE_TOOL ||
	    r->has_uid > 1 || r->follows > 1 || r->alone >= ALONE_COUNT)
		return fail(err, ERR_INTERNAL, "a request of kind %u, shape %u", r->kind, r->shape);
	if (!IS_TEXT(r->client) || !IS_TEXT(r->request_id) || !IS_TEXT(r->tool) ||
	    !IS_TEXT(r->path) || !IS_TEXT(r->id))
		return fail(err, ERR_INTERNAL, "a text of a request has no end");
	return 0;
}

int keep_check_reply(const struct keep_reply *r, size_t came, size_t n_fds, struct error *err)
{
	const struct arrived a = {sizeof(*r), came, n_fds,
				  r->kind == KEEP_BEGUN && r->has_stream == 1};

	if (check_head(r->magic, r->version, &a, err) < 0 || check_body(r->body_len, &a, err) < 0)
		return -1;
	if (r->kind == KEEP_SAY_NONE || r->kind >= KEEP_SAY_COUNT || r->content > CONTENT_OCTETS ||
	    r->detach > 1)
		return fail(err, ERR_INTERNAL, "a reply of kind %u, content %u", r->kind,
			    r->content);
	if (r->start_len && (r->kind != KEEP_ANSWER || r->start_len > r->body_len))
		return fail(err, ERR_INTERNAL, "a start of %u bytes", r->start_len);
	if (r->kind == KEEP_OUTPUT && r->stream != 1 && r->stream != 2)
		return fail(err, ERR_INTERNAL, "output of stream %u", r->stream);
	if (r->kind == KEEP_ANSWER && (r->http_status < 200 || r->http_status > 599))
		return fail(err, ERR_INTERNAL, "an answer with status %u", r->http_status);
	if (r->facts.status >= STATUS_COUNT || r->facts.kill_reason >= KILL_COUNT ||
	    r->facts.decision > KEEP_DECISION_MAX || r->facts.ran > 1 || r->facts.judged > 1 ||
	    r->facts.layer >= WHY_COUNT || r->facts.start >= START_COUNT || r->facts.wanted > 1)
		return fail(err, ERR_INTERNAL, "a reply with facts that are none");
	if (!IS_TEXT(r->id) || !IS_TEXT(r->facts.tool) || !IS_TEXT(r->facts.rule))
		return fail(err, ERR_INTERNAL, "a text of a reply has no end");
	for (size_t i = 0; i < KEEP_COUNTS; i++)
		if (!IS_TEXT(r->facts.redacted[i].name) || !IS_TEXT(r->facts.found[i].name))
			return fail(err, ERR_INTERNAL, "a name of a reply has no end");
	return 0;
}

/* Taking. */

/* What is behind the struct, or in the file: sealed, of the size that was told. */
static int take_body(struct buf *body, const char *behind, uint64_t len, int fd, struct error *err)
{
	char chunk[16384];
	struct stat st;
	int seals;
	ssize_t n;

	if (len > body->limit)
		return fail(err, ERR_CALLER, "a body of %ju bytes; at most %zu are taken",
			    (uintmax_t)len, body->limit);
	if (fd < 0)
		return buf_add(body, behind, (size_t)len, err);
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < 0 || (uint64_t)st.st_size != len)
		return fail(err, ERR_INTERNAL, "a body came that could change");
	for (off_t at = 0; (uint64_t)at < len; at += n) {
		n = pread(fd, chunk, sizeof(chunk), at);
		if (n <= 0)
			return fail_sys(err, "read a body");
		if (buf_add(body, chunk, (size_t)n, err) < 0)
			return -1;
	}
	return 0;
}

static ssize_t receive(int sock, void *room, size_t size, int ret_fds[FDS_MAX], size_t *ret_n,
		       struct error *err)
{
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = fd_receive_any(sock, room, size, fds, &n_fds, err);

	*ret_n = 0;
	if (n > 0 && n_fds <= FDS_MAX) {
		memcpy(ret_fds, fds, n_fds * sizeof(*fds));
		*ret_n = n_fds;
		return n;
	}
	for (size_t i = 0; n > 0 && i < n_fds; i++)
		(void)close(fds[i]);
	return n > 0 ? fail(err, ERR_INTERNAL, "a message came with %zu files", n_fds) : n;
}

/* Of the files that came the last is the stream, if there should be one. */
static int take_rest(struct buf *body, const char *behind, uint64_t len, int *body_fd,
		     int *stream_fd, struct error *err)
{
	if (len <= KEEP_INLINE_MAX && *body_fd >= 0) {
		*stream_fd = *body_fd;
		*body_fd = -1;
	}
	return take_body(body, behind, len, *body_fd, err);
}

int keep_take_request_with(int sock, struct keep_request *ret, struct buf *body, int *ret_stream,
			   struct error *err)
{
	struct {
		struct keep_request head;
		char body[KEEP_INLINE_MAX];
	} message;
	int fds[FDS_MAX] = {-1, -1};
	size_t n_fds;
	ssize_t n = receive(sock, &message, sizeof(message), fds, &n_fds, err);
	own_fd first = fds[0], second = fds[1];

	if (n <= 0)
		return (int)n;
	if (keep_check_request(&message.head, (size_t)n, n_fds, err) < 0 ||
	    take_rest(body, message.body, message.head.body_len, &first, &second, err) < 0)
		return -1;
	*ret = message.head;
	*ret_stream = take_fd(&second);
	return 1;
}

int keep_take_reply_with(int sock, struct keep_reply *ret, struct buf *body, int *ret_stream,
			 struct error *err)
{
	struct {
		struct keep_reply head;
		char body[KEEP_INLINE_MAX];
	} message;
	int fds[FDS_MAX] = {-1, -1};
	size_t n_fds;
	ssize_t n = receive(sock, &message, sizeof(message), fds, &n_fds, err);
	own_fd first = fds[0], second = fds[1];

	if (n <= 0)
		return (int)n;
	if (keep_check_reply(&message.head, (size_t)n, n_fds, err) < 0 ||
	    take_rest(body, message.body, message.head.body_len, &first, &second, err) < 0)
		return -1;
	*ret = message.head;
	*ret_stream = take_fd(&second);
	return 1;
}

int keep_take_request(int sock, struct keep_request *ret, struct buf *body, struct error *err)
{
	own_fd stream = -1;

	return keep_take_request_with(sock, ret, body, &stream, err);
}

int keep_take_reply(int sock, struct keep_reply *ret, struct buf *body, struct error *err)
{
	own_fd stream = -1;

	return keep_take_reply_with(sock, ret, body, &stream, err);
}
