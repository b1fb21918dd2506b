/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - which share of a warm call the path around the box takes.
 *
 *     share BELLJAR SCRIBE [ROUNDS]
 *
 * A warm call is Python in a slot that is kept (libbelljar).  Around it are policy and screening,
 * the redaction of arguments and output, and two records in the log, each answered.  Both are
 * measured in turns; the share is that of medians.
 */
#include <belljar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/announce.h"
#include "audit/record.h"
#include "base/clock.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "bench_stats.h"
#include "gate/gate.h"
#include "scratch.h"

enum { ROUNDS = 200, ROUNDS_MAX = 100000, BAR_PERCENT = 5 };

static const char policy_text[] =
	"version: 1\n"
	"clients: { bench: { uid: any, tools: [execute_code] } }\n"
	"tools: { execute_code: { kind: code, languages: [python], rate: 100000000/min } }\n";
static const char call_text[] =
	"{\"language\": \"python\", \"code\": \"total = sum(i * i for i in range(10))\\n"
	"print(2 + 2)\\n\"}";

enum part { PART_DECIDE, PART_REDACT, PART_RECORD, PART_BOX, PARTS };

static const char *const part_names[] = {
	[PART_DECIDE] = "policy and screening",
	[PART_REDACT] = "redaction of arguments and output",
	[PART_RECORD] = "two records, answered",
	[PART_BOX] = "Python in a kept slot",
};

struct bench {
	struct policy *policy;
	struct redact_set *set;
	struct audit audit;
	struct bj_box *box;
	unsigned serial;
};

static int decide(struct bench *b, struct error *err)
{
	own_json args = json_loads(call_text, JSON_REJECT_DUPLICATES, NULL);
	own(passage) p;

	passage_init(&p);
	p.policy = b->policy;
	p.dry_run = true;
	p.call = (struct tool_call){.client = "bench", .tool = "execute_code", .args = args};
	gate_pass(&p);
	return p.decision == DECISION_ALLOW
		       ? 0
		       : fail(err, ERR_INTERNAL, "it was refused: %s", p.why.what);
}

static int redact(struct bench *b, struct error *err)
{
	static const char *const texts[] = {call_text, "4\n", ""};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		size_t len;
		own_str clean = redact_text(b->set, texts[i], strlen(texts[i]), &len, err);

		if (!clean)
			return -1;
	}
	return 0;
}

static int put(struct bench *b, enum record_kind kind, const char *id, struct error *err)
{
	static const struct limits limits;
	static const struct outcome outcome;
	struct record r = {.kind = kind,
			   .id = id,
			   .client = "bench",
			   .tool = "execute_code",
			   .decision = "allow",
			   .args = call_text,
			   .args_len = sizeof(call_text) - 1,
			   .args_inline = true,
			   .limits = &limits};
	struct audit_entry entry = {.kind = kind == RECORD_STARTED ? PUT_STARTED : PUT_FINISHED,
				    .key = id};
	own(buf) line;

	if (kind == RECORD_FINISHED)
		r.outcome = &outcome;
	buf_init(&line, RECORD_MAX);
	if (record_write(&r, &line, err) < 0)
		return -1;
	entry.line = line.data;
	entry.len = line.len;
	return audit_write(&b->audit, &entry, 1, err);
}

static int record(struct bench *b, struct error *err)
{
	char id[40];

	(void)snprintf(id, sizeof(id), "bj-%024u", ++b->serial);
	return put(b, RECORD_STARTED, id, err) < 0 ? -1 : put(b, RECORD_FINISHED, id, err);
}

static int run(struct bench *b, struct error *err)
{
	static const char *const argv[] = {"/usr/bin/python3", "-c", "print(2 + 2)", NULL};
	struct bj_result *result;
	bool good;

	if (bj_run(b->box, argv, NULL, &result) < 0)
		return fail(err, ERR_SYSTEM, "%s", bj_error(b->box));
	good = result->status == BJ_SUCCESS;
	bj_result_free(result);
	return good ? 0 : fail(err, ERR_SYSTEM, "the call failed");
}

static int (*const parts[])(struct bench *b, struct error *err) = {
	[PART_DECIDE] = decide,
	[PART_REDACT] = redact,
	[PART_RECORD] = record,
	[PART_BOX] = run,
};

static int start(struct bench *b, const char *belljar, const char *scribe, const char *dir,
		 struct error *err)
{
	static struct complaints complaints;
	const struct redact_config redaction = {.groups = REDACT_STANDARD};
	const struct audit_config audit = {.directory = dir, .scribe = scribe};

	b->policy = policy_parse("bench", policy_text, sizeof(policy_text) - 1, &complaints);
	if (!b->policy)
		return fail(err, ERR_INTERNAL, "%s", complaints.list[0].text);
	b->set = redact_set_new(&redaction, err);
	b->box = bj_box_new();
	if (!b->set || !b->box || audit_open(&b->audit, &audit, err) < 0)
		return -1;
	if (bj_box_set(b->box, "helper", belljar) < 0 || bj_box_prepare(b->box) < 0)
		return fail(err, ERR_SYSTEM, "%s", bj_error(b->box));
	return 0;
}

static int measure(struct bench *b, double *ms[PARTS], size_t rounds, struct error *err)
{
	for (size_t i = 0; i < rounds + 5; i++)
		for (size_t k = 0; k < PARTS; k++) {
			uint64_t before = clock_us();

			if (parts[k](b, err) < 0)
				return fail_in(err, "%s", part_names[k]);
			if (i >= 5)
				ms[k][i - 5] = (double)(clock_us() - before) / 1000;
		}
	return 0;
}

static int report(double *ms[PARTS], size_t rounds)
{
	double path = 0, box = 0, share;

	for (size_t k = 0; k < PARTS; k++) {
		double median = stats_of(ms[k], rounds).median;

		printf("%-36s %8.3f ms\n", part_names[k], median);
		if (k == PART_BOX)
			box = median;
		else
			path += median;
	}
	share = 100 * path / (path + box);
	printf("the path's share of a warm call: %.1f %% (at most %d %%: %s)\n", share, BAR_PERCENT,
	       share <= (double)BAR_PERCENT ? "reached" : "not reached");
	return 0;
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	struct error err = {0};
	struct scratch scratch = scratch_make();
	double *ms[PARTS];
	uint64_t rounds = ROUNDS;
	char dir[96];
	int result;

	if (argc < 3 || (argc > 3 && (text_parse_uint(argv[3], &rounds, &err) < 0 || rounds == 0 ||
				      rounds > ROUNDS_MAX))) {
		(void)fprintf(stderr, "usage: share BELLJAR SCRIBE [ROUNDS]\n");
		return 2;
	}
	(void)snprintf(dir, sizeof(dir), "%s/audit", scratch.path);
	for (size_t k = 0; k < PARTS; k++)
		ms[k] = calloc(rounds, sizeof(double));
	audit_init(&b.audit);
	result = start(&b, argv[1], argv[2], dir, &err);
	if (result == 0)
		result = measure(&b, ms, rounds, &err);
	if (result == 0)
		result = report(ms, rounds);
	else
		(void)fprintf(stderr, "share: %s\n", err.text);
	for (size_t k = 0; k < PARTS; k++)
		free(ms[k]);
	audit_close(&b.audit);
	bj_box_free(b.box);
	redact_set_free(b.set);
	policy_free(b.policy);
	for (int i = 0; i < 150 && faccessat(scratch.fd, "audit/scribe.socket", F_OK, 0) == 0; i++)
		(void)usleep(100000);
	scratch_end(&scratch);
	return result < 0;
}
