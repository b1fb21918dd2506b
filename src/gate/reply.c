/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - the documented answer to a tool call, as JSON. */
#include "base/jsonout.h"
#include "gate/gate.h"

enum { FINDING_BYTES = 8192, OWN_BYTES = 256 << 10, RULES_MAX = 512 };

size_t passage_json_room(const struct passage *p)
{
	return account_json_room(&p->account) + p->findings.n * FINDING_BYTES + OWN_BYTES;
}

void findings_json(const struct findings *f, struct jsonout *j, const char *key)
{
	jsonout_array(j, key);
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->list[i];

		jsonout_object(j, NULL);
		jsonout_str(j, "rule", one->rule);
		jsonout_str(j, "label", one->label);
		jsonout_str(j, "mode", screen_mode_name(one->mode));
		jsonout_uint(j, "line", one->line);
		jsonout_uint(j, "column", one->column);
		jsonout_str(j, "what", one->what);
		jsonout_str(j, "reason", one->reason);
		jsonout_str(j, "hint", one->hint);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

static void write_number(struct jsonout *j, const char *key, bool has, uint64_t value)
{
	if (has)
		jsonout_uint(j, key, value);
	else
		jsonout_null(j, key);
}

static void write_remaining(struct jsonout *j, const struct remaining *r)
{
	jsonout_object(j, "remaining");
	write_number(j, "rate_calls", r->has_rate, r->rate_calls);
	write_number(j, "rate_reset_ms", r->has_rate, r->rate_reset_ms);
	write_number(j, "calls", r->has_calls, r->calls);
	write_number(j, "cpu_ms", r->has_cpu, r->cpu_ms);
	write_number(j, "output_bytes", r->has_output, r->output_bytes);
	jsonout_object_end(j);
}

static void write_redactions(struct jsonout *j, const struct redaction *r)
{
	struct redact_count counts[RULES_MAX];
	size_t n = redaction_counts(r, counts, RULES_MAX);

	jsonout_array(j, "redactions");
	for (size_t i = 0; i < n; i++) {
		jsonout_object(j, NULL);
		jsonout_str(j, "rule", counts[i].id);
		jsonout_uint(j, "count", counts[i].count);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

void receipt_json(const struct audit_receipt *r, struct jsonout *j, const char *key)
{
	audit_receipt_json(r, j, key);
}

void passage_write(const struct passage *p, struct jsonout *j)
{
	const struct judged *judged = &p->judged;

	jsonout_str(j, "tool", p->call.tool);
	jsonout_str(j, "client", judged->client ? judged->client->name : NULL);
	jsonout_str(j, "decision", decision_name(p->decision));
	jsonout_bool(j, "dry_run", p->dry_run);
	jsonout_str(j, "refused_by", p->ended_by);
	why_json(&p->why, j, "why");
	findings_json(&p->findings, j, "screening");
	write_redactions(j, &p->redaction);
	write_remaining(j, &p->left);
	receipt_json(&p->receipt, j, "receipt");
	receipt_json(&p->receipt_started, j, "receipt_started");
	jsonout_object(j, "policy");
	jsonout_str(j, "sha256", p->policy->sha256);
	jsonout_object_end(j);
	if (p->more)
		p->more(p->more_context, j);
}

int passage_json(const struct passage *p, struct buf *out, struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	account_write(&p->account, &j);
	passage_write(p, &j);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}
