/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - hands input on to the program, through a pipe of its own. */
#include "sandbox/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/own.h"
#include "base/pages.h"

enum { CHUNK = 65536 };

void feed_init(struct feed *f)
{
	f->source = f->pipe = f->reader = -1;
	f->at = f->chunk = NULL;
	f->left = 0;
}

/* One for all calls, if it is still what it was: whoever closes descriptors that are not his own
 * may have something else at that number by now. */
static int get_null(const int *null)
{
	struct stat st;

	if (null && *null >= 0 && fstat(*null, &st) == 0 && S_ISCHR(st.st_mode) &&
	    st.st_rdev == makedev(1, 3))
		return fcntl(*null, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int feed_open(struct feed *f, const struct food *food, uid_t uid, int *ret_read, struct error *err)
{
	int ends[2];

	feed_init(f);
	f->at = food->data;
	f->left = food->data ? food->len : 0;
	if (!food->data && food->fd < 0) {
		*ret_read = get_null(food->null);
		return *ret_read < 0 ? fail_sys(err, "open /dev/null") : 0;
	}
	if (food->fd >= 0) {
		f->chunk = pages_new(CHUNK);
		if (!f->chunk)
			return fail_sys(err, "allocate room for input");
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe for input");
	f->source = food->fd;
	f->reader = ends[0];
	f->pipe = ends[1];
	if (fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "pipe for input");
	if (geteuid() == 0 && uid != (uid_t)-1 && fchown(ends[0], uid, (gid_t)-1) < 0)
		return fail_sys(err, "give the pipe to uid %u", uid);
	*ret_read = fcntl(f->reader, F_DUPFD_CLOEXEC, 3);
	if (*ret_read < 0)
		return fail_sys(err, "pipe for input");
	if (f->left == 0 && f->source < 0)
		feed_close(f); /* no bytes at all are an end, too */
	return 0;
}

void feed_close(struct feed *f)
{
	own_fd_end(&f->pipe);
	own_fd_end(&f->reader);
	f->pipe = f->reader = f->source = -1;
	pages_free(f->chunk, CHUNK);
	f->chunk = NULL;
}

void feed_wants(const struct feed *f, int *ret_in, int *ret_out)
{
	*ret_in = *ret_out = -1;
	if (f->pipe < 0)
		return;
	if (f->left)
		*ret_out = f->pipe;
	else
		*ret_in = f->source;
}

static void fill(struct feed *f)
{
	ssize_t n = f->source < 0 ? 0 : read(f->source, f->chunk, CHUNK);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		feed_close(f);
		return;
	}
	f->at = f->chunk;
	f->left = (size_t)n;
}

void feed_move(struct feed *f)
{
	ssize_t n;

	if (f->pipe < 0)
		return;
	if (f->left == 0) {
		fill(f);
		return;
	}
	n = write(f->pipe, f->at, f->left);
	if (n > 0) {
		f->at += n;
		f->left -= (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		feed_close(f);
		return;
	}
	if (f->left == 0 && f->source < 0)
		feed_close(f); /* the last byte of it: the program is to see the end */
}
