/* SPDX-License-Identifier: Apache-2.0 */
/* indexfind.c - asks the index where, and the log what. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auditread/indexdb.h"
#include "base/own.h"

enum { SQL_ROOM = 1024, BINDS_MAX = 16, LOOK_FIRST = 10000, NEAR = 64 };

struct where {
	char sql[SQL_ROOM];
	int64_t bind[BINDS_MAX];
	int n;
	bool nothing; /* a name that the log has never heard */
};

static void add(struct where *w, const char *condition, int64_t value)
{
	size_t len = strlen(w->sql);

	assert(w->n < BINDS_MAX);
	(void)snprintf(w->sql + len, sizeof(w->sql) - len, " AND %s?%d", condition, w->n + 1);
	w->bind[w->n++] = value;
}

static int add_word(struct logindex *x, struct where *w, const char *condition, const char *word,
		    struct error *err)
{
	int64_t number;

	if (!word)
		return 0;
	if (indexdb_word(x, word, strlen(word), false, &number, err) < 0)
		return -1;
	if (number == 0)
		w->nothing = true;
	add(w, condition, number);
	return 0;
}

static int64_t at_most(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int build(struct logindex *x, const struct index_query *q, struct where *w,
		 struct error *err)
{
	size_t len;

	(void)snprintf(w->sql, sizeof(w->sql), "SELECT first, last FROM calls WHERE 1");
	if (add_word(x, w, "tool=", q->tool, err) < 0 ||
	    add_word(x, w, "client=", q->client, err) < 0 ||
	    add_word(x, w, "session=", q->session, err) < 0 ||
	    add_word(x, w, "status=", q->status, err) < 0 ||
	    add_word(x, w, "decision=", q->decision, err) < 0 ||
	    add_word(x, w, "kind=", q->kind, err) < 0)
		return -1;
	if (q->since_ms)
		add(w, "time>=", at_most(q->since_ms));
	if (q->until_ms)
		add(w, "time<", at_most(q->until_ms));
	if (q->forward)
		add(w, "first>", at_most(q->after));
	len = strlen(w->sql);
	(void)snprintf(w->sql + len, sizeof(w->sql) - len, "%s ORDER BY first",
		       q->kind || q->anything ? "" : " AND id IS NOT NULL");
	if (q->limit) {
		len = strlen(w->sql);
		(void)snprintf(w->sql + len, sizeof(w->sql) - len, "%s LIMIT ?%d",
			       q->forward ? "" : " DESC", w->n + 1);
		w->bind[w->n++] = at_most(q->limit);
	}
	return 0;
}

/* The index says so, the log does not: it has to be made anew. */
static int disagree(struct logindex *x, uint64_t index, struct error *err)
{
	x->rotten = true;
	return fail(err, ERR_SYSTEM,
		    "index of the log: record %" PRIu64
		    " is another one than it says; make it anew: belljar audit index",
		    index);
}

/* The line goes to c->text, because the reader needs its room for the next one. */
static int read_line(struct index_cursor *c, uint64_t index, struct error *err)
{
	struct log_line line = {0};
	uint64_t found = 0;
	int more = 1;

	if (!c->placed || index < c->next || index - c->next > NEAR) {
		c->placed = false;
		if (log_seek(c->reader, index, err) < 0)
			return -1;
		c->placed = true;
	}
	do
		more = log_next(c->reader, &line, &found, err);
	while (more > 0 && found < index);
	c->placed = more > 0;
	c->next = index + 1;
	if (more < 0)
		return -1;
	if (more == 0 || found != index)
		return fail(err, ERR_NOT_FOUND, "there is no record %" PRIu64, index);
	c->text.len = 0;
	c->text.cut = false;
	return buf_add(&c->text, line.data, line.len, err);
}

static int fetch(struct logindex *x, struct index_cursor *c, uint64_t index, struct log_line *ret,
		 struct record_view *ret_view, struct error *err)
{
	struct error why = {0};

	if (read_line(c, index, err) < 0)
		return err->kind == ERR_NOT_FOUND ? disagree(x, index, err) : -1;
	*ret = (struct log_line){buf_str(&c->text), c->text.len};
	if (c->text.cut || record_read(ret->data, ret->len, ret_view, &why) < 0)
		return disagree(x, index, err);
	return 0;
}

/* A second reader of the same directory, for the ends of calls. */
static int open_ends(struct logindex *x, struct error *err)
{
	char path[64];

	if (x->ends.reader)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", log_reader_directory(x->reader));
	x->ends.reader = log_reader_open(path, err);
	return x->ends.reader ? 0 : -1;
}

static bool same(struct record_text a, struct record_text b)
{
	return a.len == b.len && !a.data == !b.data &&
	       (!a.data || memcmp(a.data, b.data, a.len) == 0);
}

static bool is_word(struct record_text t, const char *word)
{
	char plain[INDEX_ID_MAX];
	size_t len;

	if (!word)
		return true;
	if (!t.data)
		return false;
	len = record_text_get(t, plain, sizeof(plain));
	return len == strlen(word) && memcmp(plain, word, len) == 0;
}

/* What the log says counts: does it fit what was asked? */
static bool fits(const struct index_hit *h, const struct index_query *q)
{
	const struct record_view *last = h->last != h->first ? &h->end : &h->begin;
	char room[INDEX_ID_MAX];
	const char *status = index_status(last, room, sizeof(room));

	return is_word(h->begin.tool, q->tool) && is_word(h->begin.client, q->client) &&
	       is_word(h->begin.session, q->session) &&
	       (is_word(h->begin.decision, q->decision) || is_word(last->decision, q->decision)) &&
	       (!q->status || (status && strcmp(status, q->status) == 0)) &&
	       (!q->kind || strcmp(record_kind_name(h->begin.kind), q->kind) == 0) &&
	       (!q->since_ms || h->begin.time_ms >= q->since_ms) &&
	       (!q->until_ms || h->begin.time_ms < q->until_ms);
}

static int load_hit(struct logindex *x, const struct index_query *q, struct index_hit *h,
		    struct error *err)
{
	if (fetch(x, &x->begins, h->first, &h->begin_line, &h->begin, err) < 0)
		return -1;
	if (h->last != h->first) {
		if (open_ends(x, err) < 0 ||
		    fetch(x, &x->ends, h->last, &h->end_line, &h->end, err) < 0)
			return -1;
		if (!same(h->begin.id, h->end.id))
			return disagree(x, h->last, err);
	}
	return fits(h, q) ? 0 : disagree(x, h->first, err);
}

/* Newest first as the index gives them; turned round here, so that hits come in the log's order. */
struct found {
	uint64_t *pairs;
	size_t n, room;
};

static int keep(struct found *f, uint64_t first, uint64_t last, struct error *err)
{
	if (f->n == f->room) {
		size_t room = f->room ? 2 * f->room : 1024;
		uint64_t *larger = reallocarray(f->pairs, room, 2 * sizeof(*larger));

		if (!larger)
			return fail_sys(err, "keep what was found");
		f->pairs = larger;
		f->room = room;
	}
	f->pairs[2 * f->n] = first;
	f->pairs[2 * f->n + 1] = last;
	f->n++;
	return 0;
}

static int collect(struct logindex *x, const struct where *w, struct found *f, struct error *err)
{
	own_statement s = indexdb_prepare(x, w->sql, err);
	int step;

	if (!s)
		return -1;
	for (int i = 0; i < w->n; i++)
		(void)sqlite3_bind_int64(s, i + 1, w->bind[i]);
	while ((step = sqlite3_step(s)) == SQLITE_ROW) {
		uint64_t first = (uint64_t)sqlite3_column_int64(s, 0);
		bool ended = sqlite3_column_type(s, 1) == SQLITE_INTEGER;

		if (keep(f, first, ended ? (uint64_t)sqlite3_column_int64(s, 1) : UINT64_MAX, err) <
		    0)
			return -1;
	}
	return step == SQLITE_DONE ? 0 : indexdb_fail(x, "read it", err);
}

static struct index_hit hit_at(const struct index_query *q, const struct found *f, size_t i)
{
	bool turned = q->limit && !q->forward;
	const uint64_t *pair = f->pairs + 2 * (turned ? f->n - 1 - i : i);

	return (struct index_hit){
		.first = pair[0],
		.last = pair[1] == UINT64_MAX ? pair[0] : pair[1],
		.ended = pair[1] != UINT64_MAX,
	};
}

static int hand_out(struct logindex *x, const struct index_query *q, const struct found *f,
		    int (*each)(void *context, const struct index_hit *hit, struct error *err),
		    void *context, struct error *err)
{
	for (size_t i = 0; i < f->n; i++) {
		struct index_hit hit = hit_at(q, f, i);
		int go_on;

		if (load_hit(x, q, &hit, err) < 0)
			return -1;
		go_on = each ? each(context, &hit, err) : 0;
		if (go_on)
			return go_on < 0 ? -1 : 0;
	}
	return 0;
}

/* What there is to say is looked at before any of it is said, unless that is the whole log. */
static int find(struct logindex *x, const struct index_query *q, struct found *f, struct error *err)
{
	struct where w = {0};

	f->n = 0;
	x->begins.placed = x->ends.placed = false; /* others may have used the reader */
	if (build(x, q, &w, err) < 0)
		return -1;
	if (!w.nothing && collect(x, &w, f, err) < 0)
		return -1;
	return f->n <= LOOK_FIRST ? hand_out(x, q, f, NULL, NULL, err) : 0;
}

int logindex_find(struct logindex *x, const struct index_query *q,
		  int (*each)(void *context, const struct index_hit *hit, struct error *err),
		  void *context, uint64_t *ret_n, struct error *err)
{
	struct found f = {0};
	struct error first = {0};
	int result = find(x, q, &f, &first);

	if (result < 0 && x->rotten && indexdb_rebuild(x, err) == 0)
		result = find(x, q, &f, err);
	else if (result < 0)
		*err = first;
	if (result == 0)
		result = hand_out(x, q, &f, each, context, err);
	if (result == 0 && ret_n)
		*ret_n = f.n;
	free(f.pairs);
	return result;
}

int logindex_call(struct logindex *x, const char *id, uint64_t *ret_indices, size_t room,
		  size_t *ret_n, struct error *err)
{
	own_statement s =
		indexdb_prepare(x,
				"SELECT first FROM calls WHERE id=?1 UNION "
				"SELECT last FROM calls WHERE id=?1 AND last NOT NULL UNION "
				"SELECT record FROM more WHERE id=?1 ORDER BY 1",
				err);
	size_t n = 0;
	int step;

	if (!s)
		return -1;
	(void)sqlite3_bind_blob(s, 1, id, (int)strlen(id), SQLITE_STATIC);
	while ((step = sqlite3_step(s)) == SQLITE_ROW && n < room)
		ret_indices[n++] = (uint64_t)sqlite3_column_int64(s, 0);
	if (step != SQLITE_DONE && step != SQLITE_ROW)
		return indexdb_fail(x, "read it", err);
	if (n == 0)
		return fail(err, ERR_NOT_FOUND, "there is no call '%.80s' in this log", id);
	*ret_n = n;
	return 0;
}
