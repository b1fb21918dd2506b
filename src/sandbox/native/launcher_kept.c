/* SPDX-License-Identifier: Apache-2.0 */
/* launcher_kept.c - a launcher whose box is kept: programs side by side, each with its own end. */
#include <sched.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/pages.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/launcher_state.h"
#include "sandbox/native/zygote.h"

/* A program more in a kept box; whatever becomes of it, the box goes on. */
void launcher_run_beside(struct launcher *l, const struct to_launcher *order, const int *fds,
			 size_t n_fds)
{
	struct to_warden news = {.news = NEWS_EXEC, .exec = order->exec};
	pid_t child = 0;

	if (!launcher_fits_order(order, n_fds) || !l->box.init || !l->kept)
		(void)fail(&news.error, ERR_INTERNAL,
			   "a program came with %zu descriptors, or no box", n_fds);
	if (news.error.kind == ERR_NONE &&
	    launcher_start(l, order, fds, &child, &news.error) == 0 &&
	    execs_add(&l->execs, order->exec, child, &news.error) == 0) {
		news.start_us = l->board->start_us;
		news.mark = l->board->mark;
		news.start = l->start;
	} else {
		launcher_bury(child);
		news.news = NEWS_NO_EXEC;
	}
	if (launcher_tell(l, &news, NULL, 0) < 0)
		_exit(1);
	zygotes_leave(l);
}

/* Everything in the kept box dies, each program's end is told, and last the box's. */
void launcher_end_kept(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_EXEC_END};

	(void)pidfd_send_signal(l->box.pidfd, SIGKILL, NULL, 0);
	/* They are ours to wait for: pid 1 of the box ends after them. */
	while (l->execs.n > 0) {
		execs_reap(&l->execs, 0, &news);
		if (launcher_tell(l, &news, NULL, 0) < 0)
			_exit(1);
	}
	(void)launcher_clear_box(l);
	news = (struct to_warden){.news = NEWS_ENDED, .end_us = clock_us()};
	if (!l->kill_ordered)
		(void)fail(&news.error, ERR_SYSTEM, "pid 1 of the box died");
	(void)launcher_tell(l, &news, NULL, 0);
	_exit(0);
}

/* Which of the kept box's programs have ended?  And does the box itself live? */
void launcher_look_after_kept(struct launcher *l, const struct pollfd *fds, size_t n_execs)
{
	/* From the end: reaping moves the last into the free place. */
	for (size_t i = n_execs; i-- > 0;) {
		struct to_warden news = {.news = NEWS_EXEC_END};

		if (!fds[i].revents)
			continue;
		execs_reap(&l->execs, i, &news);
		if (launcher_tell(l, &news, NULL, 0) < 0)
			_exit(1);
	}
	if (fds[n_execs].revents)
		launcher_end_kept(l);
}

/* A box that is kept sleeps most of the time.  It is the last one, so that the tree which others
 * would have been made from goes as well. */
void launcher_rest(struct launcher *l)
{
	if (!l->kept || l->rests)
		return;
	l->rests = true;
	if (l->box.mounts >= 0 && setns(l->box.mounts, CLONE_NEWNS) == 0) {
		own_fd_end(&l->box.mounts);
		l->box.mounts = -1;
	}
	childstacks_forget();
	pages_forget_stack();
}
