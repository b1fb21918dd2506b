/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - what the log is told of a call: that it begins, how it ended, or why it was refused.
 *
 * Everything that goes into a record was either judged, or is text of ours, or
 * has been cleaned.
 */
#include <string.h>

#include "audit/blob.h"
#include "audit/record.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "gate/argtext.h"
#include "gate/steps.h"

static bool is_silent(const struct passage *p)
{
	return p->dry_run || p->policy->audit.off;
}

static char *clean(const struct passage *p, const char *text, size_t len, size_t *ret_len,
		   struct error *err)
{
	char *same;

	if (p->cleaner.clean)
		return p->cleaner.clean(p->cleaner.context, text, len, ret_len, err);
	same = strndup(text, len);
	*ret_len = len;
	if (!same)
		(void)fail_sys(err, "keep the arguments");
	return same;
}

/* The words of a record that all kinds share. */

static void fill_who(const struct passage *p, struct record *r)
{
	r->id = p->id;
	r->session = p->session;
	r->action = action_name(p->action);
	r->client = p->judged.client ? p->judged.client->name : NULL;
	r->has_uid = !p->from_afar;
	r->uid = p->call.uid;
	r->tool = p->call.tool;
	r->decision = decision_name(p->decision);
}

static void fill_why(const struct passage *p, struct record *r)
{
	if (p->why.layer == WHY_NONE)
		return;
	r->layer = why_layer_name(p->why.layer);
	r->rule = p->why.rule;
	r->reason = p->why.what;
}

/* Where no tool was found, its name is what the caller made up. */
static int clean_tool(const struct passage *p, struct record *r, char **ret, struct error *err)
{
	size_t len;

	if (p->judged.tool || !r->tool)
		return 0;
	*ret = clean(p, r->tool, strlen(r->tool), &len, err);
	r->tool = *ret;
	return *ret ? 0 : -1;
}

/* A refusal may quote what was sent. */
static int clean_reason(const struct passage *p, struct record *r, char **ret, struct error *err)
{
	size_t len;

	if (!r->reason)
		return 0;
	*ret = clean(p, r->reason, strlen(r->reason), &len, err);
	r->reason = *ret;
	return *ret ? 0 : -1;
}

static int fill_policy(const struct passage *p, struct record *r, struct hash *ret,
		       struct error *err)
{
	if (!hash_from_hex(p->policy->sha256, strlen(p->policy->sha256), ret))
		return fail(err, ERR_INTERNAL, "the policy has no hash");
	r->policy = ret;
	return 0;
}

static int clean_string(const struct passage *p, json_t *string, struct error *err)
{
	size_t len = 0;
	own_str text = clean(p, json_string_value(string), json_string_length(string), &len, err);

	if (!text)
		return -1;
	if (json_string_setn(string, text, len) < 0)
		return fail(err, ERR_INTERNAL, "cleaned text is no text any more");
	return 0;
}

/* How deep they nest was limited when they were read. */
static int clean_values(const struct passage *p, json_t *value, struct error *err)
{
	const char *key;
	json_t *inner;
	size_t i;

	if (json_is_string(value))
		return clean_string(p, value, err);
	json_object_foreach(value, key, inner)
	{
		if (clean_values(p, inner, err) < 0)
			return -1;
	}
	json_array_foreach(value, i, inner)
	{
		if (clean_values(p, inner, err) < 0)
			return -1;
	}
	return 0;
}

static char *write_any(const struct passage *p, const json_t *from, size_t *ret_len,
		       struct error *err)
{
	own_json args = json_deep_copy(from);
	char *text;

	if (!args) {
		(void)fail(err, ERR_SYSTEM, "write the arguments down");
		return NULL;
	}
	if (p->cleaner.clean && clean_values(p, args, err) < 0)
		return NULL;
	text = json_dumps(args, JSON_COMPACT | JSON_SORT_KEYS);
	if (!text)
		(void)fail(err, ERR_SYSTEM, "write the arguments down");
	else
		*ret_len = strlen(text);
	return text;
}

/* Each text is cleaned as it is, for JSON's escapes could hide what is in it; then the whole, in
 * which a name may tell what its value is. */
char *evidence_arguments(const struct passage *p, size_t *ret_len, struct error *err)
{
	const json_t *args = p->judged.args ? p->judged.args : p->call.args;
	own_str text = argtext_fits(args) ? argtext_write(args, &p->cleaner, ret_len, err)
					  : write_any(p, args, ret_len, err);

	/* Many calls have none: then no pattern needs to be loaded before the box is there. */
	if (!text || json_object_size(args) == 0)
		return TAKE(text);
	return clean(p, text, *ret_len, ret_len, err);
}

/* Bodies. */

static int keep_body(const struct passage *p, const struct stream *s, struct error *err)
{
	struct blobs blobs;
	struct hash same;
	int result;

	if (s->kept.len == 0 || p->policy->audit.bodies != BLOB_BODIES)
		return 0;
	if (blobs_open(&blobs, p->audit->dir, err) < 0)
		return -1;
	result = blob_put(&blobs, s->kept.data, s->kept.len, &same, err);
	blobs_close(&blobs);
	return result;
}

/* A body may be missing, as one that was dropped is; that the call ended must be written down
 * nevertheless.  The operator hears of it. */
static void fill_output(struct passage *p, const struct stream *s, struct record_output *ret)
{
	struct error err = {0};

	ret->set = p->policy->audit.bodies != BLOB_NONE;
	ret->bytes = s->seen;
	ret->truncated = s->truncated;
	if (!ret->set)
		return;
	hash_bytes(buf_str(&s->kept), s->kept.len, &ret->sha256);
	if (keep_body(p, s, &err) < 0 && p->trouble.kind == ERR_NONE) {
		(void)fail_in(&err, "the output of the call is not kept");
		p->trouble = err;
	}
}

/* Writing. */

/* The policy goes in front, unless this scribe has seen it. */
static int compose(struct passage *p, enum scribe_put kind, const struct record *r,
		   struct error *err)
{
	struct announcement *a = &p->announcement;
	struct record rules = {
		.kind = RECORD_POLICY_LOADED,
		.policy = r->policy,
		.version = BELLJAR_VERSION,
		.detail = p->policy->source,
	};
	a->n = 0;
	for (size_t i = 0; i < ARRAY_LEN(a->lines); i++) {
		buf_done(&a->lines[i]);
		buf_init(&a->lines[i], RECORD_MAX);
	}
	if (!audit_has_told(p->audit, p->policy->sha256)) {
		if (record_write(&rules, &a->lines[0], err) < 0)
			return -1;
		a->entries[a->n++] = (struct audit_entry){.kind = PUT_ONCE,
							  .key = p->policy->sha256,
							  .line = a->lines[0].data,
							  .len = a->lines[0].len};
	}
	if (record_write(r, &a->lines[1], err) < 0)
		return -1;
	a->entries[a->n++] = (struct audit_entry){.kind = kind,
						  .key = kind == PUT_SINGLE ? NULL : p->id,
						  .line = a->lines[1].data,
						  .len = a->lines[1].len};
	return 0;
}

/* It is in the log, or err. */
static int wait_for_receipt(struct passage *p, struct audit_receipt *ret, struct error *err)
{
	struct announcement *a = &p->announcement;

	a->posted = false;
	if (audit_write(p->audit, a->entries, a->n, err) < 0)
		return -1;
	*ret = a->entries[a->n - 1].receipt;
	return 0;
}

/* A call's first record: it begins, or it does not. */
static int compose_first(struct passage *p, enum scribe_put put, enum record_kind kind,
			 struct error *err)
{
	struct record r = {.kind = kind, .args_inline = true};
	own_str args = NULL;
	own_str reason = NULL;
	own_str tool = NULL;
	struct hash policy;

	fill_who(p, &r);
	fill_why(p, &r);
	if (clean_tool(p, &r, &tool, err) < 0 || clean_reason(p, &r, &reason, err) < 0)
		return -1;
	/* What could not be read has none. */
	if (p->call.args) {
		args = evidence_arguments(p, &r.args_len, err);
		if (!args)
			return -1;
	}
	if (fill_policy(p, &r, &policy, err) < 0)
		return -1;
	r.args = args;
	if (kind == RECORD_STARTED)
		r.limits = &p->limits;
	return compose(p, put, &r, err);
}

static void fill_end(const struct passage *p, struct record *r)
{
	const struct account *a = &p->account;

	r->status = status_name(a->status);
	r->cause = kill_reason_name(a->outcome.killed_for);
	r->backend = "native";
	if (!p->ran)
		return;
	record_take_end(r, a);
	/* The other actions start no process. */
	if ((p->action == ACTION_CALL || p->action == ACTION_EXEC) && a->outcome.end != END_UNKNOWN)
		r->start = start_how_name(a->outcome.start.how);
}

static size_t fill_redactions(const struct passage *p, struct record_redaction *ret, size_t room)
{
	struct redact_count counts[RECORD_REDACTIONS_MAX];
	size_t n = redaction_counts(&p->redaction, counts, ARRAY_LEN(counts));

	for (size_t i = 0; i < n && i < room; i++)
		ret[i] = (struct record_redaction){counts[i].id, counts[i].count};
	return n < room ? n : room;
}

static int write_end(struct passage *p, struct error *err)
{
	struct record_redaction redactions[RECORD_REDACTIONS_MAX];
	struct record r = {
		.kind = RECORD_FINISHED,
		.redactions = redactions,
		.n_redactions = fill_redactions(p, redactions, ARRAY_LEN(redactions)),
		.canary = redaction_canary(&p->redaction) != NULL,
	};
	struct audit_entry entry = {.kind = PUT_FINISHED, .key = p->id};
	own_str reason = NULL;
	own(buf) line;

	buf_init(&line, RECORD_MAX);
	fill_who(p, &r);
	fill_why(p, &r);
	fill_end(p, &r);
	if (clean_reason(p, &r, &reason, err) < 0)
		return -1;
	if (p->ran) {
		fill_output(p, &p->account.out, &r.out);
		fill_output(p, &p->account.err, &r.err);
	}
	if (record_write(&r, &line, err) < 0)
		return -1;
	entry.line = line.data;
	entry.len = line.len;
	if (audit_write(p->audit, &entry, 1, err) < 0)
		return -1;
	p->receipt = entry.receipt;
	return 0;
}

/* Steps. */

static enum verdict refuse_unwritten(struct passage *p, struct error err)
{
	if (err.kind != ERR_NONE)
		p->trouble = err;
	if (p->trouble.kind != ERR_NONE)
		p->trouble.kind = ERR_REFUSED; /* whatever it was, this is what it comes to */
	p->audit = NULL;                       /* the refusal cannot be written down either */
	(void)why_deny(&p->why, WHY_KERNEL, "audit", "the audit log cannot be written");
	why_hint(&p->why, "nothing was run; try again, and if it happens again, tell the operator");
	why_retry(&p->why, 1000);
	return step_deny(p);
}

enum verdict step_await(struct passage *p)
{
	struct error err = {0};

	if (!p->announcement.posted)
		return GO_ON;
	if (wait_for_receipt(p, &p->receipt_started, &err) < 0)
		return refuse_unwritten(p, err);
	p->announced = true;
	return GO_ON;
}

enum verdict step_announce(struct passage *p)
{
	struct error err = {0};

	if (is_silent(p))
		return GO_ON;
	if (!p->audit || compose_first(p, PUT_STARTED, RECORD_STARTED, &err) < 0)
		return refuse_unwritten(p, err);
	p->announcement.posted = true;
	/* Where a slot waits there is something to do meanwhile. */
	if (!p->announcement.later)
		return step_await(p);
	audit_post(p->audit, p->announcement.entries, p->announcement.n);
	return GO_ON;
}

enum verdict step_record(struct passage *p)
{
	struct error err = {0};
	int result;

	/* It may have ended before anybody waited for the record of its beginning. */
	if (step_await(p) != GO_ON || is_silent(p) || !p->audit)
		return GO_ON;
	if (p->announced)
		result = write_end(p, &err);
	else
		result = compose_first(p, PUT_SINGLE, RECORD_DENIED, &err) < 0
				 ? -1
				 : wait_for_receipt(p, &p->receipt, &err);
	/* It has happened, recorded or not; the operator hears of it, and the answer has no
	 * receipt.
	 */
	if (result < 0 && p->trouble.kind == ERR_NONE)
		p->trouble = err;
	return GO_ON;
}
