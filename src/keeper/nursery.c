/* SPDX-License-Identifier: Apache-2.0 */
/* nursery.c - keepers of sessions, each a copy of one process that has everything ready.
 *
 * A session's keeper lives for hours and sleeps most of the time.  The policy,
 * the compiled rules and what the program itself had to relocate are the same
 * in all of them: copies share these pages, processes that each read the policy
 * anew do not, and take thirty times as long to begin.  What must be a keeper's
 * own (its connection to the log, the lock of the meter, its slot, its seal) it
 * makes after the copy.
 *
 * The nursery has not heard a word of any call, and hears nobody but the
 * supervisor.  The price: all its keepers have one layout of memory, so that
 * whoever learns it from one knows it of the others.
 */
#include "keeper/nursery.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

/* 1: it is told.  0: nobody is there any more, because another policy counts now: the end. */
static int answer(int control, pid_t pid, const struct error *why, struct error *err)
{
	struct nursery_answer a = {.magic = NURSERY_MAGIC, .version = NURSERY_VERSION};

	a.pid = pid;
	a.error = *why;
	if (fd_send(control, &a, sizeof(a), NULL, 0, err) == 0)
		return 1;
	return err->sys == EPIPE ? 0 : -1;
}

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
}

/* As fork does it, but the child is our parent's: the supervisor waits for every keeper. */
static pid_t copy_ourselves(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0UL, 0UL, 0UL, 0UL);
}

/* 1: an order.  0: the end. */
static int take_order(int control, int ret_fds[static NURSERY_FDS], enum nursery_wants *ret_wants,
		      struct error *err)
{
	struct nursery_order order = {0};
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n;

	do
		n = fd_receive(control, &order, sizeof(order), fds, &n_fds, err);
	while (n < 0 && err->sys == EINTR);
	if (n <= 0)
		return (int)n;
	if (n_fds < NURSERY_TEMPLATE || n_fds > NURSERY_FDS || order.magic != NURSERY_MAGIC ||
	    order.version != NURSERY_VERSION || order.wants >= NURSERY_WANTS) {
		close_all(fds, n_fds);
		return fail(err, ERR_INTERNAL, "an order for a keeper makes no sense");
	}
	for (size_t i = 0; i < NURSERY_FDS; i++)
		ret_fds[i] = i < n_fds ? fds[i] : -1;
	*ret_wants = (enum nursery_wants)order.wants;
	return 1;
}

int nursery_serve(int control, int ret_fds[static NURSERY_FDS], enum nursery_wants *ret_wants,
		  struct error *err)
{
	const struct error fine = {0};
	struct error why;
	int came;
	pid_t pid;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fail_sys(err, "hide our memory");
	came = answer(control, 0, &fine, err);
	while (came == 1 && (came = take_order(control, ret_fds, ret_wants, err)) == 1) {
		why = fine;
		pid = copy_ourselves();
		if (pid == 0) {
			(void)close(control);
			return 1;
		}
		if (pid < 0)
			(void)fail_sys(&why, "copy a keeper");
		close_all(ret_fds, NURSERY_FDS);
		came = answer(control, pid < 0 ? 0 : pid, &why, err);
	}
	return came;
}
