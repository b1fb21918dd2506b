/* SPDX-License-Identifier: Apache-2.0 */
/* readcalls.c - calls that match, one call, one record: the log's own lines, as JSON. */
#include <inttypes.h>
#include <string.h>

#include "auditread/querywords.h"
#include "auditread/when.h"
#include "base/own.h"
#include "reader/readrole.h"

enum {
	LIMIT_STANDARD = 100,
	LIMIT_MAX = 1000,
	CALL_RECORDS_MAX = 64,
	/* A page ends before a call that might not fit any more. */
	PAGE_FULL = READ_BODY_MAX - 4 * LOG_LINE_MAX,
};

/* The line is a record: it is JSON, and stands as it is. */
int read_put_record(struct buf *out, uint64_t index, const struct log_line *line, struct error *err)
{
	struct hash leaf;
	char hex[HASH_HEX];

	hash_leaf(line->data, line->len, &leaf);
	hash_hex(&leaf, hex);
	if (buf_printf(out, err, "{\"index\":%" PRIu64 ",\"leaf_hash\":\"%s\",\"record\":", index,
		       hex) < 0 ||
	    buf_add(out, line->data, line->len, err) < 0)
		return -1;
	return buf_add_str(out, "}", err);
}

/* Many. */

struct page {
	struct buf *out;
	uint64_t n, last;
	bool full;
};

static int put_call(void *context, const struct index_hit *h, struct error *err)
{
	struct page *p = context;

	if (p->out->len > PAGE_FULL)
		return p->full = true, 1;
	if (buf_add_str(p->out, p->n++ ? ",{\"began\":" : "{\"began\":", err) < 0 ||
	    read_put_record(p->out, h->first, &h->begin_line, err) < 0 ||
	    buf_add_str(p->out, ",\"ended\":", err) < 0)
		return -1;
	p->last = h->first;
	if (h->last != h->first) {
		if (read_put_record(p->out, h->last, &h->end_line, err) < 0)
			return -1;
	} else if (buf_add_str(p->out, "null", err) < 0) {
		return -1;
	}
	return buf_printf(p->out, err, ",\"open\":%s}", h->ended ? "false" : "true") < 0 ? -1 : 0;
}

static int take_time(struct read_answer *a, const char *name, const char *text, uint64_t *ret,
		     struct error *err)
{
	if (text[0] == '\0')
		return 0;
	a->parameter = name;
	if (when_parse(text, when_now(), ret, err) < 0)
		return err->kind = ERR_CALLER, fail_in(err, "%s", name);
	a->parameter = NULL;
	return 0;
}

static const char *given(const char *text)
{
	return text[0] ? text : NULL;
}

static int take_word(struct read_answer *a, const char *name, const char *text,
		     int (*check)(const char *word, struct error *err), struct error *err)
{
	if (text[0] == '\0' || check(text, err) == 0)
		return 0;
	a->parameter = name;
	return fail_in(err, "%s", name);
}

static int build(const struct read_request *q, struct read_answer *a, struct index_query *ret,
		 struct error *err)
{
	*ret = (struct index_query){
		.tool = given(q->tool),
		.client = given(q->client),
		.session = given(q->session),
		.status = given(q->status),
		.decision = given(q->decision),
		.kind = given(q->record_kind),
		.limit = LIMIT_STANDARD,
		.forward = q->after[0] != '\0',
	};
	if (take_word(a, "status", q->status, query_check_status, err) < 0 ||
	    take_word(a, "decision", q->decision, query_check_decision, err) < 0 ||
	    take_word(a, "kind", q->record_kind, query_check_kind, err) < 0)
		return -1;
	if (take_time(a, "since", q->since, &ret->since_ms, err) < 0 ||
	    take_time(a, "until", q->until, &ret->until_ms, err) < 0)
		return -1;
	if (q->since[0] && q->until[0] && ret->until_ms <= ret->since_ms)
		return a->parameter = "until",
		       fail(err, ERR_CALLER, "until is not later than since");
	if (q->limit[0] && read_number(a, "limit", q->limit, &ret->limit, err) < 0)
		return -1;
	if (ret->limit == 0 || ret->limit > LIMIT_MAX)
		return a->parameter = "limit",
		       fail(err, ERR_CALLER, "limit must be from 1 to %d", LIMIT_MAX);
	return q->after[0] ? read_number(a, "after", q->after, &ret->after, err) : 0;
}

/* The latest: those that do not fit are the oldest. */
static int put_page(struct logindex *x, struct index_query *q, struct page *p, struct error *err)
{
	size_t start = p->out->len;

	for (;;) {
		*p = (struct page){.out = p->out};
		p->out->len = start;
		if (logindex_find(x, q, put_call, p, NULL, err) < 0)
			return -1;
		if (!p->full || q->forward || q->limit == 1)
			return 0;
		q->limit = (q->limit + 1) / 2;
	}
}

int read_calls(struct reader *r, const struct read_request *q, struct read_answer *a,
	       struct error *err)
{
	struct page p = {.out = &a->body};
	struct index_query query;
	struct logindex *x;

	if (build(q, a, &query, err) < 0)
		return -1;
	x = reader_index(r, err);
	if (!x || buf_printf(p.out, err, "{\"signed_size\":%" PRIu64 ",\"calls\":[",
			     reader_signed(r)) < 0)
		return -1;
	if (put_page(x, &query, &p, err) < 0)
		return -1;
	if (query.forward && (p.full || p.n == query.limit))
		return buf_printf(p.out, err, "],\"next\":%" PRIu64 "}\n", p.last);
	return buf_add_str(p.out, "],\"next\":null}\n", err);
}

/* One. */

static int put_checked(struct log_reader *log, uint64_t index, const char *id, struct buf *out,
		       struct error *err)
{
	struct log_line line;
	struct record_view v;

	if (log_read(log, index, &line, err) < 0)
		return -1;
	if (record_read(line.data, line.len, &v, err) < 0)
		return fail_in(err, "record %" PRIu64 " is none", index);
	if (id && (v.id.len != strlen(id) || memcmp(v.id.data, id, v.id.len) != 0))
		return fail(err, ERR_SYSTEM, "the index is not of this log");
	return read_put_record(out, index, &line, err);
}

/* The call that a record is of; empty: of none. */
static int id_of(struct log_reader *log, uint64_t index, char *ret, size_t room, struct error *err)
{
	struct log_line line;
	struct record_view v;

	if (log_read(log, index, &line, err) < 0)
		return -1;
	if (record_read(line.data, line.len, &v, err) < 0)
		return fail_in(err, "record %" PRIu64 " is none", index);
	(void)snprintf(ret, room, "%.*s", v.id.data ? (int)v.id.len : 0,
		       v.id.data ? v.id.data : "");
	return 0;
}

static bool is_number(const char *word)
{
	return word[0] && word[strspn(word, "0123456789")] == '\0';
}

int read_call(struct reader *r, const struct read_request *q, struct read_answer *a,
	      struct error *err)
{
	uint64_t indices[CALL_RECORDS_MAX] = {0};
	struct logindex *x = NULL;
	char id[INDEX_ID_MAX];
	size_t n = 1;

	(void)snprintf(id, sizeof(id), "%s", q->id);
	if (!id[0])
		return a->parameter = "id", fail(err, ERR_CALLER, "id is missing");
	if (!reader_log(r, err))
		return -1;
	if (is_number(id) && (read_number(a, "id", q->id, &indices[0], err) < 0 ||
			      id_of(r->log, indices[0], id, sizeof(id), err) < 0))
		return -1;
	if (id[0] && (!(x = reader_index(r, err)) ||
		      logindex_call(x, id, indices, ARRAY_LEN(indices), &n, err) < 0))
		return -1;
	if (buf_printf(&a->body, err, "{\"signed_size\":%" PRIu64 ",\"records\":[",
		       reader_signed(r)) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if ((i && buf_add_str(&a->body, ",", err) < 0) ||
		    put_checked(r->log, indices[i], x ? id : NULL, &a->body, err) < 0)
			return -1;
	return buf_add_str(&a->body, "]}\n", err);
}

int read_record(struct reader *r, const struct read_request *q, struct read_answer *a,
		struct error *err)
{
	uint64_t index;

	if (read_number(a, "index", q->index, &index, err) < 0 || !reader_log(r, err))
		return -1;
	if (put_checked(r->log, index, NULL, &a->body, err) < 0)
		return -1;
	return buf_add_str(&a->body, "\n", err);
}
