/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - reads what a program writes: keeps the first bytes, counts the rest, passes it on.
 *
 * A reader that stopped at its limit would leave the program waiting in write;
 * so everything is read, and what is over the limit is counted and dropped.
 * Only a listener that does not listen makes us wait, and never in write: we
 * have deadlines to keep.
 */
#include "sandbox/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/pages.h"
#include "base/text.h"

enum {
	CHUNK = 65536,
	FILTERED_MAX = 16 << 20, /* what a filter may make of a chunk and what it held back */
};

int capture_open(struct capture *c, struct stream *stream, const struct live *live, uid_t uid,
		 int *ret_write, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe for output");
	*c = (struct capture){.fd = ends[0], .live = *live, .stream = stream};
	*ret_write = ends[1];
	buf_init(&c->filtered, FILTERED_MAX);
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "pipe for output");
	/* Only root can, and only there the program's uid is another one. */
	if (geteuid() == 0 && uid != (uid_t)-1 && fchown(ends[1], uid, (gid_t)-1) < 0)
		return fail_sys(err, "give the pipe to uid %u", uid);
	return 0;
}

void capture_close(struct capture *c)
{
	own_fd_end(&c->fd);
	c->fd = -1;
	pages_free(c->held, CHUNK);
	c->held = NULL;
	buf_done(&c->filtered);
	c->left = 0;
}

void capture_idle(struct capture *c)
{
	if (!c->held || c->left)
		return;
	(void)madvise(c->held, CHUNK, MADV_DONTNEED);
	buf_done(&c->filtered);
	buf_init(&c->filtered, FILTERED_MAX);
}

void capture_wants(const struct capture *c, int *ret_in, int *ret_out)
{
	*ret_in = c->left ? -1 : c->fd;
	*ret_out = c->left ? c->live.fd : -1;
}

static void keep(struct stream *s, const char *data, size_t len)
{
	struct error err = {0};

	if (buf_add(&s->kept, data, len, &err) < 0)
		s->kept.cut = true;
	if (s->kept.cut && !s->truncated) {
		s->truncated = true;
		/* Not through the middle of a character, unless it is no text anyway. */
		s->kept.len = text_utf8_floor(buf_str(&s->kept), s->kept.len);
		if (s->kept.data)
			s->kept.data[s->kept.len] = '\0';
		s->kept.limit = s->kept.len;
	}
}

static bool takes_more(struct capture *c)
{
	struct pollfd listener = {.fd = c->live.fd, .events = POLLOUT};
	int n = poll(&listener, 1, 0);

	if (n < 0 && errno != EINTR)
		c->failed = errno;
	return n > 0;
}

/* A pipe that can be written to takes PIPE_BUF bytes without waiting, blocking or not. */
static void pass_on(struct capture *c)
{
	while (c->left && c->live.fd >= 0 && takes_more(c)) {
		const char *from = c->live.filter.feed ? c->filtered.data : c->held;
		ssize_t n =
			write(c->live.fd, from + c->at, c->left < PIPE_BUF ? c->left : PIPE_BUF);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n < 0) {
			c->failed = errno;
			c->live.fd = -1;
			break;
		}
		c->at += (size_t)n;
		c->left -= (size_t)n;
	}
	if (c->live.fd < 0)
		c->left = 0;
}

static void hand_out(struct capture *c, const char *data, size_t len)
{
	keep(c->stream, data, len);
	if (c->live.hear)
		c->live.hear(c->live.context, data, len);
}

/* What comes out of the filter; c->left is what nobody has written on yet. */
static void take_filtered(void *to, const char *data, size_t len)
{
	struct capture *c = to;
	struct error err = {0};

	hand_out(c, data, len);
	if (c->live.fd < 0)
		return;
	if (buf_add(&c->filtered, data, len, &err) < 0 || c->filtered.cut)
		c->failed = ENOMEM; /* rather nothing than something else */
	c->left = c->filtered.len - c->at;
}

static void start_filtered(struct capture *c)
{
	if (c->left == 0) {
		c->filtered.len = 0;
		c->at = 0;
	}
}

void capture_finish(struct capture *c)
{
	if (!c->live.filter.feed || c->finished)
		return;
	c->finished = true;
	start_filtered(c);
	if (!c->live.filter.finish(c->live.filter.context, take_filtered, c))
		c->stop = true;
}

static void take_chunk(struct capture *c, size_t len)
{
	const struct filter *filter = &c->live.filter;

	/* What the program wrote counts, not what is left of it: a flood is a flood. */
	c->stream->seen += len;
	if (filter->feed) {
		start_filtered(c);
		if (!filter->feed(filter->context, c->held, len, take_filtered, c))
			c->stop = true;
		return;
	}
	hand_out(c, c->held, len);
	c->at = 0;
	c->left = len;
}

/* Nobody can write any more, and nothing was written that is still to be read. */
static bool is_at_end(const struct capture *c)
{
	struct pollfd fd = {.fd = c->fd, .events = POLLIN};

	return poll(&fd, 1, 0) > 0 && fd.revents == POLLHUP;
}

/* Room is made when there is something to read: many programs say nothing. */
static ssize_t read_some(struct capture *c)
{
	if (!c->held && is_at_end(c))
		return 0;
	if (!c->held)
		c->held = pages_new(CHUNK);
	return c->held ? read(c->fd, c->held, CHUNK) : -1;
}

static void take(struct capture *c)
{
	ssize_t n = read_some(c);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		c->failed = n < 0 ? errno : c->failed;
		own_fd_end(&c->fd);
		c->fd = -1;
		capture_finish(c);
		return;
	}
	take_chunk(c, (size_t)n);
}

void capture_move(struct capture *c)
{
	if (c->left == 0 && c->fd >= 0)
		take(c);
	pass_on(c);
}

void capture_drain(struct capture *c, uint64_t until_us)
{
	uint64_t now;

	while (c->fd >= 0 && c->left == 0 && (now = clock_us()) < until_us) {
		struct pollfd fd = {.fd = c->fd, .events = POLLIN};
		int n = poll(&fd, 1, (int)((until_us - now) / 1000));

		if (n < 0 && errno != EINTR)
			c->failed = errno;
		if (n == 0 || c->failed)
			break;
		capture_move(c);
	}
}
