/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - the process that waits in the box for the next call, sealed.
 *
 * Three of a kind: a child of a warm interpreter, a program that was started
 * and waits by itself, and a bare process that becomes whatever is wanted.  The
 * call gives it its streams and its words, and it begins.
 */
#include "sandbox/native/ahead.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "call/limits.h"
#include "sandbox/native/closeby.h"
#include "sandbox/native/door.h"
#include "sandbox/native/turns.h"
#include "sandbox/native/waiter.h"
#include "sandbox/native/zygote.h"

enum {
	BEGIN_MS = 5000,        /* from the door to the beginning */
	BEGIN_ITSELF_MS = 9000, /* when it was perhaps not ready to wait yet */
	WAIT_MS_MAX = 3600000,
	PROCESSES_MIN_V2 = 4,
	FILES_MIN = 16, /* fewer, and the call's descriptors do not get through the door */
};

void ahead_init(struct ahead *a)
{
	*a = (struct ahead){.pidfd = -1, .door = -1};
}

void ahead_drop(struct launcher *l)
{
	launcher_bury(l->ahead.pid);
	own_fd_end(&l->ahead.pidfd);
	own_fd_end(&l->ahead.door);
	ahead_init(&l->ahead);
}

enum by {
	BY_LAUNCHER, /* a bare process */
	BY_ZYGOTE,   /* a child of a warm interpreter */
	BY_ITSELF,   /* a program that waits */
};

static int bear_by(struct launcher *l, struct payload *p, enum by by, struct error *err)
{
	pid_t *pid = &l->ahead.pid;

	if (by == BY_ZYGOTE)
		return zygote_bear(l, p, pid, err);
	return by == BY_ITSELF ? waiter_bear(l, p, pid, err) : payload_ahead(p, pid, err);
}

static int bear(struct launcher *l, struct payload *p, enum by by, struct error *err)
{
	int ends[2], result;

	ahead_init(&l->ahead);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socketpair");
	p->seal.door = ends[1];
	result = bear_by(l, p, by, err);
	(void)close(ends[1]);
	p->seal.door = -1; /* the child has it; whoever is started instead has none */
	l->ahead.door = ends[0];
	l->ahead.pidfd = result < 0 ? -1 : pidfd_open(l->ahead.pid, 0);
	l->ahead.how = by == BY_LAUNCHER ? START_SEALED : START_WAITING;
	l->ahead.begins_itself = by == BY_ITSELF;
	l->ahead.limits = *p->seal.limits;
	l->ahead.memory_by_rlimit = p->seal.memory_by_rlimit;
	l->ahead.since_us = clock_us();
	if (result < 0)
		ahead_drop(l);
	return result;
}

/* The call's descriptors must get through the door, and in version 2 a process in between counts.
 */
static bool may_wait(const struct limits *limits, bool v2)
{
	return limits->files >= FILES_MIN && (!v2 || limits->processes >= PROCESSES_MIN_V2);
}

void ahead_fill(struct launcher *l, const struct to_launcher *order, const int *fds)
{
	struct payload p;
	struct error err = {0};
	enum by by = l->zygote.ready && !order->memory_by_rlimit ? BY_ZYGOTE : BY_LAUNCHER;

	if (!l->box.init || l->program || l->kept || l->ahead.pid ||
	    !may_wait(&order->limits, order->v2_door))
		return;
	launcher_fill(l, order, fds, &p);
	(void)bear(l, &p, waiter_wanted(l, &order->limits) ? BY_ITSELF : by, &err);
}

static bool is_old(const struct launcher *l)
{
	uint64_t old_us = waiter_old_us(l);

	return old_us && clock_us() >= old_us;
}

bool ahead_is_outdone(const struct launcher *l)
{
	const struct ahead *a = &l->ahead;

	if (a->pid && a->how == START_SEALED)
		return (l->zygote.ready && !a->memory_by_rlimit) || waiter_wanted(l, &a->limits);
	return a->pid && is_old(l);
}

int ahead_wait_ms(const struct launcher *l)
{
	uint64_t old_us = waiter_old_us(l), now = clock_us();

	if (!old_us || l->ahead.told_old || l->program)
		return -1;
	if (now >= old_us)
		return 0;
	return old_us - now < WAIT_MS_MAX * 1000ULL ? (int)((old_us - now) / 1000) + 1
						    : WAIT_MS_MAX;
}

bool ahead_grew_old(struct launcher *l)
{
	if (l->ahead.told_old || l->program || !is_old(l))
		return false;
	return l->ahead.told_old = true;
}

static bool begins_in_work(const struct payload *p)
{
	return !p->seal.cwd || strcmp(p->seal.cwd, "/work") == 0;
}

static bool waits_for(const struct launcher *l, const struct payload *p)
{
	const struct ahead *a = &l->ahead;

	return a->pid && p->seal.more < 0 && limits_same_seal(&a->limits, p->seal.limits) &&
	       begins_in_work(p) && a->memory_by_rlimit == p->seal.memory_by_rlimit;
}

/* A whole program starts before it can begin, slowly where it is given little of a core.  An order
 * that comes meanwhile is that it should not. */
static int await_itself(struct launcher *l, struct error *err)
{
	struct pollfd fds[2] = {{.fd = l->ahead.door, .events = POLLIN},
				{.fd = l->plan->socket, .events = POLLIN}};
	struct door_begun begun = {0};

	while (poll(fds, 2, BEGIN_ITSELF_MS) < 0 && errno == EINTR)
		;
	if (recv(fds[0].fd, &begun, sizeof(begun), MSG_DONTWAIT) != (ssize_t)sizeof(begun) ||
	    begun.says != DOOR_BEGUN)
		return fail(err, ERR_SYSTEM, "the process %s before it began",
			    fds[0].revents ? "died" : "was not ready");
	l->board->start_us = clock_us();
	l->board->used_user_us = begun.used_user_us;
	l->board->used_system_us = begun.used_system_us;
	return 0;
}

/* Its end of the door is closed: what it left on the board is its last word. */
static int judge_begin(const struct launcher *l, struct error *err)
{
	const struct board *board = l->board;

	if (board->error.kind != ERR_NONE) {
		*err = board->error;
		return -1;
	}
	if (board->start_us == 0)
		return fail(err, ERR_SYSTEM, "the process died before it began");
	return 0;
}

/* It closes its end when it has begun, or is dead. */
static int await_begin(const struct launcher *l, int door, struct error *err)
{
	struct pollfd fd = {.fd = door, .events = POLLIN};

	while (poll(&fd, 1, BEGIN_MS) < 0 && errno == EINTR)
		;
	if (fd.revents)
		return judge_begin(l, err);
	*err = l->board->error;
	return err->kind != ERR_NONE ? -1 : fail(err, ERR_SYSTEM, "the process did not begin");
}

bool ahead_is_unseen(const struct launcher *l)
{
	return l->unseen >= 0;
}

void ahead_forget_unseen(struct launcher *l)
{
	own_fd_end(&l->unseen);
	l->unseen = -1;
}

int ahead_see(struct launcher *l, struct error *err)
{
	int result = await_begin(l, l->unseen, err);

	ahead_forget_unseen(l);
	return result;
}

int ahead_see_dead(const struct launcher *l, struct error *err)
{
	return judge_begin(l, err);
}

static void describe(struct launcher *l, enum start_how how, const char *why_cold)
{
	const struct zygote *z = &l->zygote;
	bool warm = how == START_FORKED || how == START_WAITING;

	l->start = (struct start){.how = how, .interpreters = l->zygotes};
	if (l->plan->profile->warm.kind != WARM_NOT && !warm)
		(void)snprintf(l->start.why_cold, sizeof(l->start.why_cold), "%s", why_cold);
	if (warm && l->ahead.begins_itself) {
		l->start.interpreter_age_ms = (clock_us() - l->ahead.since_us) / 1000;
		l->start.interpreter_calls = 1;
	}
	if (!warm || !z->pid)
		return;
	l->start.baseline_bytes = z->resident;
	l->start.interpreter_age_ms = (clock_us() - z->since_us) / 1000;
	l->start.interpreter_calls = z->children;
}

void ahead_note_cold(struct launcher *l)
{
	describe(l, START_COLD, "");
}

/* What must be written down before a program runs is, or the warden kills us here. */
static void await_leave(uint32_t *leave)
{
	while (!__atomic_load_n(leave, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, leave, FUTEX_WAIT, 0, NULL);
}

/* Of a program that is started anew: the words are read where nobody needed them so far. */
static int start_cold(struct launcher *l, struct payload *p, int fd, pid_t *ret_pid,
		      struct error *err)
{
	own(words) words = {0};
	own(pages) bytes = {0};
	int result;

	launcher_part(l);
	if (p->words)
		return payload_start(p, ret_pid, err);
	if (words_read(fd, &bytes, &words, err) < 0)
		return -1;
	p->words = &words;
	result = payload_start(p, ret_pid, err);
	p->words = NULL;
	return result;
}

/* Woken when it begins we would take turns with it, and short programs have ended before anybody
 * needs to know.  Unless a limit could be passed before we look. */
static bool may_go_unseen(const struct launcher *l, const struct limits *limits)
{
	uint64_t cores = (uint64_t)CPU_COUNT(&l->plan->cpus);

	return l->ahead.how == START_SEALED && !l->kept && limits->wall_ms > AHEAD_UNSEEN_MS &&
	       limits->cpu_ms > AHEAD_UNSEEN_MS * (cores ? cores : 1);
}

/* It was told, and has neither begun nor said that it could not.  What a process that is dead has
 * not told anybody it has not done: then nothing of the call has run. */
static bool never_began(struct launcher *l)
{
	struct ahead *a = &l->ahead;
	struct door_begun begun;

	if (a->how != START_WAITING || l->board->error.kind != ERR_NONE)
		return false;
	launcher_bury(a->pid);
	a->pid = 0;
	if (a->begins_itself)
		return recv(a->door, &begun, sizeof(begun), MSG_DONTWAIT) <= 0;
	return l->board->start_us == 0;
}

/* An order that comes while a program begins is that it should not. */
static bool has_order(const struct launcher *l)
{
	struct pollfd fd = {.fd = l->plan->socket, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

/* Once it has been told, it may have begun, whatever becomes of it: no second try then, unless it
 * is known that it has not. */
static int go(struct launcher *l, struct payload *p, int words, pid_t *ret_pid, struct error *err)
{
	int result;

	l->board->error = (struct error){0};
	l->board->start_us = 0;
	await_leave(&l->board->leave);
	/* That it has begun is news for us only.  While a program is started there is time to
	 * hear it. */
	if (l->ahead.how == START_WAITING)
		(void)turns_later();
	if (l->beside)
		closeby_call(l->ahead.pid, &l->plan->cpus);
	if (door_send(l->ahead.door, p->seal.io, words, l->beside) < 0) {
		turns_as_ever();
		ahead_drop(l);
		describe(l, START_COLD, "who waited for the call was dead");
		return start_cold(l, p, words, ret_pid, err);
	}
	*ret_pid = l->ahead.pid;
	if (may_go_unseen(l, p->seal.limits)) {
		l->unseen = l->ahead.door;
		l->program_fd = l->ahead.pidfd;
		ahead_init(&l->ahead);
		return 0;
	}
	result = l->ahead.begins_itself ? await_itself(l, err) : await_begin(l, l->ahead.door, err);
	turns_as_ever();
	if (result < 0 && !has_order(l) && never_began(l)) {
		*err = (struct error){0};
		*ret_pid = 0;
		ahead_drop(l);
		describe(l, START_COLD, "who waited for the call did not begin");
		return start_cold(l, p, words, ret_pid, err);
	}
	if (l->ahead.pid == 0) /* it is buried */
		*ret_pid = 0;
	own_fd_end(&l->ahead.door);
	own_fd_end(&l->ahead.pidfd);
	ahead_init(&l->ahead);
	return result;
}

/* Nobody went through the door: whoever stood there is of no use, and nothing has run. */
static bool is_dead(const struct launcher *l)
{
	struct pollfd fd = {.fd = l->ahead.door, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

/* Would what is warm run it as a cold start does?  If not, why. */
static bool fits_warm(const struct launcher *l, const struct payload *p, char *why, size_t room)
{
	enum warm_kind kind = l->plan->profile->warm.kind;

	why[0] = '\0';
	if (p->seal.more >= 0) /* it brings what it needs along */
		return false;
	if (kind == WARM_NODE)
		return waiter_fits(l, p->words, why, room);
	if (kind != WARM_PYTHON)
		return false;
	if (may_wait(p->seal.limits, p->seal.v2_door >= 0) && !p->seal.memory_by_rlimit)
		return zygote_fits(l, p->words, why, room);
	(void)snprintf(why, room, "%s",
		       p->seal.memory_by_rlimit ? "no group limits memory here"
						: "too few files or processes for who waits");
	return false;
}

/* Whoever waits and is not what the call needs goes. */
static void choose(struct launcher *l, const struct payload *p, bool fits, char *why, size_t room)
{
	bool dead = l->ahead.pid && is_dead(l);

	if (!l->ahead.pid || (!dead && waits_for(l, p) && (l->ahead.how == START_WAITING) == fits))
		return;
	if (dead && l->ahead.begins_itself)
		waiter_note_death(l);
	if (fits && l->ahead.begins_itself)
		(void)snprintf(why, room, "%s", dead ? l->trouble : "who waited has other limits");
	ahead_drop(l);
}

int ahead_start(struct launcher *l, struct payload *p, int words, pid_t *ret_pid, struct error *err)
{
	char why[80];
	bool fits = fits_warm(l, p, why, sizeof(why));
	enum start_how how;

	choose(l, p, fits, why, sizeof(why));
	how = l->ahead.pid ? l->ahead.how : START_COLD;
	if (l->plan->profile->warm.kind == WARM_PYTHON && fits && !l->ahead.pid) {
		if (bear(l, p, BY_ZYGOTE, err) == 0)
			how = START_FORKED;
		else
			(void)snprintf(why, sizeof(why), "%.79s", err->text);
	}
	*err = (struct error){0};
	describe(l, how, why);
	if (!l->ahead.pid)
		return start_cold(l, p, words, ret_pid, err);
	return go(l, p, words, ret_pid, err);
}

struct start ahead_start_seen(const struct launcher *l)
{
	struct start cold = {.how = START_SEALED,
			     .why_cold = "a script that only a fresh interpreter runs right",
			     .interpreters = l->start.interpreters};

	return l->board->became_cold ? cold : l->start;
}
