/* SPDX-License-Identifier: Apache-2.0 */
/* diary.c - what the audit log is told of a run: that it begins, and how it ended.
 *
 * Records are sent while something else is being prepared or taken down, and waited for where it
 * counts: nothing starts before its beginning is in the log.
 */
#include "oneshot/diary.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/blob.h"
#include "base/own.h"

/* No tool of a policy can be called that: their names have no blanks. */
static const char run_tool[] = "belljar run";

int diary_open(struct diary *d, const struct run_rules *rules, const char *directory,
	       int (*find)(char *ret, size_t room, struct error *err), struct error *err)
{
	const char *fixed = rules->audit_directory[0] ? rules->audit_directory : NULL;
	const struct audit_config config = {
		.directory = fixed ? fixed : directory,
		.find = find,
		.allow_degraded = rules->allow_degraded,
		.durable = rules->audit_always,
	};

	d->rules = rules;
	audit_init(&d->audit);
	buf_init(&d->policy_line, RECORD_MAX);
	buf_init(&d->line, RECORD_MAX);
	buf_init(&d->end_line, RECORD_MAX);
	d->open = true;
	return audit_open(&d->audit, &config, err);
}

void diary_close(struct diary *d)
{
	if (!d->open)
		return;
	audit_close(&d->audit);
	buf_done(&d->policy_line);
	buf_done(&d->line);
	buf_done(&d->end_line);
	d->open = false;
}

static int fill_entries(struct diary *d, enum scribe_put kind, const struct record *r,
			struct error *err)
{
	const struct record rules = {
		.kind = RECORD_POLICY_LOADED,
		.policy = r->policy,
		.version = BELLJAR_VERSION,
		.detail = d->rules->policy_source,
	};

	if (record_write(&rules, &d->policy_line, err) < 0 || record_write(r, &d->line, err) < 0)
		return -1;
	d->entries[0] = (struct audit_entry){.kind = PUT_ONCE,
					     .key = d->rules->policy_sha256,
					     .line = d->policy_line.data,
					     .len = d->policy_line.len};
	d->entries[1] = (struct audit_entry){.kind = kind,
					     .key = kind == PUT_SINGLE ? NULL : r->id,
					     .line = d->line.data,
					     .len = d->line.len};
	return 0;
}

static int compose(struct diary *d, enum scribe_put put, struct record *r,
		   const struct diary_run *run, struct error *err)
{
	if (!hash_from_hex(d->rules->policy_sha256, strlen(d->rules->policy_sha256), &d->policy))
		return fail(err, ERR_INTERNAL, "the policy has no hash");
	d->id = run->id;
	r->id = run->id;
	r->has_uid = true;
	r->uid = getuid();
	r->tool = run_tool;
	r->args = run->args;
	r->args_len = run->args_len;
	r->args_inline = true;
	r->policy = &d->policy;
	return fill_entries(d, put, r, err);
}

int diary_begin(struct diary *d, const struct diary_run *run, struct error *err)
{
	struct record r = {.kind = RECORD_STARTED, .decision = "allow", .limits = run->limits};

	if (compose(d, PUT_STARTED, &r, run, err) < 0)
		return -1;
	audit_post(&d->audit, d->entries, ARRAY_LEN(d->entries));
	d->began = true;
	return 0;
}

int diary_await_begin(struct diary *d, struct error *err)
{
	if (!d->began)
		return fail(err, ERR_INTERNAL, "nothing says that it begins");
	return audit_write(&d->audit, d->entries, ARRAY_LEN(d->entries), err);
}

int diary_refuse(struct diary *d, const struct diary_run *run, const char *reason,
		 struct error *err)
{
	struct record r = {
		.kind = RECORD_DENIED,
		.decision = "deny",
		.layer = why_layer_name(d->rules->why.layer),
		.rule = d->rules->why.rule,
		.reason = reason,
	};

	if (compose(d, PUT_SINGLE, &r, run, err) < 0)
		return -1;
	if (audit_write(&d->audit, d->entries, ARRAY_LEN(d->entries), err) < 0)
		return -1;
	d->end = d->entries[1];
	return 0;
}

/* A body may be missing, as one that was dropped is; that the run ended is written down
 * nevertheless. */
static void fill_output(const struct diary *d, const struct stream *s, struct record_output *ret)
{
	struct error ignored = {0};
	struct blobs blobs;
	struct hash same;

	ret->set = d->rules->audit_bodies != BLOB_NONE;
	ret->bytes = s->seen;
	ret->truncated = s->truncated;
	if (!ret->set)
		return;
	hash_bytes(buf_str(&s->kept), s->kept.len, &ret->sha256);
	if (s->kept.len == 0 || d->rules->audit_bodies != BLOB_BODIES ||
	    blobs_open(&blobs, d->audit.dir, &ignored) < 0)
		return;
	(void)blob_put(&blobs, s->kept.data, s->kept.len, &same, &ignored);
	blobs_close(&blobs);
}

static void fill_end(const struct diary *d, const struct account *a, struct record *r)
{
	const struct outcome *o = &a->outcome;

	r->id = d->id;
	r->has_uid = true;
	r->uid = getuid();
	r->tool = run_tool;
	r->decision = "allow";
	r->status = status_name(a->status);
	r->cause = kill_reason_name(o->killed_for);
	r->backend = "native";
	if (o->end == END_NOT_STARTED)
		return;
	record_take_end(r, a);
	if (o->end != END_UNKNOWN)
		r->start = start_how_name(o->start.how);
	fill_output(d, &a->out, &r->out);
	fill_output(d, &a->err, &r->err);
}

int diary_end_run(struct diary *d, const struct account *account,
		  const struct record_redaction *redactions, size_t n, const char *reason,
		  struct error *err)
{
	struct record r = {
		.kind = RECORD_FINISHED,
		.redactions = redactions,
		.n_redactions = n,
		.reason = reason,
	};

	fill_end(d, account, &r);
	if (record_write(&r, &d->end_line, err) < 0)
		return -1;
	d->end = (struct audit_entry){.kind = PUT_FINISHED,
				      .key = d->id,
				      .line = d->end_line.data,
				      .len = d->end_line.len};
	audit_post(&d->audit, &d->end, 1);
	d->ended = true;
	return 0;
}

bool diary_is_sent(const struct diary *d)
{
	return d->ended && d->end.ticket != 0;
}

int diary_await_end(struct diary *d, struct error *err)
{
	return d->ended ? audit_write(&d->audit, &d->end, 1, err) : 0;
}
