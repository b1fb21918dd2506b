/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - reads what a program writes: keeps the first bytes, counts the rest, never stops.
 *
 * A reader that stopped at its limit would leave the program waiting in write;
 * so everything is read, and what is over the limit is counted and dropped.
 */
#include "sandbox/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"

int capture_open(struct capture *c, struct stream *stream, const struct live *live, uid_t uid,
		 int *ret_write, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe for output");
	*c = (struct capture){.fd = ends[0], .live = *live, .stream = stream};
	*ret_write = ends[1];
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "pipe for output");
	/* Only root can, and only there the program's uid is another one. */
	if (geteuid() == 0 && fchown(ends[1], uid, (gid_t)-1) < 0)
		return fail_sys(err, "give the pipe to uid %u", uid);
	return 0;
}

void capture_close(struct capture *c)
{
	own_fd_end(&c->fd);
	c->fd = -1;
}

static void keep(struct stream *s, const char *data, size_t len)
{
	struct error err = {0};

	s->seen += len;
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

/* Somebody who does not read any more must not keep us from watching the program. */
static void pass_on(struct capture *c, const char *data, size_t len)
{
	if (c->live.hear)
		c->live.hear(c->live.context, data, len);
	while (c->live.fd >= 0 && len) {
		ssize_t n = write(c->live.fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			c->live.fd = -1;
			return;
		}
		data += n;
		len -= (size_t)n;
	}
}

bool capture_read(struct capture *c)
{
	char chunk[65536];
	ssize_t n = read(c->fd, chunk, sizeof(chunk));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		capture_close(c);
		return false;
	}
	keep(c->stream, chunk, (size_t)n);
	pass_on(c, chunk, (size_t)n);
	return true;
}

void capture_drain(struct capture *c, uint64_t until_us)
{
	while (c->fd >= 0) {
		struct pollfd fd = {.fd = c->fd, .events = POLLIN};
		uint64_t now = clock_us();
		int wait = now >= until_us ? 0 : (int)((until_us - now) / 1000);

		if (poll(&fd, 1, wait) <= 0)
			break;
		(void)capture_read(c);
		if (now >= until_us)
			break;
	}
	capture_close(c);
}
