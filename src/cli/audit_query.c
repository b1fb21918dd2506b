/* SPDX-License-Identifier: Apache-2.0 */
/* audit_query.c - belljar audit query, export and index: calls that match, and all there is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auditread/ocsf.h"
#include "auditread/plain.h"
#include "auditread/querywords.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "cli/auditcli.h"
#include "cli/cli.h"

enum { QUERY_LIMIT = 100, SHORT = 128 };

static int complain(const struct error *err)
{
	(void)fflush(stdout);
	return cli_complain(err);
}

/* query */

static void print_hit(const struct index_hit *h, const struct record_view *last, const char *status)
{
	char time[RECORD_TIME], id[SHORT], tool[SHORT], client[SHORT], end[3 * AUDIT_SHOWN] = "";

	record_time(h->begin.time_ms, time);
	if (h->ended)
		audit_outcome_text(last, end, sizeof(end));
	(void)printf("%8" PRIu64 "  %s  %-27s  %-20s  %-12s  ", h->first, time,
		     audit_text(h->begin.id, id, sizeof(id)),
		     audit_text(h->begin.tool, tool, sizeof(tool)),
		     audit_text(h->begin.client, client, sizeof(client)));
	if (last->kind == RECORD_FINISHED)
		(void)printf("%s\n", end); /* has the status in it */
	else
		(void)printf("%s%s%s\n", status, end[0] ? ": " : "", end);
}

static int each_hit(void *context, const struct index_hit *h, struct error *err)
{
	const struct audit_options *o = context;
	const struct record_view *last = h->last != h->first ? &h->end : &h->begin;
	char room[INDEX_ID_MAX], plain[SHORT];
	const char *status = index_status(last, room, sizeof(room));

	(void)err;
	/* One that the log's writer made up is shown as what it is made of. */
	if (status)
		(void)plain_text(status, strlen(status), plain, sizeof(plain));
	else
		(void)snprintf(plain, sizeof(plain), "%s", record_kind_name(last->kind));
	if (!o->json) {
		print_hit(h, last, plain);
		return ferror(stdout) ? 1 : 0;
	}
	(void)fputs("{\"began\":", stdout);
	audit_json_record(h->first, &h->begin_line, stdout);
	(void)fputs(",\"ended\":", stdout);
	if (h->last != h->first)
		audit_json_record(h->last, &h->end_line, stdout);
	else
		(void)fputs("null", stdout);
	(void)printf(",\"open\":%s}\n", h->ended ? "false" : "true");
	return ferror(stdout) ? 1 : 0;
}

static int check_words(const struct audit_options *o, struct error *err)
{
	if (o->status && query_check_status(o->status, err) < 0)
		return fail_in(err, "--status");
	if (o->decision && query_check_decision(o->decision, err) < 0)
		return fail_in(err, "--decision");
	if (o->kind && query_check_kind(o->kind, err) < 0)
		return fail_in(err, "--kind");
	return 0;
}

static int query(const struct audit_options *o, struct error *err)
{
	own_reader r = audit_open_log(o, err);
	own_index x = NULL;
	struct index_query q = {
		.tool = o->tool,
		.client = o->client,
		.session = o->session,
		.status = o->status,
		.decision = o->decision,
		.kind = o->kind,
		.limit = QUERY_LIMIT,
	};

	if (!r || check_words(o, err) < 0 || audit_times(o, &q, err) < 0)
		return -1;
	if (o->limit && audit_number(o->limit, "--limit", &q.limit, err) < 0)
		return -1;
	x = audit_open_index(o, r, false, err);
	if (!x)
		return -1;
	return logindex_find(x, &q, each_hit, (void *)o, NULL, err);
}

int audit_query(const struct audit_options *o, const struct word_list *rest)
{
	struct error err = {0};

	(void)rest;
	return query(o, &err) < 0 ? complain(&err) : audit_printed(0);
}

/* export */

struct exporter {
	char origin[NOTE_NAME_MAX];
	uint64_t bad;
};

static int export_line(struct exporter *e, const struct index_query *q, uint64_t index,
		       const struct log_line *line, struct error *err)
{
	struct ocsf_source from = {.origin = e->origin, .index = index};
	struct record_view v;
	struct error why = {0};
	struct hash leaf;
	own_json event = NULL;
	own_str text = NULL;
	char words[SHORT];

	if (record_read(line->data, line->len, &v, &why) < 0) {
		e->bad++;
		(void)snprintf(words, sizeof(words), "record %" PRIu64 " is none, left out", index);
		cli_say(words);
		return 0;
	}
	if ((q->since_ms && v.time_ms < q->since_ms) || (q->until_ms && v.time_ms >= q->until_ms))
		return 0;
	hash_leaf(line->data, line->len, &leaf);
	from.leaf = &leaf;
	from.line = line->data;
	from.len = line->len;
	event = ocsf_event(&from, &v, err);
	if (!event)
		return fail_in(err, "record %" PRIu64, index);
	text = jsonread_text(event);
	if (!text)
		return fail_sys(err, "record %" PRIu64, index);
	if (isatty(STDOUT_FILENO))
		plain_json(text, strlen(text), stdout);
	else
		(void)fputs(text, stdout);
	return putchar('\n') < 0 ? fail_sys(err, "write to standard output") : 0;
}

/* Clocks jump: a record's place says nothing certain about its time, so all are looked at. */
static int export(const struct audit_options *o, struct exporter *e, struct error *err)
{
	own_reader r = audit_open_log(o, err);
	struct index_query q = {0};
	struct log_line line;
	uint64_t index, signed_size, end = 0;
	int more;

	if (!r || audit_times(o, &q, err) < 0 || log_seek(r, 0, err) < 0)
		return -1;
	signed_size = audit_signed_size(r);
	(void)snprintf(e->origin, sizeof(e->origin), "%s", log_reader_key(r)->name);
	while ((more = log_next(r, &line, &index, err)) > 0) {
		if (export_line(e, &q, index, &line, err) < 0)
			return -1;
		end = index + 1;
	}
	if (more == 0)
		audit_check_end(signed_size, end);
	return more;
}

int audit_export(const struct audit_options *o, const struct word_list *rest)
{
	struct exporter e = {0};
	struct error err = {0};

	(void)rest;
	if (!o->ocsf) {
		(void)fail(&err, ERR_CALLER, "export: in which form? there is --ocsf");
		return cli_complain(&err);
	}
	if (export(o, &e, &err) < 0)
		return complain(&err);
	return audit_printed(e.bad ? AUDIT_WRONG : 0);
}

/* index */

static int make_index(const struct audit_options *o, struct index_summary *ret, struct error *err)
{
	own_reader r = audit_open_log(o, err);
	own_index x = r ? audit_open_index(o, r, true, err) : NULL;

	return x ? logindex_summary(x, ret, err) : -1;
}

int audit_index(const struct audit_options *o, const struct word_list *rest)
{
	struct index_summary s;
	struct error err = {0};

	(void)rest;
	if (make_index(o, &s, &err) < 0)
		return complain(&err);
	if (s.in_memory) {
		(void)fail(&err, ERR_CONFIG, "the index cannot be written beside the log");
		return cli_complain(&err);
	}
	if (o->json)
		(void)printf("{\"records\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"bad\":%" PRIu64
			     "}\n",
			     s.records, s.calls, s.bad);
	else
		(void)printf("%" PRIu64 " records, %" PRIu64 " calls%s\n", s.records, s.calls,
			     s.bad ? "; some records are none" : "");
	return audit_printed(s.bad ? AUDIT_WRONG : 0);
}
