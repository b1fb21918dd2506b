/* SPDX-License-Identifier: Apache-2.0 */
/* indexfill.c - reads what the log has and the index does not.
 *
 * A call is one row: its first record begins it, its last one ends it.  What is
 * said twice (a writer that died before it answered is told again) is kept as
 * `more`, so that `show` finds every record of a call.
 *
 * Most calls end soon after they began: those that began are kept in memory for
 * a while (indexbegun.c), so that most rows are written once and as a whole.
 */
#include <assert.h>
#include <string.h>

#include "auditread/indexdb.h"
#include "base/own.h"

enum { BATCH = 65536, PROGRESS = 8192 };

static const char *const statements[] = {
	[SQL_WORD_FIND] = "SELECT number FROM words WHERE word=?1",
	[SQL_WORD_ADD] = "INSERT INTO words(word) VALUES(?1)",
	[SQL_BEGIN_CALL] = "INSERT OR IGNORE INTO calls VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
	[SQL_END_CALL] = ("UPDATE calls SET last=?1, status=?2, decision=coalesce(decision,?3)"
			  " WHERE id=?4 AND last IS NULL"),
	[SQL_KEEP_ABORT] = ("INSERT OR REPLACE INTO more SELECT last, id FROM calls"
			    " WHERE id=?1 AND status=?2 AND last<>first"),
	[SQL_END_ABORTED] = "UPDATE calls SET last=?1, status=?2 WHERE id=?3 AND status=?4",
	[SQL_MORE] = "INSERT OR REPLACE INTO more VALUES(?1,?2)",
	[SQL_BAD] = "INSERT OR REPLACE INTO bad VALUES(?1,?2)",
	[SQL_META_PUT] = "INSERT OR REPLACE INTO meta VALUES(?1,?2)",
};
static_assert(ARRAY_LEN(statements) == SQL_STATEMENT_COUNT, "one text per statement");

static sqlite3_stmt *ready(struct logindex *x, enum index_statement which, struct error *err)
{
	sqlite3_stmt **s = &x->prepared[which];

	if (!*s && sqlite3_prepare_v3(x->db, statements[which], -1, SQLITE_PREPARE_PERSISTENT, s,
				      NULL) != SQLITE_OK) {
		(void)indexdb_fail(x, "ask it", err);
		return NULL;
	}
	return *s;
}

/* Runs a statement that yields nothing, and makes it ready for the next time. */
static int finish(struct logindex *x, sqlite3_stmt *s, struct error *err)
{
	int step = sqlite3_step(s);

	if (step != SQLITE_DONE)
		(void)indexdb_fail(x, "write it", err);
	(void)sqlite3_reset(s);
	return step == SQLITE_DONE ? 0 : -1;
}

static struct index_word *place_of(struct logindex *x, const char *text, size_t len)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return &x->words[(h ^ h >> 16) % INDEX_WORDS_CACHED];
}

static int look_up(struct logindex *x, const char *text, size_t len, int64_t *ret,
		   struct error *err)
{
	sqlite3_stmt *s = ready(x, SQL_WORD_FIND, err);
	int step;

	if (!s)
		return -1;
	(void)sqlite3_bind_blob(s, 1, text, (int)len, SQLITE_STATIC);
	step = sqlite3_step(s);
	*ret = step == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		(void)indexdb_fail(x, "read it", err);
	(void)sqlite3_reset(s);
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : -1;
}

int indexdb_word(struct logindex *x, const char *text, size_t len, bool add, int64_t *ret,
		 struct error *err)
{
	struct index_word *w = place_of(x, text, len);
	sqlite3_stmt *s;

	if (w->number && w->len == len && memcmp(w->text, text, len) == 0) {
		*ret = w->number;
		return 0;
	}
	if (look_up(x, text, len, ret, err) < 0)
		return -1;
	if (*ret == 0 && add) {
		s = ready(x, SQL_WORD_ADD, err);
		if (!s)
			return -1;
		(void)sqlite3_bind_blob(s, 1, text, (int)len, SQLITE_STATIC);
		if (finish(x, s, err) < 0)
			return -1;
		*ret = sqlite3_last_insert_rowid(x->db);
	}
	if (*ret && len < sizeof(w->text)) {
		memcpy(w->text, text, len);
		w->len = len;
		w->number = *ret;
	}
	return 0;
}

/* The number of a word, 0 where the record has none. */
static int number_of(struct logindex *x, struct record_text t, int64_t *ret, struct error *err)
{
	char plain[INDEX_ID_MAX];

	*ret = 0;
	if (!t.data)
		return 0;
	return indexdb_word(x, plain, record_text_get(t, plain, sizeof(plain)), true, ret, err);
}

static void bind_number(sqlite3_stmt *s, int at, int64_t number)
{
	if (number)
		(void)sqlite3_bind_int64(s, at, number);
	else
		(void)sqlite3_bind_null(s, at);
}

static struct record_text word(const char *text)
{
	return (struct record_text){text, text ? strlen(text) : 0};
}

const char *index_status(const struct record_view *v, char *room, size_t size)
{
	switch (v->kind) {
	case RECORD_STARTED:
		return "open";
	case RECORD_ABORTED:
		return "aborted";
	case RECORD_FINISHED:
	case RECORD_DENIED:
		if (v->status.data) {
			(void)record_text_get(v->status, room, size);
			return room;
		}
		return v->kind == RECORD_DENIED ? "denied" : "unknown";
	case RECORD_NONE:
	case RECORD_STARTED_UP:
	case RECORD_SHUT_DOWN:
	case RECORD_POLICY_LOADED:
	case RECORD_POLICY_REFUSED:
	case RECORD_KEY_CHANGED:
	case RECORD_BODIES_DROPPED:
	case RECORD_KIND_COUNT:
		break;
	}
	return NULL;
}

static bool ends_call(enum record_kind kind)
{
	return kind == RECORD_FINISHED || kind == RECORD_DENIED || kind == RECORD_ABORTED;
}

static void bind_id(sqlite3_stmt *s, int at, struct record_text id)
{
	/* Ids are compared as they stand in the line: no escapes to undo, none to fool us. */
	if (id.data)
		(void)sqlite3_bind_blob(s, at, id.data, (int)id.len, SQLITE_STATIC);
	else
		(void)sqlite3_bind_null(s, at);
}

/* 1: there was such a call and it is at its end now; 0: there was none. */
static int end_call(struct logindex *x, uint64_t index, const struct record_view *v,
		    const struct index_begun *b, struct error *err)
{
	sqlite3_stmt *s = ready(x, SQL_END_CALL, err);

	if (!s)
		return -1;
	(void)sqlite3_bind_int64(s, 1, (int64_t)index);
	bind_number(s, 2, b->status);
	bind_number(s, 3, b->decision);
	bind_id(s, 4, v->id);
	if (finish(x, s, err) < 0)
		return -1;
	return sqlite3_changes(x->db) > 0;
}

/* 1: it has a row of its own now; 0: there is such a call already. */
static int add_row(struct logindex *x, const struct index_begun *b, struct record_text id,
		   bool ended, uint64_t last, struct error *err)
{
	sqlite3_stmt *s = ready(x, SQL_BEGIN_CALL, err);

	if (!s)
		return -1;
	(void)sqlite3_bind_int64(s, 1, (int64_t)b->first);
	if (ended)
		(void)sqlite3_bind_int64(s, 2, (int64_t)last);
	else
		(void)sqlite3_bind_null(s, 2);
	(void)sqlite3_bind_int64(s, 3, (int64_t)b->time_ms);
	bind_number(s, 4, b->kind);
	bind_number(s, 5, b->status);
	bind_number(s, 6, b->decision);
	bind_number(s, 7, b->tool);
	bind_number(s, 8, b->client);
	bind_number(s, 9, b->session);
	bind_id(s, 10, id);
	if (finish(x, s, err) < 0)
		return -1;
	return sqlite3_changes(x->db) > 0;
}

static int add_more(struct logindex *x, uint64_t index, struct record_text id, struct error *err)
{
	sqlite3_stmt *s = ready(x, SQL_MORE, err);

	if (!s)
		return -1;
	(void)sqlite3_bind_int64(s, 1, (int64_t)index);
	bind_id(s, 2, id);
	return finish(x, s, err);
}

static int add_bad(struct logindex *x, uint64_t index, const char *why, struct error *err)
{
	sqlite3_stmt *s = ready(x, SQL_BAD, err);

	if (!s)
		return -1;
	if (x->options.bad_record)
		x->options.bad_record(x->options.context, index, why);
	(void)sqlite3_bind_int64(s, 1, (int64_t)index);
	(void)sqlite3_bind_text(s, 2, why, -1, SQLITE_STATIC);
	return finish(x, s, err);
}

/* What a row would say of this record alone. */
static int describe(struct logindex *x, uint64_t index, const struct record_view *v,
		    struct index_begun *ret, struct error *err)
{
	char room[INDEX_ID_MAX];

	*ret = (struct index_begun){.first = index, .time_ms = v->time_ms};
	if (number_of(x, word(record_kind_name(v->kind)), &ret->kind, err) < 0 ||
	    number_of(x, word(index_status(v, room, sizeof(room))), &ret->status, err) < 0 ||
	    number_of(x, v->decision, &ret->decision, err) < 0 ||
	    number_of(x, v->tool, &ret->tool, err) < 0 ||
	    number_of(x, v->client, &ret->client, err) < 0)
		return -1;
	return number_of(x, v->session, &ret->session, err);
}

/* It began in this batch and ends here: 1, its row is there; 0, it did not, or was there before. */
static int end_begun(struct logindex *x, uint64_t index, const struct record_view *v,
		     const struct index_begun *end, struct error *err)
{
	struct index_begun begun;
	int done;

	if (!indexbegun_take(x, v->id, &begun))
		return 0;
	begun.status = end->status;
	if (!begun.decision)
		begun.decision = end->decision;
	done = add_row(x, &begun, v->id, true, index, err);
	return done ? done : add_more(x, begun.first, v->id, err);
}

/* A scribe that died took its calls for aborted; one of them lived on and ended: that counts. */
static int end_aborted(struct logindex *x, uint64_t index, const struct record_view *v,
		       const struct index_begun *b, struct error *err)
{
	sqlite3_stmt *keep = ready(x, SQL_KEEP_ABORT, err);
	sqlite3_stmt *end = keep ? ready(x, SQL_END_ABORTED, err) : NULL;
	int64_t aborted;

	if (!end || number_of(x, word("aborted"), &aborted, err) < 0)
		return -1;
	bind_id(keep, 1, v->id);
	bind_number(keep, 2, aborted);
	(void)sqlite3_bind_int64(end, 1, (int64_t)index);
	bind_number(end, 2, b->status);
	bind_id(end, 3, v->id);
	bind_number(end, 4, aborted);
	if (finish(x, keep, err) < 0 || finish(x, end, err) < 0)
		return -1;
	return sqlite3_changes(x->db) > 0;
}

static int end_record(struct logindex *x, uint64_t index, const struct record_view *v,
		      const struct index_begun *b, struct error *err)
{
	int done = end_begun(x, index, v, b, err);

	if (done == 0)
		done = end_call(x, index, v, b, err);
	if (done == 0 && v->kind == RECORD_FINISHED)
		done = end_aborted(x, index, v, b, err);
	return done ? done : add_row(x, b, v->id, true, index, err);
}

static int begin_record(struct logindex *x, const struct record_view *v,
			const struct index_begun *b, struct error *err)
{
	int kept = indexbegun_keep(x, v->id, b);

	return kept < 0 ? add_row(x, b, v->id, false, 0, err) : kept;
}

static int add_record(struct logindex *x, uint64_t index, const struct log_line *line,
		      struct error *err)
{
	struct record_view v;
	struct index_begun b;
	struct error why = {0};
	int done;

	if (record_read(line->data, line->len, &v, &why) < 0)
		return add_bad(x, index, why.text, err);
	if (describe(x, index, &v, &b, err) < 0)
		return -1;
	if (v.id.data && ends_call(v.kind))
		done = end_record(x, index, &v, &b, err);
	else if (v.id.data && v.kind == RECORD_STARTED)
		done = begin_record(x, &v, &b, err);
	else
		done = add_row(x, &b, v.id, true, index, err);
	if (done == 0)
		done = add_more(x, index, v.id, err);
	return done < 0 ? -1 : 0;
}

/* Those that did not end in this batch. */
static int flush_begun(struct logindex *x, struct error *err)
{
	for (size_t i = 0; x->n_begun && i < INDEX_BEGUN; i++) {
		struct index_begun *b = &x->begun[i];
		struct record_text id = {b->id, b->id_len};
		int done;

		if (b->id_len == 0)
			continue;
		done = add_row(x, b, id, false, 0, err);
		if (done == 0)
			done = add_more(x, b->first, id, err);
		if (done < 0)
			return -1;
	}
	indexbegun_clear(x);
	return 0;
}

static int note_position(struct logindex *x, uint64_t size, const struct hash *leaf,
			 struct error *err)
{
	sqlite3_stmt *s = ready(x, SQL_META_PUT, err);

	if (!s)
		return -1;
	(void)sqlite3_bind_text(s, 1, "size", -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(s, 2, (int64_t)size);
	if (finish(x, s, err) < 0)
		return -1;
	(void)sqlite3_bind_text(s, 1, "leaf", -1, SQLITE_STATIC);
	(void)sqlite3_bind_blob(s, 2, leaf->bytes, sizeof(leaf->bytes), SQLITE_STATIC);
	return finish(x, s, err);
}

static uint64_t guess_total(struct logindex *x, uint64_t at_least)
{
	struct checkpoint c;
	struct error ignored = {0};

	if (log_reader_checkpoint(x->reader, &c, NULL, &ignored) == 0 && c.size > at_least)
		return c.size;
	return at_least;
}

/* At most BATCH records, within a transaction.  Returns whether there may be more, or -1. */
static int fill_batch(struct logindex *x, uint64_t *total, struct error *err)
{
	struct log_line line;
	struct hash leaf;
	uint64_t index, n = 0;
	int more = 1;

	if (log_seek(x->reader, x->size, err) < 0)
		return -1;
	while (n < BATCH && (more = log_next(x->reader, &line, &index, err)) > 0) {
		if (add_record(x, index, &line, err) < 0)
			return -1;
		n++;
		hash_leaf(line.data, line.len, &leaf);
		if (index % PROGRESS == 0 && x->options.progress) {
			if (*total <= index)
				*total = guess_total(x, index + 1);
			x->options.progress(x->options.context, index, *total);
		}
	}
	if (more < 0)
		return -1;
	if (flush_begun(x, err) < 0)
		return -1;
	if (n && note_position(x, x->size + n, &leaf, err) < 0)
		return -1;
	x->size += n;
	return more;
}

int indexdb_fill(struct logindex *x, struct error *err)
{
	uint64_t total = 0, before;
	int more;

	do {
		if (indexdb_run(x, "BEGIN IMMEDIATE", err) < 0)
			return -1;
		before = x->size;
		/* Another one may have read it in meanwhile. */
		more = indexdb_number(x, "SELECT value FROM meta WHERE name='size'", 0, &x->size,
				      err);
		if (more == 0)
			more = fill_batch(x, &total, err);
		if (more < 0) {
			(void)sqlite3_exec(x->db, "ROLLBACK", NULL, NULL, NULL);
			memset(x->words, 0, sizeof(x->words)); /* some of them are gone again */
			indexbegun_clear(x);
			x->size = before;
			return -1;
		}
		if (indexdb_run(x, "COMMIT", err) < 0)
			return -1;
	} while (more > 0);
	return 0;
}
