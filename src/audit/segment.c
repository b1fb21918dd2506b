/* SPDX-License-Identifier: Apache-2.0 */
/* segment.c - one file of lines, read from left to right while somebody may be writing to it. */
#include "audit/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 18 };

void segment_path(uint64_t number, const char *suffix, char ret_path[static SEGMENT_PATH])
{
	(void)snprintf(ret_path, SEGMENT_PATH, "log/%08" PRIu64 ".%.8s", number % 100000000,
		       suffix);
}

void segment_init(struct segment_scan *s)
{
	*s = (struct segment_scan){.fd = -1};
}

void segment_done(struct segment_scan *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	free(s->room);
	segment_init(s);
}

int segment_open(struct segment_scan *s, int dir, uint64_t number, uint64_t offset,
		 struct error *err)
{
	char path[SEGMENT_PATH];

	if (s->fd >= 0)
		(void)close(s->fd);
	s->at = s->len = 0;
	s->offset = offset;
	s->torn = false;
	segment_path(number, "jsonl", path);
	s->fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0 && errno == ENOENT)
		return fail(err, ERR_NOT_FOUND, "%s is missing", path);
	if (s->fd < 0)
		return fail_sys(err, "open %s", path);
	if (!s->room)
		s->room = malloc(ROOM);
	return s->room ? 0 : fail_sys(err, "allocate for %s", path);
}

uint64_t segment_tell(const struct segment_scan *s)
{
	return s->offset + s->at;
}

/* Makes room in front and reads on.  1: there is more, 0: the file ends here. */
static int refill(struct segment_scan *s, struct error *err)
{
	ssize_t n;

	memmove(s->room, s->room + s->at, s->len - s->at);
	s->offset += s->at;
	s->len -= s->at;
	s->at = 0;
	do
		n = pread(s->fd, s->room + s->len, ROOM - s->len, (off_t)(s->offset + s->len));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_sys(err, "read the log");
	s->len += (size_t)n;
	return n > 0;
}

/* What was read behind the end is forgotten: the next one to ask sees it as it is then. */
static int stop(struct segment_scan *s, bool torn)
{
	s->offset += s->at;
	s->at = s->len = 0;
	s->torn = torn;
	return 0;
}

int segment_next(struct segment_scan *s, struct log_line *ret, struct error *err)
{
	for (;;) {
		char *line = s->room + s->at;
		size_t left = s->len - s->at;
		char *newline = left ? memchr(line, '\n', left) : NULL;
		size_t len = newline ? (size_t)(newline - line) : left;
		int more;

		if (left && line[0] == '\0')
			return stop(s, false);
		if (len > LOG_LINE_MAX || (newline && memchr(line, '\0', len)))
			return stop(s, true);
		if (newline) {
			*ret = (struct log_line){.data = line, .len = len};
			s->at += len + 1;
			return 1;
		}
		more = refill(s, err);
		if (more < 0)
			return -1;
		if (more == 0)
			return stop(s, s->len > 0);
	}
}

int segment_rest_is_empty(struct segment_scan *s, struct error *err)
{
	for (;;) {
		int more;

		for (; s->at < s->len; s->at++)
			if (s->room[s->at])
				return 0;
		more = refill(s, err);
		if (more <= 0)
			return more < 0 ? -1 : 1;
	}
}
