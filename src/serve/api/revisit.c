/* SPDX-License-Identifier: Apache-2.0 */
/* revisit.c - when another policy counts, whoever was let in by the old one is looked at again.
 *
 * What a keeper has taken goes on by the policy under which it began, and who
 * had the policy read hears what came of it.  But a request whose body has
 * still to come, that waits for its turn, or that only looks on has not begun:
 * with a key that was taken away it ends here, and not whenever its client is
 * pleased to end it.
 */
#include "serve/api/frontdoor.h"

static bool has_begun(const struct visit *v)
{
	if (v->streaming)
		return v->match.route->to != TO_CALLS && v->file_left == 0;
	return v->status || v->reload || (v->task && v->task->keeper);
}

static void turn_out(struct visit *v)
{
	struct task *t = v->task;

	if (v->streaming) {
		visit_let_go(v);
		http_cut(v->x);
		return;
	}
	v->task = NULL;
	respond_problem(v, PROBLEM_UNAUTHORIZED,
			"the policy has changed: this is not allowed any more");
	if (t)
		pool_abandon(&v->front->pool, t);
}

void revisit_all(struct front *f)
{
	EACH_LINK(at, &f->visits)
	{
		struct visit *v = LINKED(at, struct visit, all);

		if (!has_begun(v) && !frontdoor_still(v))
			turn_out(v);
	}
}
