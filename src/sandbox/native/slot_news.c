/* SPDX-License-Identifier: Apache-2.0 */
/* slot_news.c - what a launcher says, and what the warden makes of it.
 *
 * A launcher stands next to the program: what it says is checked, and moves no
 * deadline into the future.
 */
#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/slot_state.h"
#include "sandbox/native/spread.h"

static void take_box(struct slot *s, int *fds, size_t n_fds)
{
	if (n_fds == 0 || n_fds > BOX_FDS)
		return;
	own_fd_end(&s->work);
	own_fd_end(&s->proc);
	s->work = take_fd(&fds[BOX_WORK]);
	s->proc = n_fds > BOX_PROC ? take_fd(&fds[BOX_PROC]) : -1;
	s->box_waits = true;
}

/* The program has just begun and nobody waits for us: what would have to be done after its end. */
static void use_idle_time(struct slot *s)
{
	/* The launcher has yet to fall asleep: sent away while it wants this processor, it would go
	 * on in the middle of the program's start. */
	if (!s->resident && s->board->room)
		(void)sched_yield();
	/* It is none of the short ones. */
	slot_turns_as_ever(s);
	slot_part(s);
	if (!s->resident && s->board->room)
		spread_from(s->board->cpu);
	watch_ready(&s->watch);
	if (s->watch.group_open && !s->resident)
		cgroup_close_doors(&s->watch.group); /* nobody else comes in */
	if (!s->resident)
		slot_sweep(s);
	/* It sleeps by now, mostly (foresee.c).  Woken on our processor at the end, it would die
	 * there, and we stand still meanwhile. */
	if (!s->resident && s->board->room)
		spread(s->launcher, true);
}

static void take_start(struct slot *s, const struct to_warden *news)
{
	uint64_t now = clock_us();

	/* The launcher's clock is ours; its word is not to move a deadline into the future. */
	s->watch.start_us =
		news->start_us > now || news->start_us < s->asked_us ? now : news->start_us;
	s->outcome.setup_us = s->watch.start_us - s->asked_us;
	s->phase = PHASE_RUNNING;
	s->give_up_us = 0;
	watch_begin(&s->watch, s->work);
}

static void take_layers(struct slot *s, const struct to_warden *news)
{
	/* What the warden put up itself is not the launcher's to report. */
	for (int i = 0; i < LAYER_COUNT; i++)
		if (i != LAYER_MEMORY && i != LAYER_PROCESSES && i != LAYER_CPU)
			s->outcome.layers[i] = news->layers[i];
	for (int i = 0; i < LAYER_COUNT; i++)
		s->outcome.layers[i].detail[sizeof(s->outcome.layers[i].detail) - 1] = '\0';
}

static void take_end(struct slot *s, const struct to_warden *news)
{
	struct outcome *o = &s->outcome;
	bool exited = news->end_code == CLD_EXITED;

	if (s->phase == PHASE_KEPT)
		session_over(s, news);
	if (s->phase != PHASE_RUNNING)
		return;
	o->start = news->start;
	o->exit_code = exited ? news->end_status : 0;
	o->signal = exited ? 0 : news->end_status;
	o->run_us = news->end_us > s->watch.start_us ? news->end_us - s->watch.start_us : 0;
	if (!s->watch.counted)
		watch_rusage(&s->watch, &news->rusage, o);
	if (news->error.kind != ERR_NONE) {
		o->error = news->error;
		slot_end_call(s, END_UNKNOWN);
		return;
	}
	slot_end_call(s, exited ? END_EXITED : END_SIGNALLED);
}

/* Somebody is left in the box, or it was killed: we wait for the end of all. */
static void end_rest(struct slot *s)
{
	const struct to_launcher order = {.order = ORDER_CLEAR};
	struct error err = {0};

	/* One that cannot be told is dead or dying, which is seen elsewhere. */
	if (s->beside && !s->kill_sent)
		(void)fd_send(s->socket, &order, sizeof(order), NULL, 0, &err);
	stay_awake(s->socket);
}

/* Its launcher has ended it, because we did not (launcher.c). */
static void note_overdue(struct slot *s, const struct to_warden *news)
{
	const struct watch *w = &s->watch;

	if (w->killed_for == KILL_NONE && news->end_code != CLD_EXITED &&
	    news->end_status == SIGKILL && clock_us() >= w->start_us + w->limits.wall_ms * 1000ULL)
		s->watch.killed_for = KILL_WALL;
}

/* The program has ended and the box is being cleared away.  Most programs leave nobody behind: then
 * we need not wait for that to count, nor, if there is no further call, to remove the groups. */
static void take_ending(struct slot *s, const struct to_warden *news)
{
	/* It ended before anybody had seen it begin.  Its box may have been announced after the
	 * call was asked for: the next one is another. */
	if (s->phase == PHASE_STARTING) {
		s->box_waits = false;
		take_layers(s, news);
		take_start(s, news);
	}
	if (s->phase != PHASE_RUNNING || s->ending)
		return;
	s->ending = true; /* once: a launcher is not to keep us awake for ever */
	note_overdue(s, news);
	watch_rusage(&s->watch, &news->rusage, &s->outcome);
	if (!s->resident)
		watch_settle(&s->watch, s->work, &s->outcome);
	/* It was the last one there, and its box is nobody's any more. */
	if (s->resident && news->end_code == CLD_EXITED && !s->kill_sent &&
	    watch_is_last(&s->watch))
		take_end(s, news);
	else
		end_rest(s);
}

/* Whoever the program left behind dies in a group whose processor time is limited: many of them
 * may need longer than one that is stuck is waited for.  So until the call's time is over. */
static int wait_for_rest_ms(const struct slot *s)
{
	uint64_t now = clock_us(), end = s->watch.start_us + s->watch.limits.wall_ms * 1000;
	uint64_t ms = end > now ? (end - now) / 1000 : 0;

	if (ms < KILL_MS)
		return KILL_MS;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* The same; and the launcher is about to be dead, with everything beneath it. */
static void take_last(struct slot *s, const struct to_warden *news)
{
	struct error err = {0};

	if (s->phase != PHASE_RUNNING || s->ending)
		return;
	s->ending = true;
	watch_rusage(&s->watch, &news->rusage, &s->outcome);
	watch_settle(&s->watch, s->work, &s->outcome);
	if (slot_end_launcher(s, wait_for_rest_ms(s))) {
		take_end(s, news);
		return;
	}
	(void)fail(&err, ERR_SYSTEM, "the launcher did not end");
	slot_lose(s, &err);
}

/* The launcher is born before the shared /etc is found: its path comes where a kept box's
 * directory does. */
static int answer_mapped(struct slot *s, struct error *err)
{
	struct to_launcher mapped = {.order = ORDER_MAPPED};
	const int fds[MAPPED_FDS] = {
		[MAPPED_INIT] = s->plan.init_program, [MAPPED_ETC] = s->plan.etc};

	static_assert(sizeof(mapped.cwd) >= sizeof(s->plan.etc_path), "room for it");
	memcpy(mapped.cwd, s->plan.etc_path, sizeof(s->plan.etc_path));
	if (identity_write_maps(&s->plan, s->launcher, err) < 0)
		return -1;
	return fd_send(s->socket, &mapped, sizeof(mapped), fds,
		       s->plan.etc < 0 ? MAPPED_ETC : MAPPED_FDS, err);
}

void slot_take_news(struct slot *s, struct to_warden *news, int *fds, size_t n_fds)
{
	struct error err = {0};

	news->error.text[sizeof(news->error.text) - 1] = '\0';
	switch (news->news) {
	case NEWS_NEED_MAP:
		if (answer_mapped(s, &err) < 0)
			slot_lose(s, &err);
		s->mapped = true;
		return;
	case NEWS_BOX:
		if (s->phase == PHASE_KEPT) /* there is one, and no other is to take its place */
			break;
		take_box(s, fds, n_fds);
		return;
	case NEWS_LEFT:
		s->left = true;
		return;
	case NEWS_WARM:
		s->warm = true;
		slot_order_ahead(s);
		return;
	case NEWS_STARTED:
		take_box(s, fds, n_fds);
		s->box_waits = false; /* it was announced after the call was asked for */
		s->outcome.start = news->start;
		take_layers(s, news);
		if (s->phase != PHASE_STARTING)
			return;
		take_start(s, news);
		use_idle_time(s);
		return;
	case NEWS_ENDING:
		take_ending(s, news);
		return;
	case NEWS_LAST:
		if (!plan_is_single(&s->plan))
			break;
		take_last(s, news);
		return;
	case NEWS_ENDED:
		take_end(s, news);
		return;
	case NEWS_EXEC:
	case NEWS_NO_EXEC:
	case NEWS_EXEC_END:
		take_layers(s, news);
		session_news(s, news);
		return;
	case NEWS_NO_START:
		s->box_waits = false;
		take_layers(s, news);
		s->outcome.error = news->error;
		slot_end_call(s, END_NOT_STARTED);
		return;
	case NEWS_FAILED:
		slot_lose(s, &news->error);
		return;
	case NEWS_NONE:
		break;
	}
	(void)fail(&err, ERR_INTERNAL, "the launcher said %d", (int)news->news);
	slot_lose(s, &err);
}
