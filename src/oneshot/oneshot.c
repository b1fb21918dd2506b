/* SPDX-License-Identifier: Apache-2.0 */
/* oneshot.c - the path of belljar run: policy, redaction, audit, and the box between them.
 *
 * The same stages as a tool call has, in the same order, but made for speed: the built-in policy
 * needs no reading, innocent text no patterns, and the log is written while the box is built.
 */
#include "oneshot/oneshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "oneshot/runwords.h"

/* Policy. */

static uint32_t bit(bool used, enum run_use use)
{
	return used ? 1u << use : 0;
}

static void list_uses(const struct oneshot_ask *ask, struct run_ask *ret)
{
	const struct request *r = ask->request;
	const struct profile *p = &r->profile;

	ret->limits = r->job.limits;
	for (size_t i = 0; i < p->n_grants; i++)
		ret->uses |= 1u << (p->grants[i].write ? RUN_USE_WRITE : RUN_USE_READ);
	for (size_t i = 0; i < r->n_puts; i++) /* the code is one without a source */
		ret->uses |= bit(r->puts[i].source, RUN_USE_PUT);
	ret->uses |= bit(r->n_gets, RUN_USE_GET) | bit(ask->env && ask->env[0], RUN_USE_ENV) |
		     bit(r->food.fd >= 0, RUN_USE_STDIN) | bit(ask->root, RUN_USE_ROOT) |
		     bit(p->loopback, RUN_USE_LOOPBACK) | bit(p->proc_full, RUN_USE_PROC) |
		     bit(p->cgroup, RUN_USE_CGROUP) | bit(p->allow_degraded, RUN_USE_DEGRADED) |
		     bit(ask->raw, RUN_USE_RAW);
}

/* The same file that belljar-gate would take (policy_default_file); NULL: there is none. */
static const char *policy_file(const char *named)
{
	static const char system_file[] = "/etc/belljar/policy.yaml";

	if (!named)
		named = secure_getenv("BELLJAR_POLICY");
	if (named && named[0])
		return named;
	return faccessat(AT_FDCWD, system_file, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
		       ? system_file
		       : NULL;
}

static int judge(struct oneshot *o, struct error *err)
{
	const char *file = policy_file(o->ask->policy);

	list_uses(o->ask, &o->judged);
	aide_init(&o->aide, o->ask->find_gate, file);
	if (!file) {
		run_rules_builtin(&o->rules);
		return 0;
	}
	if (aide_judge(&o->aide, &o->judged, &o->rules, err) < 0)
		return -1;
	if (o->rules.answer == ANSWER_ALLOW)
		o->ask->request->job.limits = o->rules.limits;
	return 0;
}

/* Redaction. */

static void prepare_sieve(struct oneshot *o)
{
	struct request *r = o->ask->request;

	o->redacts = o->rules.redact != RUN_REDACT_OFF;
	sieve_init(&o->sieve, &o->aide, o->rules.redact);
	if (!o->redacts || o->ask->raw)
		return;
	r->live_out.filter = sieve_filter(&o->sieve.out);
	r->live_err.filter = sieve_filter(&o->sieve.err);
	r->files = sieve_filter(&o->sieve.files);
}

/* What is written down is cleaned also if the output is not. */
static char *clean(void *context, const char *text, size_t len, size_t *ret_len, struct error *err)
{
	struct oneshot *o = context;
	char *same;

	if (o->redacts)
		return sieve_text(&o->sieve, text, len, ret_len, err);
	same = strndup(text, len);
	*ret_len = len;
	if (!same)
		(void)fail_sys(err, "keep a text");
	return same;
}

static int count_redactions(struct oneshot *o, struct error *err)
{
	ssize_t n = aide_counts(&o->aide, o->counts, ONESHOT_RULES_MAX, err);

	o->n_counts = n > 0 ? (size_t)n : 0;
	return n < 0 ? -1 : 0;
}

/* Audit. */

static bool is_silent(const struct oneshot *o)
{
	return o->rules.audit_off;
}

static struct diary_run run_of(const struct oneshot *o)
{
	return (struct diary_run){o->id, o->args, o->args_len, &o->ask->request->job.limits};
}

static int open_diary(struct oneshot *o, struct error *err)
{
	struct run_words words = {
		.request = o->ask->request,
		.language = o->ask->language,
		.code = o->ask->code,
		.code_len = o->ask->code_len,
		.words = o->ask->words,
		.env = o->ask->env,
	};

	if (is_silent(o))
		return 0;
	if (o->ask->audit && o->rules.audit_directory[0])
		return fail(err, ERR_CALLER, "the policy says where the log is: leave --audit out");
	o->args = run_words_json(&words, clean, o, &o->args_len, err);
	return o->args ? diary_open(&o->diary, &o->rules, o->ask->audit, o->ask->find_scribe, err)
		       : -1;
}

static int without_log(struct oneshot *o, struct error *err)
{
	o->unwritten = true;
	if (err->kind == ERR_CALLER)
		return -1;
	err->kind = ERR_REFUSED;
	return fail_in(err, "nothing was run: the audit log cannot be written");
}

/* While the box is being built, which takes longer. */
static int meanwhile(void *context, struct error *err)
{
	struct oneshot *o = context;
	struct diary_run begin;

	if (is_silent(o))
		return 0;
	if (open_diary(o, err) < 0)
		return without_log(o, err);
	begin = run_of(o);
	return diary_begin(&o->diary, &begin, err) < 0 ? without_log(o, err) : 0;
}

/* The last moment before the program starts. */
static int at_start(void *context, struct error *err)
{
	struct oneshot *o = context;

	if (is_silent(o))
		return 0;
	return diary_await_begin(&o->diary, err) < 0 ? without_log(o, err) : 0;
}

static int write_end(struct oneshot *o, const struct account *a, struct error *err)
{
	struct record_redaction redactions[ONESHOT_RULES_MAX];
	const char *text = a->outcome.error.text, *reason = NULL;
	own_str cleaned = NULL;
	size_t len;

	for (size_t i = 0; i < o->n_counts; i++)
		redactions[i] = (struct record_redaction){o->counts[i].id, o->counts[i].count};
	/* That it ended is written down, also if not all of it can be said. */
	if (o->trouble.kind != ERR_NONE)
		reason = "what was redacted could not be counted";
	if (text[0]) {
		cleaned = clean(o, text, strlen(text), &len, err);
		reason = cleaned ? cleaned : "why could not be redacted";
	}
	return diary_end_run(&o->diary, a, redactions, o->n_counts, reason, err);
}

/* No end without a beginning: that may not have been waited for yet, and what could not be written
 * is not tried again. */
static bool has_begun(struct oneshot *o)
{
	struct error err = {0};

	if (is_silent(o) || !o->diary.began || o->unwritten)
		return false;
	if (diary_await_begin(&o->diary, &err) == 0)
		return true;
	o->unwritten = true;
	o->trouble = err;
	return false;
}

/* What it printed was kept back because nobody could say what is in it. */
static void judge_lost_output(struct oneshot *o, struct account *a)
{
	if (o->sieve.failed.kind == ERR_NONE)
		return;
	a->outcome.end = END_UNKNOWN;
	a->outcome.killed_for = KILL_CANCELLED;
	a->outcome.error = o->sieve.failed;
	(void)fail_in(&a->outcome.error, "its output could not be redacted");
	account_judge(a);
}

static void after(void *context, struct account *a)
{
	struct oneshot *o = context;
	struct error err = {0};

	judge_lost_output(o, a);
	if (o->redacts && count_redactions(o, &err) < 0)
		o->trouble = err;
	if (has_begun(o) && write_end(o, a, &err) < 0)
		o->trouble = err;
}

/* Nothing ran; the account says why. */
static int refuse(struct oneshot *o, struct account *ret, const struct error *err)
{
	account_init(ret, &o->ask->request->job.limits);
	memcpy(ret->id, o->id, sizeof(ret->id));
	ret->outcome.end = END_NOT_STARTED;
	ret->outcome.error = *err;
	account_judge(ret);
	return 0;
}

static int refuse_by_policy(struct oneshot *o, struct account *ret)
{
	struct error err = {0}, log = {0};
	struct diary_run run;

	(void)fail(&err, ERR_REFUSED, "%s (%s)", o->rules.why.what, o->rules.why.rule);
	if (open_diary(o, &log) < 0)
		o->trouble = log;
	run = run_of(o);
	if (o->trouble.kind == ERR_NONE && !is_silent(o) &&
	    diary_refuse(&o->diary, &run, o->rules.why.what, &log) < 0)
		o->trouble = log;
	return refuse(o, ret, &err);
}

/* Nothing came of it before the log was reached, or because it was not: what can be said is said.
 */
static int write_unstarted(struct oneshot *o, struct account *a, int result)
{
	struct error log = {0};

	if (!o->diary.open && meanwhile(o, &log) == 0 && diary_await_begin(&o->diary, &log) == 0) {
		after(o, a);
		(void)diary_await_end(&o->diary, &log);
	}
	return result;
}

/* What was sent stays with the scribe when we are gone.  It is worth waiting for only to whoever
 * reads the receipt, or wants it on the disk. */
static void await_end(struct oneshot *o)
{
	if (o->ask->receipt || o->rules.audit_always || !diary_is_sent(&o->diary))
		(void)diary_await_end(&o->diary, &o->trouble);
}

static int run(struct oneshot *o, struct account *ret, struct error *err)
{
	struct request *r = o->ask->request;
	int result;

	r->meanwhile = meanwhile;
	r->at_start = at_start;
	r->after = after;
	r->context = o;
	result = sandbox_run(r, ret, err);
	memcpy(ret->id, o->id, sizeof(ret->id));
	if (is_silent(o))
		return result;
	if (!o->diary.began && ret->outcome.end == END_NOT_STARTED)
		return write_unstarted(o, ret, result);
	if (!o->diary.ended && o->trouble.kind == ERR_NONE)
		after(o, ret);
	await_end(o);
	return result;
}

int oneshot_run(struct oneshot *o, const struct oneshot_ask *ask, struct account *ret,
		struct error *err)
{
	o->ask = ask;
	account_make_id(o->id, sizeof(o->id));
	if (judge(o, err) < 0) {
		err->kind = ERR_CONFIG;
		return refuse(o, ret, err);
	}
	prepare_sieve(o);
	if (o->rules.answer != ANSWER_ALLOW)
		return refuse_by_policy(o, ret);
	return run(o, ret, err);
}

void oneshot_done(struct oneshot *o)
{
	if (!o->ask)
		return;
	diary_close(&o->diary);
	sieve_done(&o->sieve);
	aide_close(&o->aide);
	free(o->args);
}

/* The answer. */

size_t oneshot_json_room(const struct account *a)
{
	enum { OWN_BYTES = 64 << 10 };

	return account_json_room(a) + OWN_BYTES;
}

static void write_redactions(const struct oneshot *o, struct jsonout *j)
{
	jsonout_array(j, "redactions");
	for (size_t i = 0; i < o->n_counts; i++) {
		jsonout_object(j, NULL);
		jsonout_str(j, "rule", o->counts[i].id);
		jsonout_uint(j, "count", o->counts[i].count);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

int oneshot_json(const struct oneshot *o, const struct account *a, struct buf *out,
		 struct error *err)
{
	static const struct audit_receipt none;
	const struct diary *d = &o->diary;
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	account_write(a, &j);
	why_json(&o->rules.why, &j, "why");
	write_redactions(o, &j);
	audit_receipt_json(&d->end.receipt, &j, "receipt");
	audit_receipt_json(d->began ? &d->entries[1].receipt : &none, &j, "receipt_started");
	jsonout_object(&j, "policy");
	jsonout_str(&j, "sha256", o->rules.policy_sha256[0] ? o->rules.policy_sha256 : NULL);
	jsonout_object_end(&j);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}
