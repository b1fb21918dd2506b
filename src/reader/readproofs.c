/* SPDX-License-Identifier: Apache-2.0 */
/* readproofs.c - is it what was once signed?  Proofs, the checkpoint, the whole verification. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "audit/proof.h"
#include "audit/verify.h"
#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "reader/readrole.h"

int read_proof(struct reader *r, const struct read_request *q, struct read_answer *a,
	       struct error *err)
{
	own(buf) text;
	struct jsonout j;
	uint64_t index;

	buf_init(&text, PROOF_MAX);
	if (read_number(a, "index", q->index, &index, err) < 0 || !reader_log(r, err))
		return -1;
	if (proof_make(r->log, index, true, &text, err) < 0)
		return -1;
	jsonout_start(&j, &a->body, err);
	jsonout_object(&j, NULL);
	jsonout_uint(&j, "index", index);
	jsonout_str(&j, "proof", buf_str(&text));
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

int read_checkpoint(struct reader *r, const struct read_request *q, struct read_answer *a,
		    struct error *err)
{
	char text[NOTE_MAX], hex[HASH_HEX];
	struct checkpoint c;
	struct jsonout j;

	(void)q;
	if (!reader_log(r, err))
		return -1;
	if (log_reader_checkpoint(r->log, &c, text, err) < 0) {
		if (err->sys == ENOENT) /* nothing was signed yet */
			err->kind = ERR_NOT_FOUND;
		return -1;
	}
	hash_hex(&c.root, hex);
	jsonout_start(&j, &a->body, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "origin", c.origin);
	jsonout_uint(&j, "size", c.size);
	jsonout_str(&j, "root", hex);
	jsonout_str(&j, "checkpoint", text);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

/* Others who ask meanwhile are answered now. */
static void between_steps(void *context, uint64_t done, uint64_t total)
{
	(void)done, (void)total;
	if (!reader_serve(context))
		_exit(0); /* nobody waits for the end of it */
}

static int write_report(const struct verify_report *r, uint64_t took_us, struct buf *out,
			struct error *err)
{
	struct jsonout j;
	char hex[HASH_HEX];

	hash_hex(&r->root, hex);
	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_bool(&j, "ok", r->findings == 0);
	jsonout_bool(&j, "valid", r->findings == 0);
	jsonout_uint(&j, "records", r->records);
	jsonout_uint(&j, "signed", r->signed_records);
	jsonout_uint(&j, "bytes", r->bytes);
	jsonout_str(&j, "root", hex);
	jsonout_uint(&j, "anchors", 0);
	jsonout_uint(&j, "open_calls", r->open);
	jsonout_uint(&j, "backward", r->backward);
	jsonout_uint(&j, "findings_total", r->findings);
	verify_findings_json(&j, r);
	jsonout_ms(&j, "ms", took_us);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

/* One at a time: it reads everything. */
int read_verification(struct reader *r, const struct read_request *q, struct read_answer *a,
		      struct error *err)
{
	own_mem struct verify_report *report = calloc(1, sizeof(*report));
	struct verify_options options = {.progress = between_steps, .context = r};
	uint64_t start = clock_us();
	int result;

	(void)q;
	if (!report)
		return fail_sys(err, "verify");
	if (r->verifying) {
		a->status = 503;
		a->retry_after_s = 1;
		return fail(err, ERR_SYSTEM, "a verification is under way");
	}
	r->verifying = true;
	result = verify_log(r->path, &options, report, err);
	r->verifying = false;
	return result < 0 ? -1 : write_report(report, clock_us() - start, &a->body, err);
}
