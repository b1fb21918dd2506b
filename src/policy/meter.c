/* SPDX-License-Identifier: Apache-2.0 */
/* meter.c - how often, how many at once, how much: buckets, places and budgets that outlive us.
 *
 * A call is asked about everything first (the rates of everybody, of its client,
 * of its tool; the client's budget; a place among those running) and charged
 * only if all of it says yes, in one piece under one lock.
 *
 * A place is a lock on one byte far behind the end of the file, so the kernel
 * counts, and gives it back when the process ends, however it ends.
 */
#include "policy/meter.h"

#include <assert.h>
#include <stdlib.h>

#include "base/own.h"
#include "policy/meterbill.h"
#include "policy/meterdir.h"
#include "policy/meterstore.h"
#include "policy/meterwhy.h"

enum {
	PLACES_MAX = 1 << 16,
	RUNNING_MAX = 1 << 16,
	LEAVE_WAIT_MS = 10000, /* nobody is refused by it, but a cost would be lost */
};

struct ticket {
	uint64_t id;
	uint64_t place;
	bool has_place;
};

struct meter {
	struct store store;
	struct error error;
	struct ticket *tickets; /* calls of this process that run now */
	size_t n_tickets, room;
	uint64_t last_id;
};

/* One call that is being asked about. */
struct visit {
	struct meter *m;
	const struct client *client;
	const struct tool *tool;
	struct bill bill;
	bool begun, has_place; /* the store is locked, or was tried to be; place is ours */
	uint64_t place;
};

static bool is_held_here(const struct meter *m, uint64_t place)
{
	for (size_t i = 0; i < m->n_tickets; i++)
		if (m->tickets[i].has_place && m->tickets[i].place == place)
			return true;
	return false;
}

static enum answer ask_place(struct visit *v, struct why *why)
{
	uint64_t n = v->tool->concurrency < PLACES_MAX ? v->tool->concurrency : PLACES_MAX;
	struct meter *m = v->m;
	struct meter_key key;
	uint64_t first;

	if (v->tool->concurrency == 0)
		return ANSWER_ALLOW;
	key = meter_key(m->store.head->secret, METER_PLACES, 0, NULL, v->tool->name);
	first = (key.a >> 20) * PLACES_MAX; /* 60 bits: below the highest offset of a file */
	for (uint64_t i = 0; i < n; i++) {
		if (is_held_here(m, first + i) || !store_take_place(&m->store, first + i))
			continue;
		v->has_place = true;
		v->place = first + i;
		return ANSWER_ALLOW;
	}
	return meterwhy_places(why, v->tool);
}

static int keep_ticket(const struct visit *v, uint64_t *ret_ticket)
{
	struct meter *m = v->m;

	if (m->n_tickets == m->room) {
		size_t room = m->room ? 2 * m->room : 8;
		struct ticket *more =
			room > RUNNING_MAX ? NULL : reallocarray(m->tickets, room, sizeof(*more));

		if (!more)
			return fail(&m->error, ERR_SYSTEM, "too many calls are running");
		m->tickets = more;
		m->room = room;
	}
	*ret_ticket = ++m->last_id;
	m->tickets[m->n_tickets++] =
		(struct ticket){.id = m->last_id, .has_place = v->has_place, .place = v->place};
	return 0;
}

static int begin(struct visit *v, uint64_t now_ms, uint64_t wait_ms)
{
	struct meter *m = v->m;

	v->begun = true;
	if (store_begin(&m->store, now_ms, wait_ms, &m->error) < 0)
		return -1;
	bill_start(&v->bill, &m->store, v->client, v->tool, &m->error);
	return 0;
}

static int draw_up(struct visit *v, const struct policy *p, uint64_t now_ms)
{
	if (begin(v, now_ms, STORE_WAIT_MS) < 0 || bill_add_rates(&v->bill, p) < 0)
		return -1;
	return bill_add_budgets(&v->bill);
}

static bool has_budget(const struct client *c)
{
	return c->budget.calls || c->budget.cpu_ms || c->budget.output_bytes;
}

/* Nothing is counted for it, not even a place: then nobody needs to know what was before. */
static bool is_free(const struct visit *v, const struct policy *p)
{
	return p->rates.n == 0 && v->client->rates.n == 0 && v->tool->rates.n == 0 &&
	       v->tool->rates.unlimited && v->tool->concurrency == 0 && !has_budget(v->client);
}

static enum answer decide(struct visit *v, const struct policy *p, uint64_t now_ms,
			  uint64_t *ret_ticket, struct remaining *ret_left, struct why *why)
{
	struct meter *m = v->m;
	uint64_t ticket = 0;
	enum answer answer;

	*ret_left = (struct remaining){0};
	if (is_free(v, p))
		return ret_ticket && keep_ticket(v, ret_ticket) < 0 ? meter_unusable(why)
								    : ANSWER_ALLOW;
	if (draw_up(v, p, now_ms) < 0)
		return meter_unusable(why);
	answer = bill_ask(&v->bill, why);
	if (answer == ANSWER_ALLOW)
		answer = ask_place(v, why);
	if (answer == ANSWER_ALLOW && ret_ticket) {
		if (keep_ticket(v, &ticket) < 0)
			return meter_unusable(why);
		bill_charge(&v->bill);
	}
	if (store_commit(&m->store, &m->error) < 0) {
		m->n_tickets -= ticket != 0;
		return meter_unusable(why);
	}
	bill_tell_rates(&v->bill, ret_left);
	bill_tell_budgets(&v->bill, ret_left);
	if (ticket) {
		v->has_place = false; /* it is the ticket's now */
		*ret_ticket = ticket;
	}
	return answer;
}

/* Large: only what is used is written. */
static void start_visit(struct visit *v, struct meter *m, const struct client *c,
			const struct tool *t)
{
	assert(m && c);
	m->error = (struct error){0};
	v->m = m;
	v->client = c;
	v->tool = t;
	v->has_place = v->begun = false;
}

static void end_visit(const struct visit *v)
{
	if (v->has_place)
		store_leave_place(&v->m->store, v->place);
	if (v->begun)
		store_finish(&v->m->store);
}

/* NOLINTNEXTLINE(readability-function-size): a call has that many sides */
enum answer meter_admit(struct meter *m, const struct policy *p, const struct client *c,
			const struct tool *t, uint64_t now_ms, uint64_t *ret_ticket,
			struct remaining *ret_left, struct why *why)
{
	struct visit v;
	enum answer answer;

	assert(p && t && ret_ticket);
	start_visit(&v, m, c, t);
	answer = decide(&v, p, now_ms, ret_ticket, ret_left, why);
	end_visit(&v);
	return answer;
}

/* NOLINTNEXTLINE(readability-function-size) */
enum answer meter_peek(struct meter *m, const struct policy *p, const struct client *c,
		       const struct tool *t, uint64_t now_ms, struct remaining *ret_left,
		       struct why *why)
{
	struct visit v;
	enum answer answer;

	assert(p && t);
	start_visit(&v, m, c, t);
	answer = decide(&v, p, now_ms, NULL, ret_left, why);
	end_visit(&v);
	return answer;
}

static bool end_ticket(struct meter *m, uint64_t ticket)
{
	for (size_t i = 0; i < m->n_tickets; i++) {
		if (m->tickets[i].id != ticket)
			continue;
		if (m->tickets[i].has_place)
			store_leave_place(&m->store, m->tickets[i].place);
		m->tickets[i] = m->tickets[--m->n_tickets];
		return true;
	}
	return false;
}

/* NOLINTNEXTLINE(readability-function-size) */
void meter_leave(struct meter *m, uint64_t ticket, const struct client *c, uint64_t now_ms,
		 uint64_t cpu_ms, uint64_t output_bytes, struct remaining *ret_left)
{
	struct visit v;

	start_visit(&v, m, c, NULL);
	if ((ticket && !end_ticket(m, ticket)) || !has_budget(c))
		return;
	if (begin(&v, now_ms, LEAVE_WAIT_MS) == 0 && bill_add_budgets(&v.bill) == 0) {
		bill_charge_cost(&v.bill, cpu_ms, output_bytes);
		if (store_commit(&m->store, &m->error) == 0)
			bill_tell_budgets(&v.bill, ret_left);
	}
	end_visit(&v);
}

const struct error *meter_error(const struct meter *m)
{
	return &m->error;
}

struct meter *meter_open(const char *dir, struct error *err)
{
	own_meter m = calloc(1, sizeof(*m));
	int fd;

	if (!m) {
		(void)fail(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	m->store = (struct store){.dir = -1, .file = -1};
	fd = meterdir_open(dir, err);
	if (fd < 0 || store_open(&m->store, fd, err) < 0)
		return NULL;
	return TAKE(m);
}

struct meter *meter_open_memory(struct error *err)
{
	own_meter m = calloc(1, sizeof(*m));

	if (!m) {
		(void)fail(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	return store_open_memory(&m->store, err) < 0 ? NULL : TAKE(m);
}

int meter_file(const struct meter *m)
{
	return m->store.file;
}

void meter_close(struct meter *m)
{
	if (!m)
		return;
	store_done(&m->store);
	free(m->tickets);
	free(m);
}

void meter_end(struct meter **m)
{
	meter_close(*m);
}
