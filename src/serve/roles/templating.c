/* SPDX-License-Identifier: Apache-2.0 */
/* templating.c - the nursery's template: a keeper makes it, and every later keeper of a session has
 * it.
 *
 * A session that begins before it is there begins without.  If it cannot be
 * made, all do: they take more memory and a little longer, and say why.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "serve/roles/supervise.h"

enum { SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW };

static void let_maker_go(struct supervisor *s)
{
	struct nursery *n = &s->nursery;

	if (n->maker < 0)
		return;
	loop_remove(s->loop, &n->made);
	own_fd_end(&n->maker);
	n->maker = -1;
}

void templating_pause(struct supervisor *s)
{
	let_maker_go(s);
}

void templating_end(struct supervisor *s)
{
	let_maker_go(s);
	own_fd_end(&s->nursery.template);
	s->nursery.template = -1;
}

/* Sessions that share a file must not be able to write to it, whoever made it; and who maps it as
 * shared has opened it for reading only. */
static int check(int file, int *ret, struct error *err)
{
	int seals = fcntl(file, F_GET_SEALS);
	char name[64];

	if (seals < 0 || (seals & SEALS) != SEALS)
		return fail(err, ERR_INTERNAL, "the template is not sealed");
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	*ret = open(name, O_RDONLY | O_CLOEXEC);
	return *ret < 0 ? fail_sys(err, "open the template") : 0;
}

static void take(void *context, uint32_t events)
{
	struct supervisor *s = context;
	struct nursery *n = &s->nursery;
	struct error err = {0};
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	char byte;
	ssize_t got = fd_receive(n->maker, &byte, 1, fds, &n_fds, &err);

	(void)events;
	let_maker_go(s);
	/* What it died of, if it died, it has said itself. */
	if (got > 0 && n_fds == 1 && check(fds[0], &n->template, &err) < 0)
		supervisor_say("no template for sessions: %s", err.text);
	while (got > 0 && n_fds > 0)
		(void)close(fds[--n_fds]);
	keepers_pump(s);
}

void templating_start(struct supervisor *s)
{
	struct nursery *n = &s->nursery;
	struct error err = {0};

	if (n->maker >= 0 || n->template >= 0)
		return;
	if (keepers_maker(s, &n->maker, &err) < 0) {
		n->maker = -1;
		supervisor_say("no template for sessions: %s", err.text);
		return;
	}
	n->made =
		(struct loop_watch){.fd = n->maker, .events = EPOLLIN, .ready = take, .context = s};
	if (loop_add(s->loop, &n->made, &err) < 0) {
		own_fd_end(&n->maker);
		n->maker = -1;
	}
}
