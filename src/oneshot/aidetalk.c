/* SPDX-License-Identifier: Apache-2.0 */
/* aidetalk.c - is a message of belljar run to its aide, or back, whole?
 *
 * The aide works on what a hostile program printed.  So what it says is looked at as if that
 * program had said it, before a field of it is used.
 */
#include "oneshot/aidetalk.h"

#include <string.h>

#include "audit/blob.h"
#include "base/own.h"

static bool is_whole(const struct aide_message *m, size_t n)
{
	return n >= sizeof(m->head) && n <= sizeof(*m) && m->head.magic == AIDE_MAGIC &&
	       m->head.len == n - sizeof(m->head);
}

bool aide_check_request(const struct aide_message *m, size_t n)
{
	if (!is_whole(m, n))
		return false;
	switch (m->head.kind) {
	case AIDE_JUDGE:
		return m->head.len == sizeof(m->ask);
	case AIDE_CLEAN:
		return m->head.len <= AIDE_BYTES && m->head.stream < AIDE_STREAMS;
	case AIDE_COUNT:
		return m->head.len == 0;
	default:
		return false;
	}
}

/* A byte that is neither 0 nor 1 is no bool, and must not be read as one. */
static bool is_bool(const void *at)
{
	unsigned char byte;

	_Static_assert(sizeof(bool) == 1, "one byte");
	memcpy(&byte, at, 1);
	return byte <= 1;
}

static bool is_text(const char *text, size_t room)
{
	return memchr(text, '\0', room) != NULL;
}

static bool check_why(const struct why *w)
{
	return (unsigned)w->layer < WHY_COUNT && is_bool(&w->permanent) &&
	       is_text(w->rule, sizeof(w->rule)) && is_text(w->what, sizeof(w->what)) &&
	       is_text(w->hint, sizeof(w->hint));
}

static bool check_rules(const struct run_rules *r)
{
	return (r->answer == ANSWER_DENY || r->answer == ANSWER_ALLOW) && check_why(&r->why) &&
	       (unsigned)r->redact <= RUN_REDACT_OFF && is_bool(&r->audit_off) &&
	       is_bool(&r->audit_always) && (unsigned)r->audit_bodies < BLOB_MODE_COUNT &&
	       is_text(r->audit_directory, sizeof(r->audit_directory)) &&
	       is_text(r->policy_sha256, sizeof(r->policy_sha256)) &&
	       is_text(r->policy_source, sizeof(r->policy_source));
}

/* One without a kind would be taken for none. */
static bool check_error(const struct error *e)
{
	return (unsigned)e->kind < ERR_KIND_COUNT && e->kind != ERR_NONE &&
	       is_text(e->text, sizeof(e->text));
}

bool aide_check_answer(const struct aide_message *m, size_t n)
{
	if (!is_whole(m, n))
		return false;
	switch (m->head.kind) {
	case AIDE_RULES:
		return m->head.len == sizeof(m->rules) && check_rules(&m->rules);
	case AIDE_TEXT:
		return m->head.len <= AIDE_BYTES;
	case AIDE_COUNTED:
		return m->head.len == sizeof(m->count) && is_text(m->count.id, sizeof(m->count.id));
	case AIDE_DONE:
		return m->head.len == 0;
	case AIDE_FAILED:
		return m->head.len == sizeof(m->error) && check_error(&m->error);
	default:
		return false;
	}
}
