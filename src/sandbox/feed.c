/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - hands our standard input on to the program, through a pipe of its own. */
#include "sandbox/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"

enum { CHUNK = 65536 };

int feed_open(struct feed *f, int source, uid_t uid, int *ret_read, struct error *err)
{
	int ends[2];

	*f = (struct feed){.source = -1, .pipe = -1};
	if (source < 0) {
		*ret_read = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return *ret_read < 0 ? fail_sys(err, "open /dev/null") : 0;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe for input");
	*ret_read = ends[0];
	f->chunk = malloc(CHUNK);
	if (!f->chunk)
		return close(ends[1]), fail_sys(err, "allocate for input");
	f->source = source;
	f->pipe = ends[1];
	if (fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "pipe for input");
	if (geteuid() == 0 && fchown(ends[0], uid, (gid_t)-1) < 0)
		return fail_sys(err, "give the pipe to uid %u", uid);
	return 0;
}

void feed_close(struct feed *f)
{
	own_fd_end(&f->pipe);
	f->pipe = f->source = -1;
	free(f->chunk);
	f->chunk = NULL;
}

void feed_wants(const struct feed *f, int *ret_in, int *ret_out)
{
	*ret_in = *ret_out = -1;
	if (f->pipe < 0)
		return;
	if (f->from < f->to)
		*ret_out = f->pipe;
	else
		*ret_in = f->source;
}

static void fill(struct feed *f)
{
	ssize_t n = read(f->source, f->chunk, CHUNK);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		feed_close(f);
		return;
	}
	f->from = 0;
	f->to = (size_t)n;
}

void feed_move(struct feed *f)
{
	ssize_t n;

	if (f->pipe < 0)
		return;
	if (f->from == f->to) {
		fill(f);
		return;
	}
	n = write(f->pipe, f->chunk + f->from, f->to - f->from);
	if (n > 0)
		f->from += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		feed_close(f); /* the program does not read */
}
