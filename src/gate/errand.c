/* SPDX-License-Identifier: Apache-2.0 */
/* errand.c - a judged call becomes a request, and runs in a box that a helper makes.
 *
 * The helper is a fresh `belljar slot`: what a box's ancestors never had in
 * memory, the policy, the arguments of others, cannot leak from there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "call/language.h"
#include "gate/answerfiles.h"
#include "gate/slots.h"
#include "gate/steps.h"
#include "gate/toolkit.h"
#include "lib/remote.h"
#include "policy/runtimes.h"
#include "sandbox/codefile.h"
#include "sandbox/native/programs.h"
#include "sandbox/native/slot.h"
#include "sandbox/sandbox.h"
#include "sandbox/serve.h"

struct errand {
	struct request request;
	struct codefile code;
	struct remote own;  /* of this call alone */
	struct slot *early; /* ours, begun before it was known what for; or NULL */
};

void errand_free(struct errand **e)
{
	if (!*e)
		return;
	remote_close(&(*e)->own);
	slot_end(&(*e)->early);
	codefile_done(&(*e)->code);
	free(*e);
	*e = NULL;
}

/* The files. */

static int add_mounts(const struct tool *tool, struct arena *arena, struct profile *profile,
		      struct error *err)
{
	for (size_t i = 0; i < tool->n_mounts; i++) {
		const struct mount_rule *m = &tool->mounts[i];

		if (!m->inside && strpbrk(m->source, "*?[\\")) {
			if (expand_mount(m, arena, profile, err) < 0)
				return -1;
			continue;
		}
		if (profile->n_grants == GRANTS_MAX)
			return fail(err, ERR_CONFIG, "more than %d mounts", GRANTS_MAX);
		profile->grants[profile->n_grants++] =
			(struct grant){.source = m->source,
				       .inside = m->inside ? m->inside : m->source,
				       .write = m->write};
	}
	return 0;
}

static bool is_granted(const struct profile *profile, const char *path)
{
	for (size_t i = 0; i < profile->n_grants; i++)
		if (!profile->grants[i].write && strcmp(profile->grants[i].source, path) == 0 &&
		    strcmp(profile->grants[i].inside, path) == 0)
			return true;
	return false;
}

static int add_paths(const struct path_grants *paths, struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->list[i].path;
		struct stat st;

		if (is_granted(profile, path))
			continue;
		if (profile->n_grants == GRANTS_MAX)
			return fail(err, ERR_CONFIG, "more than %d mounts", GRANTS_MAX);
		/* The name may come to mean something else: the file that was judged is mounted. */
		if (fstat(paths->list[i].fd, &st) < 0)
			return fail_sys(err, "look at a file again");
		profile->grants[profile->n_grants++] = (struct grant){
			.source = path, .inside = path, .dev = st.st_dev, .ino = st.st_ino};
	}
	return 0;
}

/* A mount hides what was put up beneath it before. */
static int compare_places(const struct grant *a, const struct grant *b)
{
	int order = strcmp(a->inside, b->inside);

	return order ? order : (int)b->write - (int)a->write;
}

/* What is beneath comes behind what is above, whatever the order in the policy, and in the same
 * place the one for reading last: what the owner said of the smaller part holds there.  Two of the
 * same stay as they are written, which not every C library's qsort() does. */
static void order_grants(struct profile *profile)
{
	for (size_t i = 1; i < profile->n_grants; i++) {
		struct grant one = profile->grants[i];
		size_t at = i;

		for (; at > 0 && compare_places(&profile->grants[at - 1], &one) > 0; at--)
			profile->grants[at] = profile->grants[at - 1];
		profile->grants[at] = one;
	}
}

/* The helper is told SOURCE:INSIDE, and a colon before a slash is where it cuts. */
static int check_grants(const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < profile->n_grants; i++)
		if (strstr(profile->grants[i].source, ":/") ||
		    strstr(profile->grants[i].inside, ":/"))
			return fail(err, ERR_CALLER, "a path with ':/' in it cannot be mounted");
	return 0;
}

/* The program. */

static int set_program(struct passage *p, struct errand *e, struct error *err)
{
	const struct judged *j = &p->judged;
	const struct language *language = NULL;
	struct put code = {.data = j->code, .len = j->code_len};
	struct language own;

	if (j->tool->kind == KIND_CODE) {
		language = language_find(j->language, err);
		if (!language)
			return -1;
		errand_language(j->tool, language, &own);
		if (codefile_add(&e->code, &e->request, &own, code, NULL, err) < 0)
			return -1;
	} else {
		e->request.job.argv = j->argv;
	}
	return errand_environment(p, language, &e->request.job.env, err);
}

/* What of the profile does not depend on the call. */
static int set_profile(const struct policy *policy, const struct tool *tool, struct arena *arena,
		       struct profile *ret, struct error *err)
{
	ret->root = tool->root;
	ret->loopback = tool->loopback;
	ret->proc_full = tool->proc_full;
	ret->allow_degraded = policy->allow_degraded;
	return add_mounts(tool, arena, ret, err);
}

static int add_files(const struct passage *p, struct request *r, struct error *err)
{
	const struct wishes *w = &p->wishes;
	const struct artifact_rules *rules = &p->judged.tool->artifacts;

	if (w->n_files > PUTS_MAX || w->n_artifacts > GETS_MAX)
		return fail(err, ERR_CALLER, "more than %d files", PUTS_MAX);
	for (size_t i = 0; i < w->n_files; i++)
		r->puts[r->n_puts++] = w->files[i];
	for (size_t i = 0; i < w->n_artifacts; i++)
		r->gets[r->n_gets++] = (struct get){.glob = w->artifacts[i]};
	r->get_caps = (struct get_caps){rules->bytes, rules->files};
	return 0;
}

/* Everything is prepared: now the log must say that it begins. */
static int before_start(void *context, struct error *err)
{
	struct passage *p = context;

	if (step_await(p) != GO_ON) {
		p->ended_by = "announce";
		return fail(err, ERR_REFUSED, "%s", p->why.what);
	}
	return 0;
}

static void after_start(void *context)
{
	struct passage *p = context;

	if (p->begun && !p->begun_told)
		p->begun(p, p->begun_context);
	p->begun_told = true;
}

static int fill_profile(struct passage *p, struct profile *ret, struct error *err)
{
	const struct tool *tool = p->judged.tool;

	if (set_profile(p->policy, tool, &p->judged.arena, ret, err) < 0 ||
	    add_paths(&p->judged.paths, ret, err) < 0 || check_grants(ret, err) < 0)
		return -1;
	order_grants(ret);
	warming_of_calls(tool, p->judged.language, p->slots, &ret->warm);
	return 0;
}

static int fill(struct passage *p, struct errand *e, struct error *err)
{
	struct request *r = &e->request;

	r->job.limits = p->limits;
	r->food = (struct food){p->judged.input, p->judged.input_len, p->wishes.input_fd, NULL};
	r->live_out = p->live_out;
	r->live_err = p->live_err;
	r->cancel_fds[0] = p->cancel_fd;
	r->aside = p->aside;
	r->begin = before_start;
	r->begun = after_start;
	r->hush_ms = p->hush_ms;
	r->begin_context = p;
	if (add_files(p, r, err) < 0 || (!e->early && fill_profile(p, &r->profile, err) < 0))
		return -1;
	return set_program(p, e, err);
}

/* What happened. */

/* Nothing ran, and not because of a rule: in words that name nothing of the host. */
static enum verdict explain_failure(struct passage *p, const struct error *err)
{
	const struct tool *tool = p->judged.tool;
	char rule[160];

	p->trouble = *err;
	if (err->kind == ERR_NOT_FOUND && tool->kind == KIND_CODE) {
		(void)why_deny(&p->why, WHY_FILE, errand_rule(p, "languages", rule, sizeof(rule)),
			       "%s is not installed here", p->judged.language);
		why_hint(&p->why, "use another language of this tool");
		why_retry(&p->why, 0);
	} else if (err->kind == ERR_NOT_FOUND) {
		(void)errand_not_installed(p, p->judged.argv[0]);
	} else if (err->kind == ERR_REFUSED) {
		(void)why_deny(&p->why, WHY_KERNEL, "programs",
			       "the program may not be executed in the box");
	} else if (err->kind == ERR_CALLER && p->judged.paths.n) {
		(void)why_deny(&p->why, WHY_FILE, errand_rule(p, "args", rule, sizeof(rule)),
			       "a path that was named cannot be shown in the box");
	} else if (err->kind == ERR_CALLER && tool->n_mounts) {
		(void)why_deny(&p->why, WHY_FILE, errand_rule(p, "read", rule, sizeof(rule)),
			       "a file or directory that the tool is granted cannot be shown in "
			       "the box");
		why_hint(&p->why, "tell the operator");
		why_retry(&p->why, 0);
	} else if (err->kind == ERR_CONFIG && err->sys == SLOTS_ABOVE) {
		/* Mostly a tighter policy came while this call was on its way. */
		(void)why_deny(&p->why, WHY_KERNEL, "ceiling",
			       "the service makes no such box, by the policy that counts now");
		why_hint(&p->why,
			 "nothing was run; try again, and if it happens again, tell the operator");
		why_retry(&p->why, 0);
	} else if (err->kind == ERR_CONFIG) {
		(void)why_deny(&p->why, WHY_KERNEL, "layers", "this host cannot make such a box");
		why_hint(&p->why, "tell the operator, who can ask belljar doctor");
		why_retry(&p->why, 0);
	} else {
		(void)why_internal(&p->why, err);
	}
	return step_deny(p);
}

/* Whoever printed it may have ended before we could end it; that changes nothing. */
static void look_for_canary(struct passage *p)
{
	const char *name = redaction_canary(&p->redaction);
	char rule[160], what[80];

	if (!name)
		return;
	p->account.outcome.killed_for = KILL_CANARY;
	account_judge(&p->account);
	(void)snprintf(what, sizeof(what), "secrets.%s", name);
	(void)why_deny(&p->why, WHY_OUTPUT, errand_rule(p, what, rule, sizeof(rule)),
		       "the call was killed: a canary was in its output");
	why_hint(&p->why, "what is planted there is not to be read or told");
}

static enum verdict look_at_end(struct passage *p)
{
	struct outcome *o = &p->account.outcome;

	if (o->end == END_NOT_STARTED && p->ended_by)
		return STOP; /* by the log, which has said why */
	if (o->end == END_NOT_STARTED) {
		(void)explain_failure(p, &o->error);
		(void)fail(&o->error, o->error.kind, "%s", p->why.what);
		return STOP;
	}
	p->ran = true;
	if (o->end == END_UNKNOWN) {
		p->trouble = o->error;
		(void)fail(&o->error, ERR_SYSTEM, "its end was not seen");
	} else if (o->error.kind != ERR_NONE) {
		p->trouble = o->error; /* it ran, and what came out is not where it should be */
	}
	look_for_canary(p);
	files_clean(p);
	return GO_ON;
}

/* One that stays between calls, or one for this call alone. */
static struct remote *get_slot(struct passage *p, struct errand *e, struct error *err)
{
	const struct request *r = &e->request;

	if (p->slots)
		return slots_get(p->slots, &r->profile, &r->job.limits, p->judged.tool->fresh, err);
	return remote_open_once(&e->own, p->helper, &r->profile, &r->job.limits, err) < 0 ? NULL
											  : &e->own;
}

/* true: the slot went before the program was started; another one can have it. */
static bool try(struct passage *p, struct errand *e)
{
	const struct request *r = &e->request;
	struct account *a = &p->account;
	struct remote *remote = NULL;
	struct error err = {0};

	if (serve_prepare(r, a, &err) < 0 || !(remote = get_slot(p, e, &err))) {
		serve_refuse(a, &err);
		/* The helper makes its slot meanwhile. */
	} else if (p->redaction.set && redact_set_warm(p->redaction.set, &err) < 0) {
		serve_refuse(a, &err);
	} else if (serve(r, &remote->runner, a, &err) < 0) {
		a->outcome.error = err;
	}
	if (remote && p->slots)
		slots_saw(p->slots, remote, &a->outcome.start);
	/* Of its input something may be gone already. */
	return remote && a->outcome.end == END_NOT_STARTED &&
	       (remote->unheard ||
		(remote->lost && a->outcome.error.kind == ERR_SYSTEM && r->food.fd < 0));
}

/* true: it went before the program was started; another one can have it. */
static bool try_early(struct passage *p, struct errand *e)
{
	struct account *a = &p->account;
	struct error err = {0};

	slot_ask_before(e->early, before_start, p);
	e->request.begin = NULL;
	if (serve_prepare(&e->request, a, &err) < 0)
		serve_refuse(a, &err);
	else if (p->redaction.set && redact_set_warm(p->redaction.set, &err) < 0)
		serve_refuse(a, &err);
	else if (sandbox_run_in(e->early, &e->request, a, &err) < 0)
		a->outcome.error = err;
	if (a->outcome.end != END_NOT_STARTED || p->ended_by ||
	    (a->outcome.error.kind != ERR_SYSTEM && a->outcome.error.kind != ERR_INTERNAL))
		return false;
	slot_end(&e->early);
	e->early = NULL;
	e->request.begin = before_start;
	return e->request.food.fd < 0; /* else some of it may be gone */
}

static void go(struct passage *p, struct errand *e)
{
	if (e->early ? try_early(p, e) : try(p, e)) {
		account_done(&p->account);
		(void)try(p, e);
	}
	memcpy(p->account.id, p->id, sizeof(p->account.id));
}

int gate_prepare(const struct policy *p, const struct tool *t, const char *language,
		 const struct limits *kept, struct slots *slots, struct error *err)
{
	own_mem struct profile *profile = calloc(1, sizeof(*profile));
	own(arena) arena;

	arena_init(&arena, 1 << 20);
	if (!profile)
		return fail_sys(err, "prepare a slot");
	if (set_profile(p, t, &arena, profile, err) < 0 || check_grants(profile, err) < 0)
		return -1;
	order_grants(profile);
	if (kept)
		warming_of_session(t, slots, &profile->warm);
	else
		warming_of_calls(t, language, slots, &profile->warm);
	return slots_prepare(slots, profile, kept ? kept : &t->limits, kept != NULL, err);
}

static struct errand *errand_new(void)
{
	struct errand *e = calloc(1, sizeof(*e));

	if (e) {
		remote_init(&e->own);
		request_set_defaults(&e->request);
	}
	return e;
}

static bool hurry(struct passage *p, struct errand *e)
{
	struct profile *profile = &e->request.profile;
	struct error err = {0};

	if (errand_programs(p, profile) != GO_ON || fill_profile(p, profile, &err) < 0 ||
	    !slot_suits(*p->early, profile) ||
	    slot_open_rest(*p->early, profile, &p->limits, &err) < 0)
		return false;
	e->early = TAKE(*p->early);
	slot_is_only(e->early);
	return true;
}

/* What fails here fails once more, and says so, when it is its turn. */
enum verdict step_hurry(struct passage *p)
{
	const struct error trouble = p->trouble;
	const enum decision decision = p->decision;
	const struct why why = p->why;

	if (!p->early || !*p->early)
		return GO_ON;
	if (!p->dry_run && p->judged.tool->kind == KIND_COMMAND) {
		p->errand = errand_new();
		if (p->errand && hurry(p, p->errand))
			return GO_ON;
		errand_free(&p->errand);
	}
	/* It holds a copy of the host's mounts: not for as long as another one's program runs. */
	slot_end(p->early);
	*p->early = NULL;
	p->decision = decision;
	p->why = why;
	p->trouble = trouble;
	return GO_ON;
}

enum verdict step_run(struct passage *p)
{
	struct errand *e = p->errand ? p->errand : errand_new();
	struct error err = {0};

	p->errand = e;
	if (!e || (!p->helper && !p->slots)) {
		(void)fail_sys(&err, "prepare a call");
		return errand_fail(p, &err);
	}
	if (p->judged.tool->kind == KIND_COMMAND && !e->early &&
	    errand_programs(p, &e->request.profile) != GO_ON)
		return STOP;
	if (fill(p, e, &err) < 0)
		return explain_failure(p, &err);
	go(p, e);
	/* It takes its slot down while the end is written down and said. */
	remote_leave(&e->own);
	return look_at_end(p);
}

/* For a box that is kept, and for what runs in it. */

enum verdict errand_profile(struct passage *p, struct profile *ret)
{
	const struct tool *tool = p->judged.tool;
	struct error err = {0};

	*ret = (struct profile){0};
	/* Which lines will come is not known yet; one with more than plain words needs a shell. */
	p->shell = tool->screen.allow.n > 0;
	if (tool->kind == KIND_COMMAND && errand_programs(p, ret) != GO_ON)
		return STOP;
	if (set_profile(p->policy, tool, &p->judged.arena, ret, &err) < 0 ||
	    check_grants(ret, &err) < 0)
		return explain_failure(p, &err);
	order_grants(ret);
	warming_of_session(tool, p->slots, &ret->warm);
	return GO_ON;
}

enum verdict errand_explain(struct passage *p, const struct error *err)
{
	char rule[160];

	if (!p->bare || (err->kind != ERR_NOT_FOUND && err->kind != ERR_CALLER))
		return explain_failure(p, err);
	p->trouble = *err;
	(void)why_deny(&p->why, WHY_FILE, errand_rule(p, "sessions", rule, sizeof(rule)),
		       err->kind == ERR_NOT_FOUND ? "there is no such program in the box"
						  : "the program cannot be started like that");
	return step_deny(p);
}

void errand_ended(struct passage *p)
{
	(void)look_at_end(p);
}
