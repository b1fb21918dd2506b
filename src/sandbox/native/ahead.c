/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - the process that waits in the box for the next call, sealed.
 *
 * Three of a kind: a child of a warm interpreter, a program that was started
 * and waits by itself, and a bare process that becomes whatever is wanted.  The
 * call gives it its streams and its words, and it begins.
 */
#include "sandbox/native/ahead.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "sandbox/native/door.h"
#include "sandbox/native/zygote.h"

enum {
	BEGIN_MS = 5000, /* from the door to the beginning */
	FILES_MIN = 16,  /* fewer, and the call's descriptors do not get through the door */
};

void ahead_init(struct ahead *a)
{
	*a = (struct ahead){.door = -1};
}

void ahead_drop(struct launcher *l)
{
	launcher_bury(l->ahead.pid);
	own_fd_end(&l->ahead.door);
	ahead_init(&l->ahead);
}

/* By a warm interpreter if it has one for it, else by the launcher itself. */
static int bear(struct launcher *l, struct payload *p, bool warm, struct error *err)
{
	int ends[2], result;

	ahead_init(&l->ahead);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socketpair");
	p->seal.door = ends[1];
	result =
		warm ? zygote_bear(l, p, &l->ahead.pid, err) : payload_ahead(p, &l->ahead.pid, err);
	(void)close(ends[1]);
	l->ahead.door = ends[0];
	l->ahead.how = warm ? START_WAITING : START_SEALED;
	l->ahead.limits = *p->seal.limits;
	l->ahead.memory_by_rlimit = p->seal.memory_by_rlimit;
	l->ahead.since_us = clock_us();
	if (result < 0)
		ahead_drop(l);
	return result;
}

void ahead_fill(struct launcher *l, const struct to_launcher *order, const int *fds)
{
	struct payload p;
	struct error err = {0};

	if (!l->box.init || l->program || l->kept || l->ahead.pid ||
	    order->limits.files < FILES_MIN)
		return;
	launcher_fill(l, order, fds, &p);
	(void)bear(l, &p, l->zygote.ready && !order->memory_by_rlimit, &err);
}

bool ahead_is_outdone(const struct launcher *l)
{
	return l->ahead.pid && l->ahead.how == START_SEALED && l->zygote.ready &&
	       !l->ahead.memory_by_rlimit;
}

/* Wall time and output are not the process's own. */
static bool same_seal(const struct limits *a, const struct limits *b)
{
	return a->cpu_ms == b->cpu_ms && a->memory_bytes == b->memory_bytes &&
	       a->disk_bytes == b->disk_bytes && a->inodes == b->inodes &&
	       a->processes == b->processes && a->files == b->files &&
	       a->cpu_percent == b->cpu_percent;
}

static bool begins_in_work(const struct payload *p)
{
	return !p->seal.cwd || strcmp(p->seal.cwd, "/work") == 0;
}

static bool waits_for(const struct launcher *l, const struct payload *p)
{
	const struct ahead *a = &l->ahead;

	return a->pid && same_seal(&a->limits, p->seal.limits) && begins_in_work(p) &&
	       a->memory_by_rlimit == p->seal.memory_by_rlimit;
}

/* Its end of the door is closed: it has begun, or it is dead. */
static int await_begin(struct launcher *l, struct error *err)
{
	struct pollfd fd = {.fd = l->ahead.door, .events = POLLIN};
	struct board *board = l->board;
	char said = 0;

	while (poll(&fd, 1, BEGIN_MS) < 0 && errno == EINTR)
		;
	if (l->ahead.begins_itself && recv(fd.fd, &said, 1, MSG_DONTWAIT) == 1 &&
	    said == DOOR_BEGUN)
		return 0;
	if (board->error.kind != ERR_NONE) {
		*err = board->error;
		return -1;
	}
	if (!fd.revents || board->start_us == 0)
		return fail(err, ERR_SYSTEM, "the process died before it began");
	return 0;
}

static void describe(struct launcher *l, enum start_how how, const char *why_cold)
{
	const struct zygote *z = &l->zygote;
	bool warm = how == START_FORKED || how == START_WAITING;

	l->start = (struct start){.how = how, .interpreters = l->zygotes};
	if (l->plan->profile->warm.kind != WARM_NOT && !warm)
		(void)snprintf(l->start.why_cold, sizeof(l->start.why_cold), "%s", why_cold);
	if (!warm || !z->pid)
		return;
	l->start.baseline_bytes = z->resident;
	l->start.interpreter_age_ms = (clock_us() - z->since_us) / 1000;
	l->start.interpreter_calls = z->children;
}

/* Once it has been told, it may have begun, whatever becomes of it: no second try then. */
static int go(struct launcher *l, struct payload *p, int words, pid_t *ret_pid, struct error *err)
{
	int result;

	l->board->error = (struct error){0};
	l->board->start_us = l->ahead.begins_itself ? clock_us() : 0;
	if (door_send(l->ahead.door, p->seal.io, words) < 0) {
		ahead_drop(l);
		describe(l, START_COLD, "who waited for the call was dead");
		return payload_start(p, ret_pid, err);
	}
	*ret_pid = l->ahead.pid;
	result = await_begin(l, err);
	own_fd_end(&l->ahead.door);
	ahead_init(&l->ahead);
	return result;
}

/* Nobody went through the door: whoever stood there is of no use, and nothing has run. */
static bool is_dead(const struct launcher *l)
{
	struct pollfd fd = {.fd = l->ahead.door, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

int ahead_start(struct launcher *l, struct payload *p, int words, pid_t *ret_pid, struct error *err)
{
	bool wanted = l->plan->profile->warm.kind == WARM_PYTHON, fits = false;
	char why[80] = "";
	enum start_how how;

	if (wanted)
		fits = !p->seal.memory_by_rlimit && zygote_fits(l, p->words, why, sizeof(why));
	if (wanted && p->seal.memory_by_rlimit)
		(void)snprintf(why, sizeof(why), "no group limits memory here");
	if (l->ahead.pid &&
	    (!waits_for(l, p) || is_dead(l) || (l->ahead.how == START_WAITING) != fits))
		ahead_drop(l);
	how = l->ahead.pid ? l->ahead.how : START_COLD;
	if (fits && !l->ahead.pid && bear(l, p, true, err) == 0)
		how = START_FORKED;
	if (fits && !l->ahead.pid)
		(void)snprintf(why, sizeof(why), "%.79s", err->text);
	*err = (struct error){0};
	describe(l, how, why);
	if (!l->ahead.pid)
		return payload_start(p, ret_pid, err);
	p->seal.door = -1;
	return go(l, p, words, ret_pid, err);
}
