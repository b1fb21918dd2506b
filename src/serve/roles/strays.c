/* SPDX-License-Identifier: Apache-2.0 */
/* strays.c - children of ours that we were never told the number of.
 *
 * A keeper is copied by the nursery and is our child from its first moment.  If
 * the nursery dies before it has answered, or answers nonsense, there may be
 * such a copy.  It ends when it sees that nobody has the other end of its
 * sockets; somebody must wait for it, or its number is taken as long as we live.
 */
#include <sys/wait.h>

#include "serve/roles/supervise.h"

enum { LOOK_MS = 250, LOOKS = 120 };

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
	if (s->stray_looks == 0)
		return;
	s->stray_looks--;
	(void)loop_set(s->loop, &s->strays, loop_now_us(s->loop) + LOOK_MS * UINT64_C(1000), &err);
}

void strays_expect(struct supervisor *s)
{
	s->stray_looks = LOOKS;
	s->strays.due = look;
	s->strays.context = s;
	if (!s->strays.place)
		look(s);
}
