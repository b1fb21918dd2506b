/* SPDX-License-Identifier: Apache-2.0 */
/* viewrun.c - belljar-gate reads the policy for us; we take what it prints.
 *
 * Beside the loop, with a ceiling and a deadline: a policy on a file system
 * that hangs must not take the service with it.
 */
#include "serve/roles/viewrun.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "serve/roles/serveplan.h"

static void forget(struct viewrun *v)
{
	loop_remove(v->loop, &v->end);
	loop_remove(v->loop, &v->news);
	loop_unset(v->loop, &v->deadline);
	(void)close(take_fd(&v->pidfd));
	(void)close(take_fd(&v->out));
	v->pid = 0;
}

static void stop_for(struct viewrun *v, const char *why)
{
	if (!v->why)
		v->why = why;
	(void)kill(v->pid, SIGKILL);
}

/* 0: the end, or nothing more for now. */
static ssize_t take_some(struct viewrun *v)
{
	char some[16384];
	struct error err;
	ssize_t n = read(v->out, some, sizeof(some));

	if (n <= 0)
		return 0;
	if (buf_add(&v->text, some, (size_t)n, &err) < 0 || v->text.cut)
		stop_for(v, "the view of the policy is too large");
	return n;
}

static void take_news(void *context, uint32_t events)
{
	struct viewrun *v = context;

	/* At the end of the pipe the end of the process is near, and says more. */
	if (take_some(v) == 0 && !(events & EPOLLIN))
		loop_remove(v->loop, &v->news);
}

static void take_end(void *context, uint32_t events)
{
	struct viewrun *v = context;
	int status = 0;
	own(buf) text;

	(void)events;
	while (take_some(v) > 0)
		;
	if (waitpid(v->pid, &status, 0) < 0)
		v->why = "a process of ours is gone";
	else if (!v->why && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
		v->why = "the policy cannot be read";
	forget(v);
	/* Whoever hears it may start the next at once. */
	text = v->text;
	v->text = (struct buf){0};
	v->done(v->context, v->why ? NULL : &text, v->why);
}

static void give_up(void *context)
{
	stop_for(context, "reading the policy takes too long");
}

static int watch(struct viewrun *v, struct error *err)
{
	v->end = (struct loop_watch){
		.fd = v->pidfd, .events = EPOLLIN, .ready = take_end, .context = v};
	v->news = (struct loop_watch){
		.fd = v->out, .events = EPOLLIN, .ready = take_news, .context = v};
	v->deadline = (struct loop_timer){.due = give_up, .context = v};
	if (loop_add(v->loop, &v->end, err) < 0 || loop_add(v->loop, &v->news, err) < 0)
		return -1;
	return loop_set(v->loop, &v->deadline, loop_now_us(v->loop) + VIEW_WAIT_MS * UINT64_C(1000),
			err);
}

int viewrun_start(struct viewrun *v, struct loop *l, const struct spawn *s, struct error *err)
{
	struct spawn with_pipe = *s;
	own_fd from = -1, to = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "make a pipe");
	from = ends[0];
	to = ends[1];
	if (fcntl(from, F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "set up a pipe");
	with_pipe.out = to;
	v->loop = l;
	v->why = NULL;
	buf_init(&v->text, PLAN_BYTES_MAX);
	if (spawn_start(&with_pipe, &v->pid, &v->pidfd, err) < 0)
		return -1;
	v->out = take_fd(&from);
	if (watch(v, err) == 0)
		return 0;
	viewrun_cancel(v);
	return -1;
}

void viewrun_cancel(struct viewrun *v)
{
	if (!v->pid)
		return;
	(void)kill(v->pid, SIGKILL);
	(void)waitpid(v->pid, NULL, 0);
	forget(v);
	buf_done(&v->text);
}
