/* SPDX-License-Identifier: Apache-2.0 */
/* aidetalk_fuzz.c - messages of belljar run to its aide and back, from any bytes: what is taken is
 * whole, and every field of it can be used. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "audit/blob.h"
#include "oneshot/aidetalk.h"

/* No bounds are looked at here: a text that does not end is one for the sanitizer. */
static size_t text_len(const char *text, size_t room)
{
	size_t len = strlen(text);

	assert(len < room);
	return len;
}

static void use_rules(const struct run_rules *r)
{
	size_t all = text_len(r->why.rule, sizeof(r->why.rule)) +
		     text_len(r->why.what, sizeof(r->why.what)) +
		     text_len(r->why.hint, sizeof(r->why.hint)) +
		     text_len(r->audit_directory, sizeof(r->audit_directory)) +
		     text_len(r->policy_sha256, sizeof(r->policy_sha256)) +
		     text_len(r->policy_source, sizeof(r->policy_source));

	assert(all < sizeof(*r));
	assert(why_layer_name(r->why.layer));
	assert(r->answer == ANSWER_DENY || r->answer == ANSWER_ALLOW);
	assert(r->redact <= RUN_REDACT_OFF);
	assert(r->audit_bodies >= 0 && r->audit_bodies < BLOB_MODE_COUNT);
	/* Read as what they are: a wrong one is undefined. */
	assert((r->audit_off ? 1 : 0) + (r->audit_always ? 1 : 0) + (r->why.permanent ? 1 : 0) <=
	       3);
}

static void use_answer(const struct aide_message *m, size_t size)
{
	switch (m->head.kind) {
	case AIDE_RULES:
		use_rules(&m->rules);
		return;
	case AIDE_TEXT:
		assert(m->head.len <= sizeof(m->text) && m->head.len + sizeof(m->head) == size);
		return;
	case AIDE_COUNTED:
		(void)text_len(m->count.id, sizeof(m->count.id));
		return;
	case AIDE_FAILED:
		/* A failure that is none would let a run pass for whole. */
		assert(m->error.kind > ERR_NONE && m->error.kind < ERR_KIND_COUNT);
		(void)text_len(m->error.text, sizeof(m->error.text));
		return;
	default:
		assert(m->head.kind == AIDE_DONE && m->head.len == 0);
	}
}

static void use_request(const struct aide_message *m, size_t size)
{
	assert(size == sizeof(m->head) + m->head.len);
	assert(m->head.kind >= AIDE_JUDGE && m->head.kind <= AIDE_COUNT);
	if (m->head.kind == AIDE_CLEAN)
		assert(m->head.stream < AIDE_STREAMS && m->head.len <= sizeof(m->text));
	if (m->head.kind == AIDE_JUDGE)
		assert(m->head.len == sizeof(m->ask));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct aide_message m;

	/* What came may be shorter, or have been cut: nothing else is looked at. */
	memset(&m, 0xa5, sizeof(m));
	memcpy(&m, data, size < sizeof(m) ? size : sizeof(m));
	if (aide_check_request(&m, size))
		use_request(&m, size);
	if (aide_check_answer(&m, size))
		use_answer(&m, size);
	return 0;
}
