/* SPDX-License-Identifier: Apache-2.0 */
/* reloading.c - POST /v1/admin/reload: the policy is read again, and whoever asked hears what came
 * of it.
 *
 * The reading begins after the question: whoever wrote the file before asking
 * hears about what they wrote.
 */
#include "base/clock.h"
#include "base/own.h"
#include "serve/api/front.h"

enum { SMALL = 4096 };

void reloading_serve(struct visit *v)
{
	struct front *f = v->front;

	if (f->draining) {
		respond_problem(v, PROBLEM_DRAINING, "the service is being stopped");
		return;
	}
	v->reload = ++f->reloads;
	v->wait_until_us = clock_us() + f->config.reload_ms * 1000;
	f->config.ask(f->config.context, ROLE_RELOAD, v->reload);
}

void reloading_late(struct visit *v)
{
	respond_problem(v, PROBLEM_TIMEOUT,
			"the policy is still being read; the policy of before is in force until "
			"/version says another");
}

void reloading_drain(struct front *f)
{
	EACH_LINK(at, &f->visits)
	{
		struct visit *v = LINKED(at, struct visit, all);

		if (v->reload)
			respond_problem(v, PROBLEM_DRAINING, "the service is being stopped");
	}
}

static void say_done(struct visit *v, const char *note)
{
	const struct view *view = v->front->view;
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	buf_init(&out, SMALL);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "policy_sha256", view->policy_sha256);
	jsonout_uint(&j, "policy_generation", view->generation);
	if (*note)
		jsonout_str(&j, "note", note);
	jsonout_object_end(&j);
	(void)jsonout_end(&j);
	respond_json(v, 200, &out);
}

void api_reloaded(struct front *f, const struct api_reload *r)
{
	EACH_LINK(at, &f->visits)
	{
		struct visit *v = LINKED(at, struct visit, all);

		if (!v->reload || v->reload > r->number)
			continue;
		if (r->done)
			say_done(v, r->text);
		else
			respond_problem(v, PROBLEM_UNPROCESSABLE,
					*r->text ? r->text
						 : "everything goes on by the policy of before");
	}
}
