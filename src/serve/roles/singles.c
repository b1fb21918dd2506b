/* SPDX-License-Identifier: Apache-2.0 */
/* singles.c - front, warden, scribe and reader: one process each, restarted when it ends.
 *
 * At once the first time, then after a delay that grows to a second.  One that
 * does not stay up is not hidden: /readyz says so.
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "serve/roles/supervise.h"

enum { FRONT_CANNOT = 125 }; /* its exit code when it is told what it cannot do */

static const struct {
	const char *name, *label;
	int (*start)(struct single *one, struct error *err);
	void (*hear)(struct single *one);
	uint64_t bit; /* of ROLE_STATE */
} rows[] = {
	[ROLE_FRONT] = {"front", "belljar serve: front", start_front, hear_front, 0},
	[ROLE_WARDEN] = {"warden", "belljar serve: warden", start_warden, hear_warden,
			 ROLE_UP_WARDEN},
	[ROLE_SCRIBE] = {"scribe", "belljar serve: scribe", start_scribe, hear_scribe,
			 ROLE_UP_SCRIBE},
	[ROLE_AUDITOR] = {"reader", "belljar serve: reader", start_auditor, NULL, ROLE_UP_READER},
};
static_assert(ARRAY_LEN(rows) == SINGLE_COUNT, "one row per role");

const char *single_name(enum single_role which)
{
	return rows[which].name;
}

uint64_t delay_ms(unsigned fails)
{
	uint64_t ms = AGAIN_FIRST_MS;

	if (fails <= 1)
		return 0;
	for (unsigned i = 2; i < fails && ms < AGAIN_MOST_MS; i++)
		ms *= 2;
	return ms < AGAIN_MOST_MS ? ms : AGAIN_MOST_MS;
}

static bool has_log(const struct supervisor *s)
{
	return !s->plan.audit_off;
}

bool single_is_up(const struct supervisor *s, enum single_role which)
{
	if (!has_log(s) && (which == ROLE_SCRIBE || which == ROLE_AUDITOR))
		return true;
	return s->singles[which].up && !pinging_is_silent(&s->singles[which]);
}

void singles_tell_state(struct supervisor *s)
{
	uint64_t bits = s->tested ? ROLE_UP_SELF_TEST : 0;
	bool all = s->tested && s->front_heard && s->singles[ROLE_FRONT].pid;

	for (int i = 0; i < SINGLE_COUNT; i++)
		if (single_is_up(s, (enum single_role)i))
			bits |= rows[i].bit;
		else if (rows[i].bit)
			all = false;
	if (bits != s->state_told && s->singles[ROLE_FRONT].pid) {
		s->state_told = bits;
		(void)front_tell(s, ROLE_STATE, bits, -1);
	}
	if (!all || s->announced || s->stopping)
		return;
	s->announced = true;
	banner_print(s);
	notify_say(&s->notify, "READY=1\nSTATUS=serving");
}

static void forget(struct single *one)
{
	struct loop *l = one->all->loop;

	loop_remove(l, &one->end);
	loop_remove(l, &one->news);
	loop_unset(l, &one->settled);
	pinging_end(one);
	if (one->pidfd >= 0)
		(void)close(take_fd(&one->pidfd));
	if (one->control >= 0)
		(void)close(take_fd(&one->control));
	one->pid = 0;
	one->up = false;
}

/* How it ended, for people. */
static void say_end(const struct single *one, int status)
{
	const char *name = rows[one->which].name;

	if (one->all->stopping)
		return;
	if (WIFSIGNALED(status))
		supervisor_say("the %s was killed by signal %d (%s); starting it again", name,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		supervisor_say("the %s ended with exit code %d; starting it again", name,
			       WEXITSTATUS(status));
}

/* A front that is gone has no more wishes, and its successor knows nothing yet. */
static void forget_front(struct supervisor *s)
{
	s->wants[0] = s->wants[1] = 0;
	s->state_told = UINT64_MAX;
}

/* A reader has its socket from a front, and ends with it: that is neither a failure nor news. */
static bool went_with_front(const struct single *one, int status)
{
	const struct single *front = &one->all->singles[ROLE_FRONT];

	return one->which == ROLE_AUDITOR && status == 0 &&
	       (!front->pid || front->started_us >= one->started_us);
}

/* It was told of a certificate or a policy that it cannot use, and has said so: nor can the next.
 */
static bool cannot_begin(const struct single *one, int status)
{
	return one->which == ROLE_FRONT && !one->all->front_heard && !one->all->stopping &&
	       WIFEXITED(status) && WEXITSTATUS(status) == FRONT_CANNOT;
}

static void take_end(void *context, uint32_t events)
{
	struct single *one = context;
	struct supervisor *s = one->all;
	bool steady = loop_now_us(s->loop) - one->started_us > STEADY_MS * UINT64_C(1000);
	struct error err = {0};
	int status = 0;

	(void)events;
	(void)waitpid(one->pid, &status, 0);
	forget(one);
	if (cannot_begin(one, status)) {
		(void)fail(&err, ERR_CONFIG, "the front cannot begin (see above)");
		supervisor_give_up(s, &err);
	}
	if (!went_with_front(one, status))
		one->fails = steady ? 1 : one->fails + 1;
	one->up = one->busy;
	if (!one->busy && !went_with_front(one, status))
		say_end(one, status);
	if (one->which == ROLE_FRONT)
		forget_front(s);
	if (s->stopping) {
		(one->which == ROLE_FRONT ? stopping_step : stopping_advance)(s);
		return;
	}
	singles_restart(one, one->busy ? AGAIN_MOST_MS : 0);
	singles_tell_state(s);
}

static void take_news(void *context, uint32_t events)
{
	struct single *one = context;

	/* Nothing more will come; its end is what counts. */
	if (!(events & EPOLLIN)) {
		loop_remove(one->all->loop, &one->news);
		return;
	}
	if (rows[one->which].hear)
		rows[one->which].hear(one);
}

static int watch(struct single *one, struct error *err)
{
	struct loop *l = one->all->loop;

	one->end = (struct loop_watch){
		.fd = one->pidfd, .events = EPOLLIN, .ready = take_end, .context = one};
	one->news = (struct loop_watch){
		.fd = one->control, .events = EPOLLIN, .ready = take_news, .context = one};
	if (loop_add(l, &one->end, err) < 0)
		return -1;
	return one->control >= 0 ? loop_add(l, &one->news, err) : 0;
}

static bool is_wanted(const struct single *one)
{
	const struct supervisor *s = one->all;

	if (s->stopping || one->pid)
		return false;
	if (one->which == ROLE_AUDITOR)
		return has_log(s) && s->singles[ROLE_FRONT].pid;
	return one->which != ROLE_SCRIBE || has_log(s);
}

void singles_start(struct single *one)
{
	struct supervisor *s = one->all;
	struct error err = {0};

	if (!is_wanted(one))
		return;
	one->started_us = loop_now_us(s->loop);
	if (rows[one->which].start(one, &err) < 0 || watch(one, &err) < 0) {
		supervisor_say("the %s cannot be started: %s", rows[one->which].name, err.text);
		if (one->pid) {
			(void)kill(one->pid, SIGKILL);
			(void)waitpid(one->pid, NULL, 0);
		}
		forget(one);
		one->fails++;
		singles_restart(one, 0);
	}
	singles_tell_state(s);
}

static void start_again(void *context)
{
	singles_start(context);
}

static void settle(void *context)
{
	struct single *one = context;

	one->up = true;
	one->told = false;
	singles_tell_state(one->all);
}

void singles_believe(struct single *one)
{
	struct loop *l = one->all->loop;
	struct error err;

	one->up = one->fails < 2;
	if (!one->up &&
	    loop_set(l, &one->settled, loop_now_us(l) + SETTLED_MS * UINT64_C(1000), &err) < 0)
		one->up = true;
}

void singles_restart(struct single *one, uint64_t least_ms)
{
	struct supervisor *s = one->all;
	uint64_t ms = delay_ms(one->fails);
	struct error err;

	if (s->stopping)
		return;
	if (one->fails > 3 && !one->told) {
		one->told = true;
		supervisor_say("the %s does not stay up; /readyz says so until it does",
			       rows[one->which].name);
	}
	if (ms < least_ms)
		ms = least_ms;
	if (ms == 0)
		singles_start(one);
	else if (loop_set(s->loop, &one->again, loop_now_us(s->loop) + ms * 1000, &err) < 0)
		supervisor_give_up(s, &err);
}

void singles_init(struct supervisor *s)
{
	for (int i = 0; i < SINGLE_COUNT; i++) {
		struct single *one = &s->singles[i];

		*one = (struct single){
			.all = s, .which = (enum single_role)i, .pidfd = -1, .control = -1};
		one->again = (struct loop_timer){.due = start_again, .context = one};
		one->ping = (struct loop_timer){.due = pinging_look, .context = one};
		one->settled = (struct loop_timer){.due = settle, .context = one};
	}
	s->state_told = UINT64_MAX;
}
