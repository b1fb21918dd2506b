/* SPDX-License-Identifier: Apache-2.0 */
/* inflow.c - input that comes while a program runs, kept until the program reads it. */
#include "keeper/inflow.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"

void inflow_init(struct inflow *f)
{
	*f = (struct inflow){.read = -1, .write = -1};
	buf_init(&f->queue, INFLOW_MAX);
}

int inflow_open(struct inflow *f, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail_sys(err, "pipe for input");
	f->read = ends[0];
	f->write = ends[1];
	return 0;
}

static void shut(struct inflow *f)
{
	own_fd_end(&f->write);
	f->write = -1;
}

void inflow_close(struct inflow *f)
{
	shut(f);
	own_fd_end(&f->read);
	f->read = -1;
	buf_done(&f->queue);
}

static bool is_empty(const struct inflow *f)
{
	return f->at == f->queue.len;
}

bool inflow_add(struct inflow *f, const void *data, size_t len)
{
	struct error ignored;

	if (f->write < 0 || f->ended)
		return false;
	if (is_empty(f))
		f->queue.len = f->at = 0;
	if (len > INFLOW_MAX - f->queue.len || buf_add(&f->queue, data, len, &ignored) < 0)
		return false;
	inflow_move(f);
	return true;
}

void inflow_end(struct inflow *f)
{
	f->ended = true;
	if (is_empty(f))
		shut(f);
}

int inflow_wants(const struct inflow *f)
{
	return is_empty(f) ? -1 : f->write;
}

/* Our own end for reading is open, so there is no SIGPIPE. */
void inflow_move(struct inflow *f)
{
	while (f->write >= 0 && !is_empty(f)) {
		ssize_t n = write(f->write, f->queue.data + f->at, f->queue.len - f->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		f->at += (size_t)n;
	}
	if (f->ended && is_empty(f))
		shut(f);
}
