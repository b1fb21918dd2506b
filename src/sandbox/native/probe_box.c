/* SPDX-License-Identifier: Apache-2.0 */
/* probe_box.c - the last question: does a box really start here, and with which layers? */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/native/probe_parts.h"
#include "sandbox/sandbox.h"

enum { WALL_MS = 10000 };

static void list_weak(const struct account *a, char *ret, size_t room)
{
	ret[0] = '\0';
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct layer_report *layer = &a->outcome.layers[i];
		size_t used = strlen(ret);

		/* Off because nobody listed programs. */
		if (layer->state == LAYER_FULL || i == LAYER_PROGRAMS)
			continue;
		(void)snprintf(ret + used, room - used, "%s%s %s", used ? ", " : "",
			       layer_name((enum layer)i), layer_state_name(layer->state));
	}
}

static void judge_account(const struct account *a, struct finding *ret)
{
	char weak[160];

	list_weak(a, weak, sizeof(weak));
	if (a->status != STATUS_SUCCESS) {
		found(ret, CHECK_MISSING, "%s: %.180s", status_name(a->status),
		      a->outcome.error.text[0] ? a->outcome.error.text
					       : "the program did not end well");
		fix(ret, "if the rows above are fine: belljar run --json -- true says more");
		return;
	}
	found(ret, CHECK_OK, "/usr/bin/true started after %.1f ms; %s%s",
	      (double)a->outcome.setup_us / 1000,
	      weak[0] ? "not in full force: " : "all layers full", weak);
}

/* With every layer allowed to be weaker: which are, the rows above say, and the box itself. */
void look_box(const struct check *self, struct finding *ret)
{
	static char program[] = "/usr/bin/true", path[] = "PATH=/usr/bin";
	char *argv[] = {program, NULL}, *env[] = {path, NULL};
	struct request request;
	struct account account;
	struct error err;

	(void)self;
	request_init(&request);
	request.job.argv = argv;
	request.job.env = env;
	request.job.limits.wall_ms = WALL_MS;
	request.profile.allow_degraded = UINT32_MAX;
	if (sandbox_run(&request, &account, &err) < 0) {
		found(ret, CHECK_MISSING, "%.220s", err.text);
		fix(ret, "if the rows above are fine: belljar run --json -- true says more");
		return;
	}
	judge_account(&account, ret);
	account_done(&account);
}
