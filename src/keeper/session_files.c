/* SPDX-License-Identifier: Apache-2.0 */
/* session_files.c - files of a session: in, out, looked at, removed, while it lives.
 *
 * The slot moves them, within the box and following no link.  What comes out
 * is looked at like an artifact of a call: whole, however small the piece that
 * was asked for, because a secret could lie across the border of two pieces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/record.h"
#include "audit/tree.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "gate/fileclean.h"
#include "gate/steps.h"
#include "keeper/session_state.h"

enum {
	LOOKED_AT_MAX = 32 << 20, /* larger files come out only where nothing is redacted */
	CLEANED_MAX = 2 * LOOKED_AT_MAX,
	LIST_BYTES = 8 << 20,
	ANSWER_MAX = 16 << 10,
};

/* What went wrong with a file, as HTTP has words for it. */
static void answer_failure(struct session *s, const struct keep_request *r, const struct error *err)
{
	switch (err->kind) {
	case ERR_NOT_FOUND:
		answer_problem(s->k, r, 404, "not_found", err->text, NULL);
		return;
	case ERR_REFUSED:
		answer_problem(s->k, r, 409, "conflict", err->text, NULL);
		return;
	case ERR_CALLER:
		answer_problem(s->k, r, 400, "bad_request", err->text, NULL);
		return;
	case ERR_NONE:
	case ERR_CONFIG:
	case ERR_SYSTEM:
	case ERR_INTERNAL:
	case ERR_KIND_COUNT:
		break;
	}
	keeper_say(s->k, err);
	answer_problem(s->k, r, 500, "internal", "the box did not answer", NULL);
}

/* "" is /work itself. */
static const char *path_of(const struct keep_request *r)
{
	return r->path[0] ? r->path : ".";
}

/* Something with a path, judged and begun; NULL: it was answered. */
static struct doing *begin(struct session *s, const struct keep_request *r, enum action action,
			   json_t *more)
{
	struct doing *d = doing_new(s, r, action);
	char path[4 * KEEP_PATH_ROOM + 1];

	if (!d) {
		json_decref(more);
		return NULL;
	}
	text_escape(path_of(r), strlen(path_of(r)), path, sizeof(path));
	d->passage.bare = true;
	d->args = more ? more : json_object();
	if (!d->args || json_object_set_new(d->args, "path", json_string(path)) < 0) {
		answer_problem(s->k, r, 500, "internal", "there is no memory for it", NULL);
		doing_free(d);
		return NULL;
	}
	return doing_enter(d) ? d : NULL;
}

/* The end of it: answered with a problem, if it failed. */
static bool end(struct doing *d, int result, const struct error *err)
{
	doing_record(d, result, err);
	if (result < 0)
		answer_failure(d->session, &d->request, err);
	return result == 0;
}

static void write_tail(struct doing *d, struct jsonout *j)
{
	jsonout_str(j, "session", d->session->id);
	jsonout_str(j, "request_id", d->request.request_id);
	receipt_json(&d->passage.receipt, j, "receipt");
}

/* In. */

static json_t *describe_bytes(const struct buf *body, bool executable, char hex[static HASH_HEX])
{
	struct hash h;

	hash_bytes(buf_str(body), body->len, &h);
	hash_hex(&h, hex);
	return json_pack("{s:I, s:s, s:b}", "bytes", (json_int_t)body->len, "sha256", hex,
			 "executable", executable);
}

static void answer_put(struct doing *d, const struct buf *body, const char *hex)
{
	struct keep_reply reply = {.http_status = 201};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	jsonout_bytes(&a.j, "path", d->request.path, strlen(d->request.path));
	jsonout_uint(&a.j, "size", body->len);
	jsonout_str(&a.j, "sha256", hex);
	write_tail(d, &a.j);
	answering_send(&a, d->session->k, &d->request, &reply);
}

void obey_put(struct session *s, const struct keep_request *r, const struct buf *body)
{
	bool executable = (r->number & 0111) != 0;
	char hex[HASH_HEX];
	struct doing *d = begin(s, r, ACTION_PUT, describe_bytes(body, executable, hex));
	struct error err = {0};
	int result;

	if (!d)
		return;
	result = kept_put(&s->kept, path_of(r), buf_str(body), body->len, executable, &err);
	if (end(d, result, &err))
		answer_put(d, body, hex);
	doing_free(d);
}

/* Out. */

static int read_whole(struct session *s, const struct keep_request *r, struct buf *ret,
		      struct error *err)
{
	uint64_t total = 1;

	while (ret->len < total) {
		size_t before = ret->len;

		if (kept_get(&s->kept, path_of(r), ret->len, KEPT_PIECE_MAX, ret, &total, err) < 0)
			return -1;
		if (total > LOOKED_AT_MAX)
			return fail(err, ERR_REFUSED,
				    "it has more than %d bytes: too much to be looked at",
				    LOOKED_AT_MAX);
		if (ret->len == before)
			break; /* it became shorter meanwhile */
	}
	return 0;
}

/* Whole and without secrets; ret is what may come out. */
static int read_clean(struct doing *d, struct buf *ret, struct error *err)
{
	struct redact_set *set = d->passage.redaction.set;
	struct artifact_judged judged;
	own(buf) raw, clean;

	buf_init(&raw, LOOKED_AT_MAX + 1);
	buf_init(&clean, CLEANED_MAX);
	if (read_whole(d->session, &d->request, &raw, err) < 0 ||
	    artifact_clean(set, buf_str(&raw), raw.len, &clean, &judged, err) < 0)
		return -1;
	if (judged.verdict == ARTIFACT_REFUSED)
		return fail(err, ERR_REFUSED, "%s",
			    judged.why[0] ? judged.why : "it may not come out");
	buf_done(ret);
	*ret = judged.verdict == ARTIFACT_CLEANED ? clean : raw;
	buf_init(judged.verdict == ARTIFACT_CLEANED ? &clean : &raw, 0);
	return 0;
}

/* from and how many, of a file or of what is left of it. */
static int read_range(struct doing *d, struct buf *whole, const char **ret, size_t *ret_len,
		      uint64_t *ret_total, struct error *err)
{
	const struct keep_request *r = &d->request;
	uint64_t most = r->number ? r->number : UINT64_MAX;

	if (!d->passage.redaction.set) {
		/* Nothing is looked for: the piece is all that is needed. */
		if (most > KEPT_PIECE_MAX)
			most = KEPT_PIECE_MAX;
		if (kept_get(&d->session->kept, path_of(r), r->from, most, whole, ret_total, err) <
		    0)
			return -1;
		*ret = buf_str(whole);
		*ret_len = whole->len;
		return 0;
	}
	if (read_clean(d, whole, err) < 0)
		return -1;
	*ret_total = whole->len;
	*ret = buf_str(whole) + (r->from < whole->len ? r->from : whole->len);
	*ret_len = r->from < whole->len ? whole->len - r->from : 0;
	if (*ret_len > most)
		*ret_len = most;
	return 0;
}

void obey_get(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d = begin(s, r, ACTION_GET,
				json_pack("{s:I, s:I}", "from", (json_int_t)r->from, "bytes",
					  (json_int_t)r->number));
	struct keep_reply reply = {.kind = KEEP_ANSWER, .content = CONTENT_OCTETS};
	struct error err = {0};
	const char *data = NULL;
	size_t len = 0;
	uint64_t total = 0;
	own(buf) whole;

	(void)body;
	buf_init(&whole, LOOKED_AT_MAX + 1);
	if (!d)
		return;
	if (end(d, read_range(d, &whole, &data, &len, &total, &err), &err)) {
		/* Too far behind: the front finds the words, and says how many bytes there are. */
		bool beyond = r->from > 0 && r->from >= total;

		reply.serial = r->serial;
		reply.http_status = beyond ? 416 : len < total ? 206 : 200;
		reply.range_from = r->from;
		reply.range_total = total;
		memcpy(reply.id, d->passage.id, sizeof(reply.id));
		if (keep_send_reply(s->k->front, &reply, data, beyond ? 0 : len, &err) < 0)
			s->k->over = true;
	}
	doing_free(d);
}

/* Looked at. */

static const char *type_word(char type)
{
	switch (type) {
	case 'f':
		return "file";
	case 'd':
		return "directory";
	case 'l':
		return "link";
	default:
		return "other";
	}
}

/* The box chose it, too: a time before 1970 is written as its first moment. */
static void write_modified(struct jsonout *j, int64_t mtime_s)
{
	uint64_t s = mtime_s > 0 ? (uint64_t)mtime_s : 0;
	char text[RECORD_TIME];

	record_time(s < UINT64_MAX / 1000 ? s * 1000 : UINT64_MAX, text);
	jsonout_str(j, "modified", text);
}

/* A name is text that the box chose: it may be a way out for a secret. */
static void write_entry(struct doing *d, struct jsonout *j, const struct kept_entry *e)
{
	own_str name = doing_clean(d, e->name, strnlen(e->name, sizeof(e->name)));

	jsonout_str(j, "name", name);
	jsonout_str(j, "type", type_word(e->type));
	jsonout_uint(j, "size", e->size);
	jsonout_uint(j, "mode", e->mode & 07777);
	write_modified(j, e->mtime_s);
}

static void answer_stat(struct doing *d, const struct kept_entry *e)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	write_entry(d, &a.j, e);
	write_tail(d, &a.j);
	answering_send(&a, d->session->k, &d->request, &reply);
}

void obey_stat(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d = begin(s, r, ACTION_STAT, NULL);
	struct kept_entry entry = {0};
	struct error err = {0};

	(void)body;
	if (!d)
		return;
	if (end(d, kept_stat(&s->kept, path_of(r), &entry, &err), &err))
		answer_stat(d, &entry);
	doing_free(d);
}

static void answer_list(struct doing *d, const struct kept_entry *list, size_t n, bool cut)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, LIST_BYTES);
	jsonout_array(&a.j, "entries");
	for (size_t i = 0; i < n; i++) {
		jsonout_object(&a.j, NULL);
		write_entry(d, &a.j, &list[i]);
		jsonout_object_end(&a.j);
	}
	jsonout_array_end(&a.j);
	jsonout_bool(&a.j, "cut", cut);
	write_tail(d, &a.j);
	answering_send(&a, d->session->k, &d->request, &reply);
}

void obey_list(struct session *s, const struct keep_request *r, const struct buf *body)
{
	struct doing *d = begin(s, r, ACTION_LIST, NULL);
	own_mem struct kept_entry *list = NULL;
	struct error err = {0};
	size_t n = 0;
	bool cut = false;
	int result;

	(void)body;
	if (!d)
		return;
	list = calloc(KEPT_LIST_MAX, sizeof(*list));
	result = list ? kept_list(&s->kept, path_of(r), list, &n, &cut, &err)
		      : fail_sys(&err, "room for a list");
	if (end(d, result, &err))
		answer_list(d, list, n, cut);
	doing_free(d);
}

static void answer_removed(struct doing *d)
{
	struct keep_reply reply = {0};
	own(answering) a;

	answering_begin(&a, ANSWER_MAX);
	jsonout_bool(&a.j, "removed", true);
	write_tail(d, &a.j);
	answering_send(&a, d->session->k, &d->request, &reply);
}

void obey_remove(struct session *s, const struct keep_request *r, const struct buf *body)
{
	bool recursive = r->number != 0;
	struct doing *d = begin(s, r, ACTION_REMOVE, json_pack("{s:b}", "recursive", recursive));
	struct error err = {0};

	(void)body;
	if (!d)
		return;
	if (end(d, kept_remove(&s->kept, path_of(r), recursive, &err), &err))
		answer_removed(d);
	doing_free(d);
}
