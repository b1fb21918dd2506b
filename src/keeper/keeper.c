/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - the process that serves one call at a time: opened, sealed, then one loop. */
#include "keeper/keeper.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "gate/steps.h"
#include "keeper/keepanswer.h"

enum { PATIENCE_MS = 2000 };

void keeper_say(const struct keeper *k, const struct error *err)
{
	char line[4 * sizeof(err->text)];

	(void)k;
	text_one_line(err->text, line, sizeof(line));
	(void)fprintf(stderr, "belljar keeper: %s\n", line);
}

/* It may quote what the caller sent: the name of a program, say. */
void keeper_say_trouble(const struct keeper *k, struct passage *p)
{
	struct error err = p->trouble, ignored = {0};
	own_str text = NULL;
	size_t len;

	if (err.kind == ERR_NONE)
		return;
	text = redaction_clean(p, err.text, strlen(err.text), &len, &ignored);
	(void)snprintf(err.text, sizeof(err.text), "%s",
		       text ? text : "something went wrong with a call");
	keeper_say(k, &err);
}

static int open_audit(struct keeper *k, const struct keeper_options *o, struct error *err)
{
	const struct audit_rules *rules = &k->policy->audit;
	const struct audit_config config = {
		.directory = rules->directory ? rules->directory : o->audit,
		.state = o->state,
		.allow_degraded = k->policy->allow_degraded,
		.durable = rules->always,
		.patience_ms = PATIENCE_MS,
	};

	if (rules->off)
		return 0;
	if (audit_open(&k->audit, &config, err) < 0)
		return -1;
	k->has_audit = true;
	return 0;
}

static bool has_language(const struct tool *t, const char *language)
{
	for (size_t i = 0; i < t->languages.n; i++)
		if (strcmp(t->languages.word[i], language) == 0)
			return true;
	return false;
}

static void prepare_slot(struct keeper *k, const struct tool *t, const char *language)
{
	struct limits kept;
	struct error err = {0};

	session_standard_limits(t, &kept);
	if (gate_prepare(k->policy, t, language, k->for_session ? &kept : NULL, &k->slots, &err) <
	    0)
		keeper_say(k, &err);
	else
		k->has_slot = true;
}

const struct tool *keeper_likely_tool(const struct keeper *k)
{
	for (size_t i = 0; i < k->policy->n_tools; i++) {
		const struct tool *t = &k->policy->tools[i];

		if (t->kind == KIND_CODE && t->languages.n &&
		    (!k->for_session || t->sessions.allow))
			return t;
	}
	return NULL;
}

/* The most likely call finds its box made: one of the first tool that takes code, in its first
 * language, and those in which an interpreter waits.  A session has one box, and so one of these.
 * If that fails, a call will say so. */
static void prepare_slots(struct keeper *k)
{
	const struct tool *likely = keeper_likely_tool(k);

	if (!likely)
		return;
	prepare_slot(k, likely, likely->languages.word[0]);
	for (int i = WARM_NOT + 1; i < WARM_COUNT && likely->warm && !k->for_session; i++)
		if (has_language(likely, warm_kind_name((enum warm_kind)i)) &&
		    (i != WARM_NODE || k->slots.warm_node))
			prepare_slot(k, likely, warm_kind_name((enum warm_kind)i));
}

static int take_toolkit(struct keeper *k, const struct keeper_options *o, struct error *err)
{
	if (o->toolkit) {
		k->toolkit = *o->toolkit; /* which nobody looks at again: its page stays shared */
		return 0;
	}
	if (toolkit_open(&k->toolkit, k->policy, &k->means, err) < 0)
		return -1;
	toolkit_warm(&k->toolkit);
	return 0;
}

int keeper_open(struct keeper *k, const struct keeper_options *o, struct policy *policy,
		const struct redact_means *means, struct error *err)
{
	k->front = o->front;
	k->stream = -1;
	k->policy = policy;
	k->means = *means;
	k->template = o->template;
	k->imprint = o->imprint;
	k->for_session = o->session;
	audit_init(&k->audit);
	slots_init(&k->slots, o->warden, o->helper, o->session ? 1 : SLOTS_KEPT);
	k->slots.warm_node = o->warm_node;
	/* Who makes one has nobody wait either: it is to be like those that will become it. */
	k->slots.template = o->template >= 0 || o->makes_template;
	if (o->expect_sha256 && strcmp(policy->sha256, o->expect_sha256) != 0)
		return fail(err, ERR_CONFIG,
			    "the policy is not the one that was expected: %s, not %s",
			    policy->sha256, o->expect_sha256);
	k->meter = meter_open(o->state, err);
	if (!k->meter || open_audit(k, o, err) < 0 || take_toolkit(k, o, err) < 0)
		return -1;
	prepare_slots(k);
	/* One that starts slots itself (--helper: tests) cannot be without rights. */
	return o->warden >= 0 ? keeper_seal(k, err) : 0;
}

void keeper_close(struct keeper *k)
{
	slots_done(&k->slots);
	toolkit_close(&k->toolkit);
	audit_close(&k->audit);
	meter_close(k->meter);
	k->meter = NULL;
}

static void obey_late(struct keeper *k, const struct keep_request *r, const struct buf *body)
{
	(void)body;
	answer_problem(k, r, 409, "conflict", "that call does not run here", NULL);
}

static void obey_no_session(struct keeper *k, const struct keep_request *r, const struct buf *body)
{
	(void)body;
	answer_problem(k, r, 404, "not_found", "there is no session here", NULL);
}

typedef void deed(struct keeper *k, const struct keep_request *r, const struct buf *body);

/* What nobody wrote a row for is answered, too. */
static deed *const deeds[KEEP_ASK_COUNT] = {
	[KEEP_CALL] = obey_call,     /* onecall.c */
	[KEEP_CHECK] = obey_call,    /* the same, dry */
	[KEEP_OPEN] = obey_open,     /* session_open.c */
	[KEEP_SCREEN] = obey_screen, /* lookat.c */
	[KEEP_TOOLS] = obey_tools,   /* toollist.c */
	[KEEP_INPUT] = obey_late,    /* what it is for has ended */
	[KEEP_SIGNAL] = obey_late,   /* */
	[KEEP_CANCEL] = obey_late,   /* */
};

/* Until the front asks for something.  Without a warden there will be no box: whoever asks is
 * better served by another keeper. */
static void wait_for_front(struct keeper *k)
{
	struct pollfd fds[] = {
		{.fd = k->front, .events = POLLIN},
		{.fd = k->slots.warden, .events = 0},
	};

	while (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno == EINTR)
		;
	k->over = k->wardenless = fds[1].revents != 0;
}

static void serve_one(struct keeper *k)
{
	struct keep_request r;
	struct error err = {0};
	own(buf) body;
	int came;

	buf_init(&body, KEEP_BODY_MAX);
	wait_for_front(k);
	if (k->over)
		return;
	came = keep_take_request_with(k->front, &r, &body, &k->stream, &err);
	if (came < 0)
		keeper_say(k, &err);
	k->audit.company = came > 0 && !r.alone ? PUT_CROWD : 0;
	if (came <= 0)
		k->over = true;
	else
		(deeds[r.kind] ? deeds[r.kind] : obey_no_session)(k, &r, &body);
	own_fd_end(&k->stream);
	k->stream = -1;
}

/* A function of its own: what is in the frame of a keeper that waits for hours takes memory. */
__attribute__((noinline)) static void say_hello(struct keeper *k)
{
	struct keep_reply hello = {.kind = KEEP_READY, .usable_slot = k->has_slot};
	struct error err = {0};

	if (keep_send_reply(k->front, &hello, NULL, 0, &err) < 0)
		k->over = true;
}

void keeper_serve(struct keeper *k)
{
	say_hello(k);
	while (!k->over)
		serve_one(k);
}
