/* SPDX-License-Identifier: Apache-2.0 */
/* fileroutes.c - a session's files: paths, ranges, and large ones piece by piece.
 *
 * A file is fetched from its keeper in pieces, the next when the client has
 * taken the one before: however large it is, one piece is in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "serve/api/front.h"

enum { FILE_PIECE = 1 << 20 };

/* The server leaves an encoded slash alone, so that it cannot be told from these three characters.
 */
static bool has_encoded_slash(const char *path, size_t len)
{
	for (size_t i = 0; i + 2 < len; i++)
		if (path[i] == '%' && path[i + 1] == '2' && (path[i + 2] | 32) == 'f')
			return true;
	return false;
}

bool fileroutes_prepare(struct visit *v, struct task *t, const char *path, size_t len)
{
	if (len >= sizeof(t->request.path) || (len > 0 && has_encoded_slash(path, len))) {
		respond_problem(v, PROBLEM_BAD_REQUEST,
				"a path has at most 1023 bytes, and no %2F in it");
		return false;
	}
	if (len > 0)
		memcpy(t->request.path, path, len);
	t->request.path[len] = '\0';
	if (t->request.kind != KEEP_FILE_GET)
		return true;
	range_read(http_header(v->x, "Range"), &v->range);
	if (http_header(v->x, "If-Range")) /* there are no validators to compare it with */
		v->range.kind = RANGE_WHOLE;
	t->request.from = v->range.kind == RANGE_FROM ? v->range.from : 0;
	t->request.number =
		v->range.kind == RANGE_FROM && v->range.len > 0 && v->range.len < FILE_PIECE
			? v->range.len
			: FILE_PIECE;
	if (v->range.kind == RANGE_LAST) /* first: how long is it? */
		t->request.number = 1;
	return true;
}

static void ask_piece(struct visit *v, uint64_t from, uint64_t len)
{
	char id[KEEP_ID_ROOM];
	struct session *s = visit_param(v, 0, id, sizeof(id))
				    ? sessiontable_find(&v->front->sessions, id)
				    : NULL;
	struct task *t = s && s->keeper ? asking_task(v, KEEP_FILE_GET) : NULL;

	if (!t) {
		if (v->streaming)
			http_cut(v->x);
		else
			respond_problem(v, PROBLEM_GONE, "the session has ended");
		return;
	}
	t->session = s;
	t->body = NULL;
	(void)snprintf(t->request.id, sizeof(t->request.id), "%s", s->id);
	memcpy(t->request.path, v->match.params[1].text, v->match.params[1].len);
	t->request.from = from;
	t->request.number = len < FILE_PIECE ? len : FILE_PIECE;
	v->task = t;
	if (pool_send(&v->front->pool, s->keeper, t, 0) == PROBLEM_NONE)
		return;
	v->task = NULL;
	pool_drop(t);
	if (v->streaming)
		http_cut(v->x);
	else
		respond_problem(v, PROBLEM_OVERLOADED, "the session is busy");
}

void fileroutes_more(struct visit *v)
{
	ask_piece(v, v->file_at, v->file_left);
}

static void refuse_range(struct visit *v, uint64_t total)
{
	char range[48];
	struct http_header more[2] = {{"Content-Range", range}, {0}};

	(void)snprintf(range, sizeof(range), "bytes */%" PRIu64, total);
	respond_problem_more(v, PROBLEM_RANGE, "the file has no such bytes", more);
}

/* Which bytes are wanted, now that its length is known.  False: answered. */
static bool settle_range(struct visit *v, uint64_t total)
{
	uint64_t len = v->range.len;

	v->file_total = total;
	v->file_at = 0;
	v->file_left = total;
	if (v->range.kind == RANGE_WHOLE)
		return true;
	if (v->range.kind == RANGE_LAST)
		v->file_at = len < total ? total - len : 0;
	else
		v->file_at = v->range.from;
	if (v->file_at >= total) {
		refuse_range(v, total);
		return false;
	}
	v->file_left = total - v->file_at;
	if (v->range.kind == RANGE_FROM && len > 0 && len < v->file_left)
		v->file_left = len;
	return true;
}

static void range_words(const struct visit *v, char *ret, size_t room)
{
	(void)snprintf(ret, room, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, v->file_at,
		       v->file_at + v->file_left - 1, v->file_total);
}

/* All that was asked for is in body. */
static void answer_whole(struct visit *v, const struct buf *body)
{
	bool part = v->range.kind != RANGE_WHOLE;
	char range[80];
	struct response a = {.status = part ? 206 : 200,
			     .type = "application/octet-stream",
			     .body = buf_str(body),
			     .len = body->len,
			     .more = {{"Accept-Ranges", "bytes"}}};

	range_words(v, range, sizeof(range));
	if (part)
		a.more[1] = (struct http_header){"Content-Range", range};
	v->file_left = 0;
	respond(v, &a);
}

static void begin_stream(struct visit *v)
{
	bool part = v->range.kind != RANGE_WHOLE;
	char range[80];
	struct http_header headers[] = {
		{"Content-Type", "application/octet-stream"},
		{"X-Request-Id", v->request_id},
		{"X-Content-Type-Options", "nosniff"},
		{"Cache-Control", "no-store"},
		{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
		{"Accept-Ranges", "bytes"},
		{part ? "Content-Range" : NULL, range},
		{0},
	};

	range_words(v, range, sizeof(range));
	v->status = part ? 206 : 200;
	v->streaming = true;
	http_begin(v->x, v->status, headers);
}

static void send_piece(struct visit *v, const struct buf *body)
{
	if (body->len == 0 || body->len > v->file_left) {
		http_cut(v->x); /* the file became shorter: what was promised cannot be kept */
		return;
	}
	http_send(v->x, body->data, body->len);
	v->file_at += body->len;
	v->file_left -= body->len;
	if (v->file_left == 0)
		http_finish(v->x);
	else if (http_pending(v->x) < PENDING_BYTES)
		fileroutes_more(v);
}

static void answer_error(struct visit *v, const struct keep_reply *r, const struct buf *body)
{
	if (v->streaming)
		http_cut(v->x);
	else
		respond(v, &(struct response){.status = (int)r->http_status,
					      .type = r->content == CONTENT_PROBLEM
							      ? "application/problem+json"
							      : "application/json",
					      .body = buf_str(body),
					      .len = body->len,
					      .retry_after_s = r->retry_after_s});
}

void fileroutes_answer(struct visit *v, const struct keep_reply *r, const struct buf *body)
{
	bool first = !v->streaming && v->file_left == 0;

	if (r->http_status == 416 && !v->streaming) {
		refuse_range(v, r->range_total);
		return;
	}
	if (r->http_status >= 300) {
		answer_error(v, r, body);
		return;
	}
	if (!first && r->range_total != v->file_total && v->streaming) {
		http_cut(v->x);
		return;
	}
	if (first && !settle_range(v, r->range_total))
		return;
	if (first && v->range.kind == RANGE_LAST && r->range_total > 0) {
		ask_piece(v, v->file_at, v->file_left);
		return;
	}
	if (!v->streaming && body->len == v->file_left) {
		answer_whole(v, body);
		return;
	}
	if (!v->streaming)
		begin_stream(v);
	send_piece(v, body);
}
