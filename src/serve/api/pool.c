/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - lines of tasks, one for each client, and keepers that take the next.
 *
 * Clients take turns; within one, first come is first served.  The lines
 * together have a ceiling.  When it is reached, a newcomer whose line is not the
 * longest pushes the newest task out of the longest: a client that floods
 * fills its own line, and nobody else's.
 */
#include "serve/api/pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "serve/api/frontplace.h"
#include "serve/api/keeperlink.h"
#include "serve/api/poollines.h"

enum {
	RETRY_US = 1000000,
};

struct task *pool_task(struct pool *p)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->request.serial = ++p->serial;
	t->stream = -1;
	return t;
}

void pool_drop(struct task *t)
{
	own_fd_end(&t->stream);
	if (t->own_body)
		buf_done(t->own_body);
	free(t->own_body);
	free(t);
}

static void uncount(struct task *t)
{
	if (t->counts)
		t->party->open--;
	t->counts = false;
}

/* Tells why, and ends it. */
static void refuse(struct pool *p, struct task *t, enum problem why, const char *detail)
{
	lines_leave(p, t);
	uncount(t);
	p->events.refused(p->events.context, t, why, detail);
	pool_drop(t);
}

static void set_wait_timer(struct pool *p)
{
	uint64_t due = UINT64_MAX;
	struct links *heads[] = {&p->waiting, &p->opening};
	struct error err;

	for (size_t i = 0; i < 2; i++) {
		struct task *t;

		if (links_empty(heads[i]))
			continue;
		t = LINKED(heads[i]->next, struct task, in_all);
		if (t->submitted_us + p->limits.queue_wait_ms * 1000 < due)
			due = t->submitted_us + p->limits.queue_wait_ms * 1000;
	}
	if (due == UINT64_MAX)
		loop_unset(p->loop, &p->wait_timer);
	else
		(void)loop_set(p->loop, &p->wait_timer, due, &err);
}

static void refuse_late(struct pool *p, struct links *line, uint64_t now_us)
{
	while (!links_empty(line)) {
		struct task *t = LINKED(line->next, struct task, in_all);

		if (now_us < t->submitted_us + p->limits.queue_wait_ms * 1000)
			return;
		refuse(p, t, PROBLEM_OVERLOADED, "it waited too long for its turn");
	}
}

static void waited(void *context)
{
	struct pool *p = context;
	uint64_t now_us = clock_us();

	refuse_late(p, &p->waiting, now_us);
	refuse_late(p, &p->opening, now_us);
	set_wait_timer(p);
}

static size_t count_current(const struct pool *p)
{
	size_t n = 0;

	EACH_LINK(at, &p->keepers)
	{
		const struct keeper *k = LINKED(at, struct keeper, all);

		n += !k->for_session && k->generation == p->limits.generation;
	}
	return n;
}

/* For those that wait to be opened, and so many more. */
static void ask_for_sessions(struct pool *p, size_t more)
{
	size_t spare = p->wanted_sessions;

	if (p->stopping)
		return;
	EACH_LINK(at, &p->keepers)
	{
		struct keeper *k = LINKED(at, struct keeper, all);

		spare += k->for_session && !k->session && k->n_tasks == 0 && !k->retired &&
			 k->generation == p->limits.generation;
	}
	for (; spare < p->n_opening + more; spare++) {
		p->wanted_sessions++;
		p->events.want(p->events.context, true);
	}
}

static void ask_for_more(struct pool *p)
{
	size_t have;

	if (p->stopping)
		return;
	for (have = count_current(p) + p->wanted; have < p->limits.keepers; have++) {
		p->wanted++;
		p->events.want(p->events.context, false);
	}
	ask_for_sessions(p, p->limits.session_keepers);
}

static void retry(void *context)
{
	ask_for_more(context);
}

void pool_init(struct pool *p, struct loop *l, const struct pool_events *e)
{
	memset(p, 0, sizeof(*p));
	p->loop = l;
	p->events = *e;
	links_init(&p->keepers);
	links_init(&p->waiting);
	links_init(&p->opening);
	links_init(&p->turns);
	p->wait_timer = (struct loop_timer){.due = waited, .context = p};
	p->retry_timer = (struct loop_timer){.due = retry, .context = p};
}

static bool is_idle(const struct pool *p, const struct keeper *k)
{
	return k->ready && !k->retired && k->n_tasks == 0 && !k->session &&
	       k->generation == p->limits.generation;
}

static void took(struct pool *p, struct keeper *k, struct task *t)
{
	t->keeper = k;
	t->body = NULL;
	own_fd_end(&t->stream);
	t->stream = -1;
	t->sent_us = clock_us();
	links_add(&k->tasks, &t->in_keeper);
	k->n_tasks++;
	p->n_given++;
	if (!k->for_session)
		p->n_busy++;
}

/* No longer its keeper's.  Before anybody hears of its end: they may end the keeper, too. */
static void leave_keeper(struct pool *p, struct task *t)
{
	links_remove(&t->in_keeper);
	t->keeper->n_tasks--;
	p->n_given--;
	if (!t->keeper->for_session)
		p->n_busy--;
	t->keeper = NULL;
	uncount(t);
}

void pool_end_keeper(struct pool *p, struct keeper *k)
{
	loop_remove(p->loop, &k->watch);
	(void)close(k->watch.fd);
	links_remove(&k->all);
	if (k->for_session)
		p->n_session_keepers--;
	else
		p->n_keepers--;
	while (!links_empty(&k->tasks)) {
		struct task *t = LINKED(k->tasks.next, struct task, in_keeper);

		leave_keeper(p, t);
		p->events.lost(p->events.context, t);
		pool_drop(t);
	}
	if (k->session)
		p->events.over(p->events.context, k, NULL, NULL);
	free(k);
	frontplace_free(p); /* nobody will answer who was gone out of the way for */
	ask_for_more(p);
}

/* A keeper that broke, or broke the rules. */
static void bury(struct pool *p, struct keeper *k)
{
	p->deaths++;
	pool_end_keeper(p, k);
}

/* Gives it to k.  False: k is dead and buried, and t still to be given to somebody. */
static bool give(struct pool *p, struct keeper *k, struct task *t)
{
	struct error err = {0};

	if (keeperlink_send(k, t, &err) < 0) {
		bury(p, k);
		return false;
	}
	took(p, k, t);
	return true;
}

/* One that can begin at once; NULL: none. */
static struct keeper *idle_keeper(const struct pool *p, bool for_session)
{
	EACH_LINK(at, &p->keepers)
	{
		struct keeper *k = LINKED(at, struct keeper, all);

		if (k->for_session == for_session && is_idle(p, k))
			return k;
	}
	return NULL;
}

/* Everything that can be given is given.  Looks anew each time: whoever hears of a keeper's death
 * may come back with another task. */
static void hand_out(struct pool *p)
{
	struct keeper *k;
	struct task *t;

	while (p->n_waiting > 0 && (k = idle_keeper(p, false))) {
		t = lines_next(p);
		if (!give(p, k, t))
			lines_put_back(p, t);
	}
	while (p->n_opening > 0 && (k = idle_keeper(p, true))) {
		t = lines_next_opening(p);
		if (!give(p, k, t))
			lines_put_back(p, t);
	}
	set_wait_timer(p);
}

/* Lets those go that nobody will need any more. */
static void let_go(struct pool *p)
{
	size_t spare = 0, have = count_current(p), most_spare = p->limits.session_keepers;

	if (most_spare < POOL_SPARE_MAX)
		most_spare = POOL_SPARE_MAX;
	EACH_LINK(at, &p->keepers)
	{
		struct keeper *k = LINKED(at, struct keeper, all);
		bool old = k->retired || k->generation < p->limits.generation;

		if (k->n_tasks > 0 || k->session)
			continue;
		if (!old && k->for_session)
			old = ++spare > most_spare + p->n_opening;
		else if (!old && have > p->limits.keepers &&
			 k->generation == p->limits.generation) {
			old = true;
			have--;
		}
		if (old)
			pool_end_keeper(p, k);
	}
}

void pool_set_limits(struct pool *p, const struct pool_limits *limits)
{
	p->limits = *limits;
	let_go(p);
	ask_for_more(p);
	hand_out(p);
}

/* An end that was only given up on shows nothing. */
static bool had_box(const struct task *t, const struct keep_reply *r)
{
	if (t->request.kind == KEEP_OPEN)
		return r->http_status == 201;
	return t->request.kind == KEEP_CALL && r->facts.ran && !t->silent_us;
}

static void handle(struct pool *p, struct keeper *k, struct keep_reply *r, struct buf *body,
		   int *stream)
{
	struct task *t;

	if (r->kind == KEEP_READY) {
		k->ready = true;
		return;
	}
	if (r->kind == KEEP_OVER) {
		if (k->session)
			p->events.over(p->events.context, k, r, body);
		k->session = NULL;
		pool_end_keeper(p, k);
		return;
	}
	t = keeperlink_task(k, r->serial);
	if (!t) {
		bury(p, k);
		return;
	}
	frontplace_note(p, t, r);
	if (r->kind == KEEP_BEGUN) {
		t->begun = true;
		if (t->stream < 0)
			t->stream = take_fd(stream);
		p->events.begun(p->events.context, t, r, body);
	} else if (r->kind == KEEP_OUTPUT) {
		p->events.output(p->events.context, t, r, body);
	} else if (r->kind == KEEP_SILENT) {
		t->silent_us = r->offset ? clock_us() : 0;
	} else {
		leave_keeper(p, t);
		t->on = k;
		if (had_box(t, r))
			p->ran_us = clock_us();
		p->events.answered(p->events.context, t, r, body);
		frontplace_settle(p, t->request.kind == KEEP_CODE && r->place);
		pool_drop(t);
	}
}

static void readable(void *context, uint32_t events)
{
	struct keeper *k = context;
	struct pool *p = k->pool;
	struct keep_reply r;
	struct error err = {0};
	own_fd stream = -1;
	struct buf body;
	int got;

	if (events & EPOLLOUT)
		keeperlink_flush(k);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	buf_init(&body, KEEP_ANSWER_MAX);
	got = keep_take_reply_with(k->watch.fd, &r, &body, &stream, &err);
	if (got == 1)
		handle(p, k, &r, &body, &stream);
	else if (got == 0 || err.sys != EAGAIN)
		bury(p, k);
	buf_done(&body);
	if (got != 1 || r.kind == KEEP_ANSWER || r.kind == KEEP_READY || r.kind == KEEP_OVER) {
		let_go(p);
		hand_out(p);
		/* The place of the one that was opened is filled when that is over. */
		ask_for_sessions(p, p->limits.session_keepers);
	}
}

int pool_add(struct pool *p, int fd, bool for_session, uint32_t generation, struct error *err)
{
	size_t *wanted = for_session ? &p->wanted_sessions : &p->wanted;
	struct keeper *k;

	if (*wanted > 0)
		--*wanted;
	if (fd < 0)
		return loop_set(p->loop, &p->retry_timer, clock_us() + RETRY_US, err);
	k = calloc(1, sizeof(*k));
	if (!k || keeperlink_open(p, k, fd, readable, err) < 0) {
		(void)close(fd);
		if (k)
			free(k);
		else
			(void)fail_sys(err, "add a keeper");
		return -1;
	}
	k->for_session = for_session;
	k->generation = generation;
	links_add(&p->keepers, &k->all);
	if (for_session)
		p->n_session_keepers++;
	else
		p->n_keepers++;
	let_go(p);
	return 0;
}

size_t pool_ready(const struct pool *p)
{
	size_t n = 0;

	EACH_LINK(at, &p->keepers)
	{
		const struct keeper *k = LINKED(at, struct keeper, all);

		n += k->ready && !k->for_session && k->generation == p->limits.generation;
	}
	return n;
}

static bool too_many(const struct task *t, uint64_t most)
{
	return t->runs && most > 0 && t->party->open >= most;
}

/* The newest task of the longest line makes room, unless that is the newcomer's own.  False: the
 * newcomer has to go. */
static bool make_room(struct pool *p, const struct task *newcomer)
{
	struct party *longest;

	if (p->n_waiting < p->limits.queue)
		return true;
	longest = lines_longest(p);
	if (!longest || longest->n_waiting <= newcomer->party->n_waiting + 1)
		return false;
	refuse(p, LINKED(longest->waiting.prev, struct task, in_line), PROBLEM_OVERLOADED,
	       "too many calls of this client are waiting");
	return true;
}

enum problem pool_submit(struct pool *p, struct task *t, uint64_t most)
{
	bool opens = t->request.kind == KEEP_OPEN;

	if (too_many(t, most))
		return PROBLEM_TOO_MANY_REQUESTS;
	if (!opens && !idle_keeper(p, false) && !make_room(p, t))
		return PROBLEM_OVERLOADED;
	t->submitted_us = clock_us();
	if (t->runs) {
		t->counts = true;
		t->party->open++;
	}
	lines_join(p, t);
	hand_out(p);
	ask_for_sessions(p, 0);
	return PROBLEM_NONE;
}

enum problem pool_send(struct pool *p, struct keeper *k, struct task *t, uint64_t most)
{
	struct error err = {0};

	if (too_many(t, most) || k->n_tasks >= POOL_TASKS_MAX)
		return PROBLEM_TOO_MANY_REQUESTS;
	t->submitted_us = clock_us();
	if (keeperlink_send(k, t, &err) < 0) {
		if (err.sys == EAGAIN)
			return PROBLEM_OVERLOADED;
		bury(p, k);
		return PROBLEM_GONE;
	}
	if (t->runs) {
		t->counts = true;
		t->party->open++;
	}
	took(p, k, t);
	return PROBLEM_NONE;
}

void pool_retire(struct keeper *k)
{
	k->retired = true;
}

void pool_tell(struct keeper *k, struct keep_request *r)
{
	struct error err = {0};

	(void)keep_send_request(k->watch.fd, r, NULL, 0, &err);
}

void pool_cancel(struct pool *p, struct task *t)
{
	if (!t->keeper) {
		refuse(p, t, PROBLEM_CONFLICT, "it was cancelled before its turn came");
		set_wait_timer(p);
		return;
	}
	if (t->cancel)
		return;
	t->cancel = true;
	t->cancelled_us = clock_us();
	keeperlink_flush(t->keeper);
}

void pool_abandon(struct pool *p, struct task *t)
{
	t->visit = NULL;
	if (!t->keeper)
		refuse(p, t, PROBLEM_NONE, "");
	else if (t->runs)
		pool_cancel(p, t);
}

/* Of what k has, is anything overdue? */
static bool hangs(const struct keeper *k, uint64_t now_us)
{
	EACH_LINK(at, &k->tasks)
	{
		const struct task *t = LINKED(at, struct task, in_keeper);

		if (t->cancel && now_us > t->cancelled_us + POOL_CANCEL_S * UINT64_C(1000000))
			return true;
		if (!t->runs && now_us > t->sent_us + POOL_QUICK_S * UINT64_C(1000000))
			return true;
	}
	return false;
}

static struct keeper *hanging(const struct pool *p, uint64_t now_us)
{
	EACH_LINK(at, &p->keepers)
	{
		struct keeper *k = LINKED(at, struct keeper, all);

		if (hangs(k, now_us))
			return k;
	}
	return NULL;
}

void pool_tick(struct pool *p, uint64_t now_us)
{
	struct keeper *k;

	while ((k = hanging(p, now_us)))
		bury(p, k);
	ask_for_more(p);
	hand_out(p);
}

void pool_done(struct pool *p)
{
	p->stopping = true;
	while (!links_empty(&p->waiting))
		refuse(p, LINKED(p->waiting.next, struct task, in_all), PROBLEM_DRAINING, "");
	while (!links_empty(&p->opening))
		refuse(p, LINKED(p->opening.next, struct task, in_all), PROBLEM_DRAINING, "");
	while (!links_empty(&p->keepers))
		pool_end_keeper(p, LINKED(p->keepers.next, struct keeper, all));
	loop_unset(p->loop, &p->wait_timer);
	loop_unset(p->loop, &p->retry_timer);
	frontplace_free(p);
}
