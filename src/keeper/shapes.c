/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - the faces that the answer to a call has.
 *
 * SHAPE_EXECUTE says success, output and error first, and everything that is
 * known beside it; SHAPE_TOOL says status, data and error, and has everything
 * else in account.
 */
#include "keeper/shapes.h"

#include <stdio.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "keeper/keepfacts.h"

enum { JSON_DATA_MAX = 1 << 20, STDERR_SHOWN = 2000 };

size_t shape_room(const struct passage *p)
{
	size_t room = passage_json_room(p) + 8 * (p->account.out.kept.len + STDERR_SHOWN) + 4096;

	for (size_t i = 0; i < p->account.n_artifacts; i++)
		room += p->account.artifacts[i].content_len * 2 + 1024;
	return room + JSON_DATA_MAX;
}

/* In words. */

static const char *cause_of(enum kill_reason reason)
{
	static const char *const causes[KILL_COUNT] = {
		[KILL_WALL] = "its wall-clock time was used up",
		[KILL_CPU] = "its processor time was used up",
		[KILL_MEMORY] = "it needed more memory than it may",
		[KILL_PROCESSES] = "it started more processes than it may",
		[KILL_DISK] = "it wrote more than its disk holds",
		[KILL_OUTPUT] = "it printed far more than is kept",
		[KILL_SIGNAL] = "a signal ended it",
		[KILL_VIOLATION] = "it made a system call that is not allowed",
		[KILL_CANCELLED] = "it was cancelled",
		[KILL_CANARY] = "a canary was in its output",
	};

	return reason < KILL_COUNT ? causes[reason] : NULL;
}

/* What the program itself says is the best reason there is. */
static bool last_words(const struct stream *s, char *room, size_t size)
{
	const char *text = buf_str(&s->kept);
	size_t len = s->kept.len, from;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	if (len == 0 || !text_is_utf8(text, len))
		return false;
	from = len > STDERR_SHOWN ? len - STDERR_SHOWN : 0;
	while (from < len && ((unsigned char)text[from] & 0xc0) == 0x80)
		from++;
	(void)snprintf(room, size, "%.*s", (int)(len - from), text + from);
	return true;
}

const char *shape_error(const struct passage *p, char *room, size_t size)
{
	const struct outcome *o = &p->account.outcome;

	if (p->why.layer != WHY_NONE)
		return p->why.what;
	if (p->account.status == STATUS_SUCCESS || p->dry_run)
		return NULL;
	if (o->killed_for != KILL_NONE)
		return cause_of(o->killed_for);
	if (o->error.kind != ERR_NONE)
		return o->error.text;
	if (last_words(&p->account.err, room, size))
		return room;
	if (o->end == END_SIGNALLED)
		(void)snprintf(room, size, "signal %d ended it", o->signal);
	else
		(void)snprintf(room, size, "its exit code is %d", o->exit_code);
	return room;
}

/* Pieces. */

static void write_output(struct jsonout *j, const char *key, const struct stream *s)
{
	/* What is no UTF-8 is written as \xNN here; stdout.data has the bytes. */
	jsonout_bytes(j, key, buf_str(&s->kept), s->kept.len);
}

static void write_artifacts(struct jsonout *j, const struct account *a)
{
	jsonout_array(j, "artifacts");
	for (size_t i = 0; i < a->n_artifacts; i++) {
		const struct artifact *f = &a->artifacts[i];

		jsonout_object(j, NULL);
		artifact_json(f, j);
		if (!f->refused[0]) {
			jsonout_bool(j, "redacted", f->redacted);
			jsonout_base64(j, "content_base64", f->content ? f->content : "",
				       f->content_len);
		}
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

static void write_failure(struct jsonout *j, const struct error *e)
{
	if (e->kind == ERR_NONE) {
		jsonout_null(j, "failure");
		return;
	}
	jsonout_object(j, "failure");
	jsonout_str(j, "kind", error_kind_name(e->kind));
	jsonout_str(j, "text", e->text);
	jsonout_object_end(j);
}

static void write_whole(struct jsonout *j, const struct passage *p)
{
	account_write_facts(&p->account, j);
	write_failure(j, &p->account.outcome.error);
	write_artifacts(j, &p->account);
	passage_write(p, j);
}

/* The faces. */

static void write_execute(struct jsonout *j, const struct passage *p, const char *error)
{
	write_output(j, "output", &p->account.out);
	jsonout_str(j, "error", error);
	write_whole(j, p);
}

/* What a tool prints as JSON need not be read twice by whoever called it. */
static void write_json(struct jsonout *j, const struct stream *s)
{
	struct error ignored;
	own_json value = NULL;
	own_str text = NULL;

	if (s->truncated || s->kept.len == 0 || s->kept.len > JSON_DATA_MAX / 6 ||
	    !strchr("{[", buf_str(&s->kept)[0]))
		return;
	value = jsonread(buf_str(&s->kept), s->kept.len, JSON_DATA_MAX, &ignored);
	text = value ? jsonread_text(value) : NULL;
	if (text)
		jsonout_raw(j, "json", text, strlen(text));
}

static void write_tool(struct jsonout *j, const struct passage *p, const char *error)
{
	bool denied = p->account.status == STATUS_DENIED;

	jsonout_str(j, "status", denied ? "permission_denied" : status_name(p->account.status));
	write_output(j, "data", &p->account.out);
	write_json(j, &p->account.out);
	jsonout_str(j, "error", error);
	why_json(&p->why, j, "why");
	jsonout_str(j, "id", p->id);
	receipt_json(&p->receipt, j, "receipt");
	jsonout_object(j, "account");
	write_whole(j, p);
	jsonout_object_end(j);
}

int shape_write(const struct passage *p, const struct keep_request *r, struct buf *out,
		struct error *err)
{
	char room[STDERR_SHOWN + 8];
	const char *error = shape_error(p, room, sizeof(room));
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "request_id", r->request_id);
	if (r->shape == SHAPE_TOOL)
		write_tool(&j, p, error);
	else
		write_execute(&j, p, error);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

/* The head. */

void shape_head(const struct passage *p, struct keep_reply *ret)
{
	bool full = p->why.layer == WHY_LIMIT && !p->why.permanent && !p->ran;

	ret->http_status = 200;
	memcpy(ret->id, p->id, sizeof(ret->id));
	facts_fill(p, &ret->facts);
	/* Too often, too many, too much: the same answer, and when to come back. */
	if (full && strcmp(p->why.rule, "state") != 0) {
		uint64_t s = (p->why.retry_after_ms + 999) / 1000;

		ret->http_status = 429;
		ret->retry_after_s = s == 0 ? 1 : s > 86400 ? 86400 : (uint32_t)s;
	}
}
