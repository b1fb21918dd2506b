/* SPDX-License-Identifier: Apache-2.0 */
/* poollines.c - the lines in which tasks wait: one for each client, and one for sessions. */
#include "serve/api/poollines.h"

/* Out of its line. */
void lines_leave(struct pool *p, struct task *t)
{
	if (!links_in(&t->in_all))
		return;
	links_remove(&t->in_all);
	if (t->request.kind == KEEP_OPEN) {
		p->n_opening--;
		return;
	}
	p->n_waiting--;
	if (links_in(&t->in_line)) {
		links_remove(&t->in_line);
		t->party->n_waiting--;
	}
	if (t->party->n_waiting == 0)
		links_remove(&t->party->turn);
}

void lines_join(struct pool *p, struct task *t)
{
	links_add(t->request.kind == KEEP_OPEN ? &p->opening : &p->waiting, &t->in_all);
	if (t->request.kind == KEEP_OPEN) {
		p->n_opening++;
		return;
	}
	p->n_waiting++;
	links_add(&t->party->waiting, &t->in_line);
	t->party->n_waiting++;
	if (!links_in(&t->party->turn))
		links_add(&p->turns, &t->party->turn);
}

/* Back to the head of its line: its keeper was dead before it got it. */
void lines_put_back(struct pool *p, struct task *t)
{
	struct links *line = t->request.kind == KEEP_OPEN ? &p->opening : &p->waiting;

	links_add_before(line->next, &t->in_all);
	if (t->request.kind == KEEP_OPEN) {
		p->n_opening++;
		return;
	}
	p->n_waiting++;
	links_add_before(t->party->waiting.next, &t->in_line);
	t->party->n_waiting++;
	if (!links_in(&t->party->turn))
		links_add_before(p->turns.next, &t->party->turn);
}

/* The next task for a keeper that runs one at a time: the first of the client whose turn it is. */
struct task *lines_next(struct pool *p)
{
	struct party *whose;
	struct task *t;

	if (links_empty(&p->turns))
		return NULL;
	whose = LINKED(p->turns.next, struct party, turn);
	t = LINKED(whose->waiting.next, struct task, in_line);
	links_remove(&whose->turn);
	links_add(&p->turns, &whose->turn);
	lines_leave(p, t);
	return t;
}

struct task *lines_next_opening(struct pool *p)
{
	struct task *t =
		links_empty(&p->opening) ? NULL : LINKED(p->opening.next, struct task, in_all);

	if (t)
		lines_leave(p, t);
	return t;
}

struct party *lines_longest(const struct pool *p)
{
	struct party *longest = NULL;

	EACH_LINK(at, &p->turns)
	{
		struct party *one = LINKED(at, struct party, turn);

		if (!longest || one->n_waiting > longest->n_waiting)
			longest = one;
	}
	return longest;
}
