/* SPDX-License-Identifier: Apache-2.0 */
/* frontpool_test.c - who is next for a keeper, with keepers that are sockets in this process. */
#include "serve/api/pool.h"

#include <sys/socket.h>

#include "base/clock.h"
#include "tap.h"

enum { KEEPERS_MAX = 8 };

struct world {
	struct loop *loop;
	struct pool pool;
	struct parties parties;
	int ends[KEEPERS_MAX]; /* the keepers' sides */
	size_t n_ends;
	size_t wants[2];
	size_t n_answered, n_lost, n_refused;
	bool ran;      /* what calls are answered from now on */
	char log[512]; /* one letter for each task that ended: client, or upper case: refused */
};

static void note(struct world *w, const struct task *t, bool refused)
{
	size_t len = strlen(w->log);

	w->log[len] = (char)(t->party->name[0] - (refused ? 32 : 0));
}

static void on_said(void *context, struct task *t, const struct keep_reply *r,
		    const struct buf *body)
{
	(void)context;
	(void)t;
	(void)r;
	(void)body;
}

static void on_answered(void *context, struct task *t, const struct keep_reply *r, struct buf *body)
{
	struct world *w = context;

	(void)r;
	(void)body;
	w->n_answered++;
	note(w, t, false);
}

static void on_lost(void *context, struct task *t)
{
	struct world *w = context;

	(void)t;
	w->n_lost++;
}

static void on_refused(void *context, struct task *t, enum problem p, const char *detail)
{
	struct world *w = context;

	(void)p;
	(void)detail;
	w->n_refused++;
	note(w, t, true);
}

static void on_over(void *context, struct keeper *k, const struct keep_reply *r,
		    const struct buf *body)
{
	(void)context;
	(void)k;
	(void)r;
	(void)body;
}

static void on_want(void *context, bool for_session)
{
	((struct world *)context)->wants[for_session]++;
}

static void set_up(struct world *w, size_t keepers, size_t queue)
{
	struct pool_events events = {on_said,    on_said, on_answered, on_lost,
				     on_refused, on_over, on_want,     w};
	struct pool_limits limits = {
		.generation = 1, .keepers = keepers, .queue = queue, .queue_wait_ms = 600000};
	struct error err;

	memset(w, 0, sizeof(*w));
	w->loop = loop_new(&err);
	parties_init(&w->parties);
	pool_init(&w->pool, w->loop, &events);
	pool_set_limits(&w->pool, &limits);
}

static void tear_down(struct world *w)
{
	pool_done(&w->pool);
	parties_done(&w->parties);
	loop_free(w->loop);
}

static void turn(struct world *w)
{
	struct error err;

	for (int i = 0; i < 20; i++)
		(void)loop_turn(w->loop, 0, &err);
}

static void add_keeper(struct world *w, bool session, uint32_t generation)
{
	struct keep_reply ready = {.kind = KEEP_READY};
	struct error err = {0};
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	w->ends[w->n_ends++] = pair[1];
	CHECK(pool_add(&w->pool, pair[0], session, generation, &err) == 0);
	(void)keep_send_reply(pair[1], &ready, NULL, 0, &err);
	turn(w);
}

static enum problem submit(struct world *w, const char *name, uint64_t most)
{
	struct task *t = pool_task(&w->pool);
	enum problem p;

	t->request.kind = KEEP_CALL;
	t->party = party_get(&w->parties, name);
	t->runs = true;
	p = pool_submit(&w->pool, t, most);
	if (p != PROBLEM_NONE)
		pool_drop(t);
	return p;
}

/* The keeper at this end answers what it has.  False: nothing. */
static bool answer(struct world *w, size_t end)
{
	struct keep_reply r = {.kind = KEEP_ANSWER, .http_status = 200, .facts = {.ran = w->ran}};
	struct keep_request asked;
	struct error err = {0};
	struct buf body;
	char peek;

	if (recv(w->ends[end], &peek, 1, MSG_PEEK | MSG_DONTWAIT) < 0)
		return false;
	buf_init(&body, 1 << 20);
	CHECK(keep_take_request(w->ends[end], &asked, &body, &err) == 1);
	buf_done(&body);
	r.serial = asked.serial;
	if (asked.kind == KEEP_CALL || asked.kind == KEEP_OPEN)
		CHECK(keep_send_reply(w->ends[end], &r, NULL, 0, &err) == 0);
	turn(w);
	return true;
}

TEST(keepers_are_asked_for_and_replaced)
{
	struct world w;

	set_up(&w, 3, 10);
	CHECK(w.wants[0] == 3 && w.wants[1] == 0);
	add_keeper(&w, false, 1);
	add_keeper(&w, false, 1);
	CHECK(pool_ready(&w.pool) == 2);
	(void)close(w.ends[0]);
	turn(&w);
	CHECK(pool_ready(&w.pool) == 1 && w.pool.deaths == 1 && w.wants[0] == 4);
	tear_down(&w);
}

TEST(clients_take_turns)
{
	struct world w;

	set_up(&w, 1, 100);
	add_keeper(&w, false, 1);
	for (int i = 0; i < 6; i++)
		CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	for (int i = 0; i < 3; i++)
		CHECK(submit(&w, "bob", 0) == PROBLEM_NONE);
	CHECK(submit(&w, "cat", 0) == PROBLEM_NONE);
	while (answer(&w, 0))
		continue;
	CHECK_STR(w.log, "aabcababaa");
	CHECK(party_get(&w.parties, "ann")->open == 0);
	tear_down(&w);
}

TEST(the_longest_line_makes_room)
{
	struct world w;

	set_up(&w, 1, 4);
	add_keeper(&w, false, 1);
	for (int i = 0; i < 5; i++)
		CHECK(submit(&w, "ann", 0) == PROBLEM_NONE); /* one runs, four wait */
	CHECK(submit(&w, "ann", 0) == PROBLEM_OVERLOADED);
	CHECK(submit(&w, "bob", 0) == PROBLEM_NONE);
	CHECK(submit(&w, "bob", 0) == PROBLEM_NONE);
	CHECK(submit(&w, "bob", 0) == PROBLEM_OVERLOADED);
	CHECK(submit(&w, "cat", 0) == PROBLEM_OVERLOADED || w.n_refused == 3);
	CHECK(w.pool.n_waiting == 4);
	while (answer(&w, 0))
		continue;
	CHECK(w.n_answered == 5);
	tear_down(&w);
}

TEST(a_client_has_a_cap_of_its_own)
{
	struct world w;

	set_up(&w, 2, 10);
	add_keeper(&w, false, 1);
	CHECK(submit(&w, "ann", 2) == PROBLEM_NONE);
	CHECK(submit(&w, "ann", 2) == PROBLEM_NONE);
	CHECK(submit(&w, "ann", 2) == PROBLEM_TOO_MANY_REQUESTS);
	CHECK(submit(&w, "bob", 2) == PROBLEM_NONE);
	while (answer(&w, 0))
		continue;
	CHECK(submit(&w, "ann", 2) == PROBLEM_NONE);
	tear_down(&w);
}

TEST(an_old_policy_judges_nothing_new)
{
	struct world w;
	struct pool_limits limits = {
		.generation = 2, .keepers = 1, .queue = 10, .queue_wait_ms = 600000};

	set_up(&w, 1, 10);
	add_keeper(&w, false, 1);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	pool_set_limits(&w.pool, &limits);
	CHECK(answer(&w, 0)); /* it may finish what it has */
	CHECK(w.n_answered == 1 && w.pool.n_keepers == 0 && w.pool.n_waiting == 1);
	add_keeper(&w, false, 1); /* one that was on its way */
	CHECK(w.pool.n_keepers == 0);
	add_keeper(&w, false, 2);
	CHECK(w.pool.n_waiting == 0);
	CHECK(answer(&w, 2));
	CHECK(w.n_answered == 2);
	tear_down(&w);
}

TEST(what_a_dead_keeper_never_got_goes_to_the_next)
{
	struct world w;

	set_up(&w, 2, 10);
	add_keeper(&w, false, 1);
	add_keeper(&w, false, 1);
	(void)close(w.ends[0]); /* and nobody has noticed yet */
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	turn(&w);
	CHECK(w.n_lost == 0);
	CHECK(answer(&w, 1));
	CHECK(w.n_answered == 1 && w.n_lost == 0);
	tear_down(&w);
}

TEST(a_keeper_s_death_loses_its_task_once)
{
	struct world w;

	set_up(&w, 1, 10);
	add_keeper(&w, false, 1);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	(void)close(w.ends[0]);
	turn(&w);
	CHECK(w.n_lost == 1 && w.n_answered == 0 && w.n_refused == 0);
	CHECK(party_get(&w.parties, "ann")->open == 0 && w.pool.n_busy == 0);
	tear_down(&w);
}

static cpu_set_t mask(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
	return set;
}

/* A snippet for the first keeper, which is on another processor than this one. */
static void send_code(struct world *w, uint32_t place)
{
	struct task *t = pool_task(&w->pool);

	t->request.kind = KEEP_CODE;
	t->party = party_get(&w->parties, "ann");
	t->runs = true;
	w->pool.place = place;
	CHECK(pool_send(&w->pool, LINKED(w->pool.keepers.next, struct keeper, all), t, 0) ==
	      PROBLEM_NONE);
}

TEST(a_front_that_went_out_of_the_way_comes_back_however_it_ends)
{
	struct keep_reply r = {.kind = KEEP_BEGUN};
	cpu_set_t before = mask(), now;
	uint32_t other = 0;
	struct error err = {0};
	struct world w;

	if (CPU_COUNT(&before) < 2)
		SKIP("one processor");
	for (int how = 0; how < 4;) {
		set_up(&w, 1, 10);
		add_keeper(&w, true, 1);
		for (other = 1; !CPU_ISSET(other - 1, &before) || other == beside_here();)
			other++;
		send_code(&w, other);
		if (!w.pool.beside.apart) { /* it was moved there just then */
			tear_down(&w);
			continue;
		}
		now = mask();
		CHECK(!CPU_ISSET(other - 1, &now)); /* the twin */
		r.serial = w.pool.serial;
		r.kind = how == 1 ? KEEP_BEGUN : how == 2 ? KEEP_ANSWER : KEEP_OVER;
		if (how == 0)
			(void)close(w.ends[0]);
		else
			CHECK(keep_send_reply(w.ends[0], &r, NULL, 0, &err) == 0);
		turn(&w);
		now = mask();
		CHECK(!w.pool.beside.apart && CPU_EQUAL(&before, &now));
		tear_down(&w);
		how++;
	}
}

TEST(a_serial_that_nobody_has_ends_the_keeper)
{
	struct world w;
	struct keep_reply r = {.kind = KEEP_ANSWER, .http_status = 200, .serial = 4711};
	struct error err = {0};

	set_up(&w, 1, 10);
	add_keeper(&w, false, 1);
	CHECK(keep_send_reply(w.ends[0], &r, NULL, 0, &err) == 0);
	turn(&w);
	CHECK(w.pool.n_keepers == 0 && w.pool.deaths == 1);
	tear_down(&w);
}

TEST(what_waited_too_long_is_refused)
{
	struct world w;
	struct pool_limits limits = {
		.generation = 1, .keepers = 1, .queue = 10, .queue_wait_ms = 1};
	struct error err;

	set_up(&w, 1, 10);
	pool_set_limits(&w.pool, &limits);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	for (int i = 0; i < 600 && w.n_refused == 0; i++)
		(void)loop_turn(w.loop, 100, &err);
	CHECK(w.n_refused == 1 && w.pool.n_waiting == 0);
	tear_down(&w);
}

TEST(a_keeper_that_will_not_end_is_ended)
{
	struct world w;
	uint64_t later = UINT64_C(1) << 60;

	set_up(&w, 1, 10);
	add_keeper(&w, false, 1);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	pool_tick(&w.pool, later); /* a program may run as long as it likes */
	CHECK(w.n_lost == 0);
	pool_cancel(&w.pool, LINKED(LINKED(w.pool.keepers.next, struct keeper, all)->tasks.next,
				    struct task, in_keeper));
	pool_tick(&w.pool, 0);
	CHECK(w.n_lost == 0);
	pool_tick(&w.pool, later);
	CHECK(w.n_lost == 1 && w.pool.n_keepers == 0);
	tear_down(&w);
}

static void say_silent(struct world *w, size_t end, uint64_t serial, bool is_silent)
{
	struct keep_reply r = {.kind = KEEP_SILENT, .serial = serial, .offset = is_silent};
	struct error err = {0};

	CHECK(keep_send_reply(w->ends[end], &r, NULL, 0, &err) == 0);
	turn(w);
}

static struct task *only_task(struct keeper *k)
{
	return LINKED(k->tasks.next, struct task, in_keeper);
}

TEST(without_a_keeper_whose_slot_answers_it_is_stuck)
{
	struct world w;
	uint64_t now, later;

	set_up(&w, 1, 10);
	add_keeper(&w, false, 1);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	now = clock_us();
	later = now + UINT64_C(3600) * 1000000;
	CHECK(!pool_is_stuck(&w.pool, now) && pool_is_stuck(&w.pool, later)); /* it never began */
	only_task(LINKED(w.pool.keepers.next, struct keeper, all))->begun = true;
	CHECK(!pool_is_stuck(&w.pool, later)); /* it runs for long */
	say_silent(&w, 0, 1, true);
	CHECK(pool_is_stuck(&w.pool, clock_us()) && pool_is_stuck(&w.pool, later));
	say_silent(&w, 0, 1, false);
	CHECK(!pool_is_stuck(&w.pool, later));
	say_silent(&w, 0, 1, true);
	CHECK(answer(&w, 0) && w.n_answered == 1 && !pool_is_stuck(&w.pool, later));
	tear_down(&w);
}

TEST(those_that_nobody_tried_are_doubted_until_a_call_runs_and_not_for_ever)
{
	struct world w;
	uint64_t later = clock_us() + UINT64_C(3600) * 1000000;

	set_up(&w, 2, 10);
	add_keeper(&w, false, 1);
	add_keeper(&w, false, 1);
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE);
	only_task(LINKED(w.pool.keepers.next, struct keeper, all))->begun = true;
	say_silent(&w, 0, 1, true);
	CHECK(pool_is_stuck(&w.pool, clock_us()) && !pool_is_stuck(&w.pool, later));
	/* What was refused says nothing of boxes. */
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE && answer(&w, 1));
	CHECK(pool_is_stuck(&w.pool, clock_us()));
	w.ran = true;
	CHECK(submit(&w, "ann", 0) == PROBLEM_NONE && answer(&w, 1));
	CHECK(!pool_is_stuck(&w.pool, clock_us()));
	tear_down(&w);
}

static void open_session(struct world *w)
{
	struct task *t = pool_task(&w->pool);

	t->request.kind = KEEP_OPEN;
	t->party = party_get(&w->parties, "ann");
	CHECK(pool_submit(&w->pool, t, 0) == PROBLEM_NONE);
}

TEST(keepers_wait_for_sessions_that_nobody_has_opened_yet)
{
	struct pool_limits limits = {.generation = 1,
				     .keepers = 1,
				     .session_keepers = 2,
				     .queue = 10,
				     .queue_wait_ms = 600000};
	struct world w;

	set_up(&w, 1, 10);
	CHECK(w.wants[1] == 0);
	pool_set_limits(&w.pool, &limits);
	CHECK(w.wants[1] == 2);
	add_keeper(&w, true, 1);
	add_keeper(&w, true, 1);
	CHECK(w.wants[1] == 2 && w.pool.n_session_keepers == 2);
	/* One is there: it is not replaced before it has answered. */
	open_session(&w);
	CHECK(w.pool.n_opening == 0 && w.wants[1] == 2);
	/* Of three more, two have to wait for somebody. */
	open_session(&w);
	open_session(&w);
	open_session(&w);
	CHECK(w.pool.n_opening == 2 && w.wants[1] == 4);
	CHECK(answer(&w, 0));
	CHECK(w.n_answered == 1 && w.wants[1] >= 5);
	tear_down(&w);
}

TEST(a_session_waits_for_a_keeper_of_its_own)
{
	struct world w;
	struct task *t;

	set_up(&w, 1, 10);
	add_keeper(&w, false, 1);
	t = pool_task(&w.pool);
	t->request.kind = KEEP_OPEN;
	t->party = party_get(&w.parties, "ann");
	CHECK(pool_submit(&w.pool, t, 0) == PROBLEM_NONE);
	CHECK(w.wants[1] == 1 && w.pool.n_opening == 1);
	add_keeper(&w, true, 1);
	CHECK(w.pool.n_opening == 0 && w.pool.n_session_keepers == 1);
	tear_down(&w);
	CHECK(w.n_lost == 1);
}
