/* SPDX-License-Identifier: Apache-2.0 */
/* session_open.c - a session begins: judged like a call, a slot for it alone, its files, an answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/tree.h"
#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"
#include "gate/steps.h"
#include "keeper/session_state.h"

enum { ANSWER_MAX = 64 << 10 };

uint64_t session_ttl_ms(const struct tool *tool)
{
	uint64_t most = limits_find("wall")->max;

	return tool->sessions.ttl_ms < most ? tool->sessions.ttl_ms : most;
}

struct times {
	uint64_t ttl_ms, idle_ms;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What is asked for, or standard; 0: more than most. */
static uint64_t take_time(const json_t *body, const char *name, uint64_t most)
{
	const json_t *value = json_object_get(body, name);
	struct error ignored;
	uint64_t ms = 0;

	if (!value)
		return most;
	if (json_is_integer(value))
		ms = (uint64_t)json_integer_value(value);
	else
		(void)text_parse_ms(json_string_value(value), &ms, &ignored);
	return ms <= most ? ms : 0;
}

static bool refuse_time(struct doing *d, const char *name, uint64_t most)
{
	struct passage *p = &d->passage;
	char rule[160];

	(void)snprintf(rule, sizeof(rule), "tools.%s.sessions.%s", p->judged.tool->name, name);
	(void)why_deny(&p->why, WHY_POLICY, rule, "%s: at most %llu ms", name,
		       (unsigned long long)most);
	return false;
}

static bool take_times(struct doing *d, struct times *ret)
{
	const struct session_rules *rules = &d->passage.judged.tool->sessions;
	uint64_t ttl_ms = session_ttl_ms(d->passage.judged.tool);

	ret->ttl_ms = take_time(d->body.value, "ttl", ttl_ms);
	ret->idle_ms = take_time(d->body.value, "idle", rules->idle_ms);
	if (ret->ttl_ms == 0)
		return refuse_time(d, "ttl", ttl_ms);
	return ret->idle_ms != 0 || refuse_time(d, "idle", rules->idle_ms);
}

/* Its language must be one of the tool's. */
static bool take_language(struct session *s, struct doing *d)
{
	const char *asked = json_string_value(json_object_get(d->body.value, "language"));
	const struct words *known = &d->passage.judged.tool->languages;
	char rule[160];

	if (!asked) {
		s->language = known->n ? known->word[0] : NULL;
		return true;
	}
	for (size_t i = 0; i < known->n; i++)
		if (strcmp(known->word[i], asked) == 0) {
			s->language = known->word[i];
			return true;
		}
	(void)snprintf(rule, sizeof(rule), "tools.%s.languages", d->passage.judged.tool->name);
	(void)why_deny(&d->passage.why, WHY_POLICY, rule, "'%.40s' is no language of this tool",
		       asked);
	return false;
}

/* What the box as a whole may use: time as long as it lives, everything else as one call. */
static void box_limits(const struct limits *each, uint64_t ttl_ms, struct limits *ret)
{
	*ret = *each;
	ret->wall_ms = ret->cpu_ms = ttl_ms;
}

void session_standard_limits(const struct tool *tool, struct limits *ret)
{
	box_limits(&tool->limits, session_ttl_ms(tool), ret);
}

static int put_files(struct session *s, const struct wishes *w, struct error *err)
{
	for (size_t i = 0; i < w->n_files; i++)
		if (kept_put(&s->kept, w->files[i].inside, w->files[i].data, w->files[i].len,
			     w->files[i].executable, err) < 0)
			return -1;
	return 0;
}

static int make_box(struct session *s, struct doing *d, uint64_t ttl_ms, struct error *err)
{
	struct passage *p = &d->passage;
	own_mem struct profile *profile = calloc(1, sizeof(*profile));
	struct limits limits;
	struct remote *remote;

	if (!profile)
		return fail_sys(err, "prepare a box");
	p->slots = &s->k->slots;
	if (errand_profile(p, profile) != GO_ON)
		return fail(err, ERR_REFUSED, "%s", p->why.what);
	p->slots = NULL; /* a session has one box, and this is it */
	box_limits(&p->limits, ttl_ms, &limits);
	remote = slots_keep(&s->k->slots, profile, &limits, err);
	if (!remote)
		return -1;
	/* One that was prepared may have died while it waited: then there is a new one. */
	if (kept_open(&s->kept, remote, &limits, err) < 0) {
		remote = slots_keep(&s->k->slots, profile, &limits, err);
		if (!remote || kept_open(&s->kept, remote, &limits, err) < 0)
			return -1;
	}
	return put_files(s, &p->wishes, err);
}

/* What is written down: everything but the contents of files, of which it has the hashes. */
static json_t *describe(const json_t *body, const struct wishes *w, const char *forked_from)
{
	json_t *args = json_copy((json_t *)(uintptr_t)body), *files = json_array();

	for (size_t i = 0; files && i < w->n_files; i++) {
		char hex[HASH_HEX], path[1024];
		struct hash h;

		hash_bytes(w->files[i].data, w->files[i].len, &h);
		hash_hex(&h, hex);
		text_escape(w->files[i].inside, strlen(w->files[i].inside), path, sizeof(path));
		(void)json_array_append_new(files,
					    json_pack("{s:s, s:I, s:s}", "path", path, "bytes",
						      (json_int_t)w->files[i].len, "sha256", hex));
	}
	if (args && w->n_files)
		(void)json_object_set(args, "files", files);
	if (args && forked_from[0])
		(void)json_object_set_new(args, "forked_from", json_string(forked_from));
	json_decref(files);
	return args;
}

/* The answer. */

static void answer_opened(struct session *s, struct doing *d)
{
	struct keep_reply reply = {.http_status = 201};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	session_write(s, &a.j);
	jsonout_str(&a.j, "request_id", d->request.request_id);
	receipt_json(&d->passage.receipt, &a.j, "receipt");
	memcpy(reply.id, s->id, sizeof(reply.id));
	(void)snprintf(reply.facts.tool, sizeof(reply.facts.tool), "%s", s->tool->name);
	answering_send(&a, s->k, &d->request, &reply);
}

static void answer_refused(struct doing *d)
{
	const struct why *w = &d->passage.why;
	bool ours = w->layer == WHY_KERNEL;

	if (w->layer == WHY_FILE && d->session->forked_from[0]) {
		answer_problem(d->session->k, &d->request, 409, "conflict", w->what, NULL);
		return;
	}

	answer_problem(d->session->k, &d->request, ours ? 503 : 403,
		       ours ? "overloaded" : "forbidden", w->what, NULL);
}

/* It was allowed, and cannot be. */
static void give_up(struct doing *d, const struct error *err)
{
	if (d->passage.why.layer == WHY_NONE)
		(void)errand_explain(&d->passage, err);
	else
		(void)step_deny(&d->passage);
	d->passage.account.outcome = (struct outcome){.end = END_NOT_STARTED};
	(void)fail(&d->passage.account.outcome.error, ERR_REFUSED, "%s", d->passage.why.what);
	account_judge(&d->passage.account);
	gate_leave(&d->passage);
	answer_counts(d->session->k, &d->passage);
	keeper_say_trouble(d->session->k, &d->passage);
	answer_refused(d);
	doing_free(d);
}

/* The interpreter and the files of the other session, if it is a copy. */
static int make_copy(struct session *s, struct doing *d, struct error *err)
{
	char under[HASH_HEX];

	if (!s->forked_from[0])
		return 0;
	/* What it remembers must be what is kept out of its output here. */
	if (redaction_current(&s->redaction, s->tool, s->k->policy, under, err) < 0 ||
	    strcmp(under, d->request.tool) != 0)
		(void)fail(err, ERR_REFUSED,
			   "the policy or a secret has changed since it was opened");
	else if (session_copy(s, d, s->k->stream, d->request.target, err) == 0) {
		/* Nothing connects the two any more. */
		own_fd_end(&s->k->stream);
		s->k->stream = -1;
		return 0;
	}
	(void)why_deny(&d->passage.why, WHY_FILE, "session", "the session cannot be copied: %s",
		       err->text);
	return -1;
}

static bool begin(struct session *s, struct doing *d)
{
	struct times times = {0};
	struct error err = {0};

	s->tool = d->passage.judged.tool;
	s->limits = d->passage.limits;
	if (!take_times(d, &times) || !take_language(s, d) ||
	    toolkit_redaction(&s->k->toolkit, s->tool, &s->redaction, &err) < 0 ||
	    make_box(s, d, times.ttl_ms, &err) < 0 || make_copy(s, d, &err) < 0) {
		give_up(d, &err);
		return false;
	}
	s->opened_ms = now_ms();
	s->opened_us = s->active_us = clock_us();
	s->ends_us = s->opened_us + times.ttl_ms * 1000;
	s->idle_ms = times.idle_ms;
	session_bill_begin(s, d->passage.judged.client);
	doing_record(d, 0, &err);
	answer_opened(s, d);
	driver_ahead(s, d);
	/* Its variables, which every program gets. */
	s->opening = d->body;
	d->body = (struct callbody){0};
	s->opening.wishes.limits_set = 0;
	s->opening.wishes.n_files = 0;
	doing_free(d);
	return true;
}

static struct doing *read_body(struct session *s, const struct keep_request *r,
			       const struct buf *body)
{
	json_t *value = answer_body(s->k, r, body, "session_open");
	struct doing *d = value ? doing_new(s, r, ACTION_OPEN) : NULL;
	struct api_problems problems = {0};
	struct error err = {0};

	if (!d) {
		json_decref(value);
		return NULL;
	}
	if (callbody_read(&d->body, value, r, &problems, &err) < 0) {
		answer_problem(s->k, r, 500, "internal", "the body found no room", NULL);
	} else if (problems.n) {
		answer_problem(s->k, r, 400, "invalid_body", problems.list[0].detail, &problems);
	} else {
		d->passage.bare = true;
		d->passage.wishes = d->body.wishes;
		d->passage.call.tool = d->body.tool;
		d->args = describe(value, &d->body.wishes, s->forked_from);
		if (d->args)
			return d;
		answer_problem(s->k, r, 500, "internal", "there is no memory for it", NULL);
	}
	doing_free(d);
	return NULL;
}

void obey_open(struct keeper *k, const struct keep_request *r, const struct buf *body)
{
	own_mem struct session *s = calloc(1, sizeof(*s));
	struct doing *d;

	if (!s || r->id[0] == '\0' || (k->stream >= 0 && r->path[0] == '\0')) {
		answer_problem(k, r, 500, "internal", "a session cannot begin like this", NULL);
		return;
	}
	s->k = k;
	memcpy(s->id, r->id, sizeof(s->id));
	memcpy(s->client, r->client, sizeof(s->client));
	if (k->stream >= 0)
		(void)snprintf(s->forked_from, sizeof(s->forked_from), "%.*s", KEEP_ID_ROOM - 1,
			       r->path);
	s->has_uid = r->has_uid;
	s->uid = r->uid;
	s->kept.events = s->kept.cpu = -1;
	drivers_init(s);
	d = read_body(s, r, body);
	if (d && doing_enter(d) && begin(s, d)) {
		session_loop(s);
		k->over = true; /* a keeper that kept a session serves nobody else */
	} else {
		kept_close(&s->kept);
	}
	drivers_done(s);
	callbody_done(&s->opening);
	redaction_done(&s->redaction);
}
