/* SPDX-License-Identifier: Apache-2.0 */
/* strays.c - children of ours that we were never told the number of.
 *
 * A keeper is copied by the nursery and is our child from its first moment.  If
 * the nursery dies before it has answered, or answers nonsense, there may be
 * such a copy.  It ends when it sees that nobody has the other end of its
 * sockets; somebody must wait for it, or its number is taken as long as we live.
 * It may be held up for long: we look for it less and less often, and never stop.
 */
#include <sys/wait.h>

#include "serve/roles/supervise.h"

enum { LOOK_FIRST_MS = 250, LOOK_MOST_MS = 60000 };

static bool is_known(const struct supervisor *s, pid_t pid)
{
	if (pid == s->nursery.pid || pid == s->test_pid || pid == s->viewrun.pid)
		return true;
	for (size_t i = 0; i < SINGLE_COUNT; i++)
		if (pid == s->singles[i].pid)
			return true;
	for (const struct keeper *k = s->keepers; k; k = k->next)
		if (pid == k->pid)
			return true;
	return false;
}

/* One that we know is left to whoever waits for it; those behind it come later. */
static void reap(const struct supervisor *s)
{
	siginfo_t info = {0};

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0 &&
	       !is_known(s, info.si_pid) && waitpid(info.si_pid, NULL, WNOHANG) == info.si_pid)
		info = (siginfo_t){0};
}

static void look(void *context)
{
	struct supervisor *s = context;
	struct error err;

	reap(s);
	(void)loop_set(s->loop, &s->strays, loop_now_us(s->loop) + s->stray_ms * UINT64_C(1000),
		       &err);
	s->stray_ms = s->stray_ms < LOOK_MOST_MS / 2 ? 2 * s->stray_ms : LOOK_MOST_MS;
}

void strays_expect(struct supervisor *s)
{
	s->stray_ms = LOOK_FIRST_MS;
	s->strays.due = look;
	s->strays.context = s;
	look(s);
}
