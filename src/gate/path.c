/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - what happens to a tool call, in which order.
 *
 * Two tables.  The way in ends at the first step that says stop, and nothing
 * behind it happens; the way out is walked whole whatever happened before, also
 * for a call that was refused by the first step.
 */
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "call/limits.h"
#include "gate/gate.h"
#include "gate/steps.h"

void passage_init(struct passage *p)
{
	*p = (struct passage){
		.cancel_fd = -1,
		.live_out = {.fd = -1},
		.live_err = {.fd = -1},
		.wishes = {.input_fd = -1},
	};
	account_make_id(p->id, sizeof(p->id));
	judged_init(&p->judged);
}

void passage_done(struct passage *p)
{
	errand_free(&p->errand);
	redaction_done(&p->redaction);
	buf_done(&p->announcement.lines[0]);
	buf_done(&p->announcement.lines[1]);
	judged_done(&p->judged);
	account_done(&p->account);
}

void passage_end(struct passage *p)
{
	passage_done(p);
}

void passage_leave(struct passage *p)
{
	errand_free(&p->errand);
}

enum verdict step_deny(struct passage *p)
{
	p->decision = DECISION_DENY;
	return STOP;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static enum verdict receive(struct passage *p)
{
	if (!p->unread)
		return GO_ON;
	(void)why_deny(&p->why, WHY_REQUEST, "args", "%s", p->unread);
	why_hint(&p->why, "the arguments are one JSON object in UTF-8, each of them there once");
	return step_deny(p);
}

/* One that asks goes on for now: screening may have something against it, and deny beats ask. */
static enum verdict judge(struct passage *p)
{
	if (p->bare)
		(void)policy_judge_session(p->policy, &p->call, &p->judged);
	else
		(void)policy_judge(p->policy, &p->call, &p->judged);
	p->decision = p->judged.decision;
	if (p->decision == DECISION_ALLOW || p->decision == DECISION_ASK)
		return GO_ON;
	p->why = p->judged.why;
	return STOP;
}

static enum verdict approve(struct passage *p)
{
	if (p->decision == DECISION_ALLOW)
		return GO_ON;
	p->why = p->judged.why;
	return STOP;
}

/* The answer names nothing of the host; whoever runs us must know what is wrong with the state. */
static void hear_of_state(struct passage *p)
{
	if (p->trouble.kind != ERR_NONE || meter_error(p->meter)->kind == ERR_NONE)
		return;
	p->trouble = *meter_error(p->meter);
	p->trouble.kind = ERR_REFUSED; /* whatever it was, this is what it comes to */
}

static enum verdict admit(struct passage *p)
{
	const struct judged *j = &p->judged;
	enum answer answer;

	if (!p->meter || !action_is_metered(p->action))
		return GO_ON;
	if (p->dry_run) {
		answer = meter_peek(p->meter, p->policy, j->client, j->tool, now_ms(), &p->left,
				    &p->why);
	} else {
		answer = meter_admit(p->meter, p->policy, j->client, j->tool, now_ms(), &p->ticket,
				     &p->left, &p->why);
		p->admitted = answer == ANSWER_ALLOW;
	}
	if (answer == ANSWER_ALLOW)
		return GO_ON;
	hear_of_state(p);
	return step_deny(p);
}

static enum verdict run(struct passage *p)
{
	return p->dry_run ? GO_ON : step_run(p);
}

/* Refused and dry calls have an account, too: of nothing. */
static enum verdict close_account(struct passage *p)
{
	struct account *a = &p->account;
	struct limits limits;

	if (a->outcome.end != END_UNKNOWN || p->ran)
		return GO_ON;
	limits_default(&limits);
	account_done(a);
	account_init_of(a, p->wished ? &p->limits : &limits, p->id);
	a->outcome.end = END_NOT_STARTED;
	if (p->decision == DECISION_ALLOW)
		return GO_ON; /* a dry run; its status stays unknown: it has none */
	(void)fail(&a->outcome.error, p->trouble.kind ? p->trouble.kind : ERR_REFUSED, "%s",
		   p->why.what);
	account_judge(a);
	return GO_ON;
}

static enum verdict give_back(struct passage *p)
{
	const struct account *a = &p->account;
	const struct usage *u = &a->outcome.usage;
	uint64_t cpu_us = p->has_bill ? p->bill_us : u->cpu_user_us + u->cpu_system_us;

	if (p->admitted)
		meter_leave(p->meter, p->ticket, p->judged.client, now_ms(), cpu_us / 1000,
			    a->out.seen + a->err.seen, &p->left);
	else if (cpu_us >= 1000 && p->has_bill && p->meter && p->judged.client &&
		 !action_is_metered(p->action))
		meter_leave(p->meter, 0, p->judged.client, now_ms(), cpu_us / 1000, 0, &p->left);
	else
		return GO_ON;
	p->admitted = false;
	hear_of_state(p); /* a cost that is lost is not lost quietly */
	return GO_ON;
}

struct step {
	const char *name;
	enum verdict (*take)(struct passage *p);
};

static const struct step way_in[] = {
	{"request", receive},        /*           what came must be a call at all */
	{"policy", judge},           /* policy/   deny unless a rule allows       */
	{"policy", step_wishes},     /*           what else the caller wants      */
	{"screen", step_screen},     /* screen/   look at the code or command     */
	{"approval", approve},       /*           ask without an approver is deny */
	{"box", step_hurry},         /* sandbox/  made meanwhile, where one waits  */
	{"limit", admit},            /* policy/   how often, how many, how much   */
	{"redact", step_redact},     /* redact/   what must not come out          */
	{"announce", step_announce}, /* audit/    no record, no run               */
};

/* And then, unless it is done in a session's box: sandbox/, the only step that executes. */

static const struct step way_out[] = {
	{"account", close_account}, /* call/     what happened, also if nothing did */
	{"record", step_record},    /* audit/    the end, or the refusal            */
	{"charge", give_back},      /* policy/   what it cost                       */
};

bool gate_enter(struct passage *p)
{
	if (!p->cleaner.clean)
		p->cleaner = (struct cleaner){redaction_clean, p};
	for (size_t i = 0; i < ARRAY_LEN(way_in); i++)
		if (way_in[i].take(p) != GO_ON) {
			p->ended_by = way_in[i].name;
			return false;
		}
	return true;
}

void gate_leave(struct passage *p)
{
	for (size_t i = 0; i < ARRAY_LEN(way_out); i++)
		(void)way_out[i].take(p);
}

void gate_pass(struct passage *p)
{
	p->announcement.later = p->slots || p->helper;
	if (gate_enter(p) && run(p) != GO_ON && !p->ended_by)
		p->ended_by = "sandbox";
	gate_leave(p);
}
