/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.c - the store of keys and answers (SQLite, write-ahead log).
 *
 * A key is written down before its request may run, and its answer before the
 * client gets it.  A row outlives the process: what had begun when a front died
 * stays "unknown" and is never run again.  Answers may be dropped for want of
 * room, keys may not before their time: a key that was forgotten would run twice.
 */
#include "serve/api/idempotency.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "serve/api/oncetally.h"

enum { BUSY_MS = 5000, STORE_VERSION = 1 };
enum row_state { ROW_RUNNING = 0, ROW_ANSWERED, ROW_UNKNOWN, ROW_DROPPED };

static const char schema[] =
	"CREATE TABLE once(row INTEGER PRIMARY KEY, client TEXT NOT NULL, key TEXT NOT NULL,"
	" hash BLOB NOT NULL, state INTEGER NOT NULL, status INTEGER NOT NULL DEFAULT 0,"
	" expires INTEGER NOT NULL, answer BLOB);"
	"CREATE UNIQUE INDEX once_key ON once(client, key);"
	"CREATE INDEX once_expires ON once(expires);"
	"CREATE INDEX once_kept ON once(client, row) WHERE state = 1;";

static const char settings[] =
	"PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
	"PRAGMA cache_size=-4096; PRAGMA temp_store=MEMORY; PRAGMA locking_mode=EXCLUSIVE;"
	"PRAGMA max_page_count=131072; PRAGMA journal_size_limit=16777216;";

enum statement {
	SQL_FIND,
	SQL_CLAIM,
	SQL_KEEP,
	SQL_RELEASE,
	SQL_SWEEP,
	SQL_OLDEST,
	SQL_DROP,
	SQL_COUNT
};

static const char *const sql[] = {
	[SQL_FIND] =
		"SELECT hash, state, status, answer, expires FROM once WHERE client=?1 AND key=?2",
	[SQL_CLAIM] = "INSERT OR REPLACE INTO once(client, key, hash, state, expires) "
		      "VALUES(?1, ?2, ?3, 0, ?4)",
	[SQL_KEEP] = "UPDATE once SET state=?3, status=?4, answer=?5 WHERE client=?1 AND key=?2",
	[SQL_RELEASE] = "DELETE FROM once WHERE client=?1 AND key=?2 AND state=0",
	[SQL_SWEEP] = "DELETE FROM once WHERE expires <= ?1 AND state<>0",
	[SQL_OLDEST] = "SELECT row, length(answer) FROM once WHERE client=?1 AND state=1 "
		       "ORDER BY row LIMIT 1",
	[SQL_DROP] = "UPDATE once SET state=3, answer=NULL WHERE row=?1",
};
static_assert(ARRAY_LEN(sql) == SQL_COUNT, "one text for each statement");

struct once_store {
	sqlite3 *db;
	sqlite3_stmt *prepared[SQL_COUNT];
	struct once_tally tally;
};

static int store_fail(const struct once_store *s, const char *what, struct error *err)
{
	return fail(err, ERR_SYSTEM, "store of idempotent answers: %s: %s", what,
		    s->db ? sqlite3_errmsg(s->db) : "out of memory");
}

static int run(struct once_store *s, const char *text, struct error *err)
{
	return sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : store_fail(s, "set it up", err);
}

static sqlite3_stmt *prepared(struct once_store *s, enum statement which)
{
	sqlite3_stmt *st = s->prepared[which];

	(void)sqlite3_reset(st);
	(void)sqlite3_clear_bindings(st);
	return st;
}

static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
	(void)sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

/* Runs it to its end; what was bound may go afterwards. */
static int finish(struct once_store *s, sqlite3_stmt *st, struct error *err)
{
	int step = sqlite3_step(st);

	if (step != SQLITE_DONE)
		(void)store_fail(s, "write it", err);
	(void)sqlite3_reset(st);
	(void)sqlite3_clear_bindings(st);
	return step == SQLITE_DONE ? 0 : -1;
}

/* What is there, by client. */
static int count_rows(struct once_store *s, struct error *err)
{
	static const char ask[] = "SELECT client, count(*), total(length(answer)) FROM once "
				  "GROUP BY client";
	sqlite3_stmt *st = NULL;
	int step = SQLITE_ERROR;

	tally_clear(&s->tally);
	if (sqlite3_prepare_v2(s->db, ask, -1, &st, NULL) != SQLITE_OK)
		return store_fail(s, "count it", err);
	while ((step = sqlite3_step(st)) == SQLITE_ROW) {
		const char *client = (const char *)sqlite3_column_text(st, 0);

		if (tally_add(&s->tally, client ? client : "", sqlite3_column_int64(st, 1),
			      sqlite3_column_int64(st, 2), err) < 0)
			break;
	}
	(void)sqlite3_finalize(st);
	return step == SQLITE_DONE ? 0 : store_fail(s, "count it", err);
}

static int user_version(struct once_store *s, struct error *err)
{
	sqlite3_stmt *st = NULL;
	int version = -1;

	if (sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		version = sqlite3_column_int(st, 0);
	else
		(void)store_fail(s, "read it", err);
	(void)sqlite3_finalize(st);
	return version;
}

static int make_schema(struct once_store *s, struct error *err)
{
	int version = user_version(s, err);
	char mark[64];

	if (version < 0)
		return -1;
	if (version == STORE_VERSION)
		return 0;
	if (version != 0)
		return fail(err, ERR_CONFIG, "store of idempotent answers: of another version");
	(void)snprintf(mark, sizeof(mark), "PRAGMA user_version=%d; COMMIT;", STORE_VERSION);
	if (run(s, "BEGIN IMMEDIATE", err) < 0 || run(s, schema, err) < 0)
		return -1;
	return run(s, mark, err);
}

static int connect(struct once_store *s, const char *path, struct error *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW |
		    SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK)
		return store_fail(s, "open it", err);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_busy_timeout(s->db, BUSY_MS);
	if (run(s, settings, err) < 0 ||
	    run(s, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;", err) < 0 ||
	    make_schema(s, err) < 0 || run(s, "UPDATE once SET state=2 WHERE state=0", err) < 0)
		return -1;
	for (size_t i = 0; i < SQL_COUNT; i++)
		if (sqlite3_prepare_v3(s->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &s->prepared[i], NULL) != SQLITE_OK)
			return store_fail(s, "prepare it", err);
	return count_rows(s, err);
}

static void disconnect(struct once_store *s)
{
	for (size_t i = 0; i < SQL_COUNT; i++) {
		(void)sqlite3_finalize(s->prepared[i]);
		s->prepared[i] = NULL;
	}
	(void)sqlite3_close(s->db);
	s->db = NULL;
}

/* Damaged ones are put aside, for whoever wants to know what was in them. */
static bool put_aside(const char *path, int code)
{
	char aside[4200];

	if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
		return false;
	(void)snprintf(aside, sizeof(aside), "%s-wal", path);
	(void)unlink(aside);
	(void)snprintf(aside, sizeof(aside), "%s.damaged", path);
	return rename(path, aside) == 0;
}

static int open_at(struct once_store *s, const char *path, char *ret_notice, size_t room,
		   struct error *err)
{
	int code;

	if (connect(s, path, err) == 0)
		return 0;
	code = s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_NOMEM;
	disconnect(s);
	if (!put_aside(path, code))
		return -1;
	(void)snprintf(
		ret_notice, room,
		"the store of idempotent answers was damaged; its keys are forgotten, and it "
		"lies beside the new one as idempotency.db.damaged");
	return connect(s, path, err);
}

struct once_store *once_open(const char *directory, char *ret_notice, size_t room,
			     struct error *err)
{
	struct once_store *s = calloc(1, sizeof(*s));
	char path[4096] = ":memory:";
	mode_t before;
	int result = -1;

	if (!s) {
		(void)fail_sys(err, "open the store of idempotent answers");
		return NULL;
	}
	ret_notice[0] = '\0';
	tally_init(&s->tally);
	if (directory &&
	    snprintf(path, sizeof(path), "%s/idempotency.db", directory) >= (int)sizeof(path)) {
		(void)fail(err, ERR_CONFIG, "the front's directory has too long a name");
	} else {
		before = umask(077);
		result = open_at(s, path, ret_notice, room, err);
		(void)umask(before);
	}
	if (result < 0) {
		once_close(s);
		return NULL;
	}
	return s;
}

void once_close(struct once_store *s)
{
	if (!s)
		return;
	disconnect(s);
	tally_done(&s->tally);
	free(s);
}

/* What the row says that st stands on. */
static enum once read_row(sqlite3_stmt *st, const struct once_ask *ask, struct once_answer *ret,
			  struct error *err)
{
	const void *hash = sqlite3_column_blob(st, 0);
	int state = sqlite3_column_int(st, 1);

	if (sqlite3_column_bytes(st, 0) != ONCE_HASH_BYTES ||
	    memcmp(hash, ask->hash, ONCE_HASH_BYTES) != 0)
		return ONCE_OTHER;
	if (state == ROW_RUNNING)
		return ONCE_BUSY;
	if (state != ROW_ANSWERED)
		return state == ROW_DROPPED ? ONCE_DROPPED : ONCE_UNKNOWN;
	buf_init(&ret->body, ONCE_ANSWER_MAX);
	ret->status = sqlite3_column_int(st, 2);
	if (buf_add(&ret->body, sqlite3_column_blob(st, 3), (size_t)sqlite3_column_bytes(st, 3),
		    err) < 0) {
		buf_done(&ret->body);
		return ONCE_FAILED;
	}
	return ONCE_ANSWERED;
}

static enum once claim(struct once_store *s, const struct once_ask *ask, struct error *err)
{
	sqlite3_stmt *st = prepared(s, SQL_CLAIM);

	if (tally_rows(&s->tally, ask->client) >= ONCE_CLIENT_ROWS)
		return ONCE_FULL;
	bind_text(st, 1, ask->client);
	bind_text(st, 2, ask->key);
	(void)sqlite3_bind_blob(st, 3, ask->hash, ONCE_HASH_BYTES, SQLITE_STATIC);
	(void)sqlite3_bind_int64(st, 4, (sqlite3_int64)ask->now_ms + (sqlite3_int64)ask->for_ms);
	if (finish(s, st, err) < 0 || tally_add(&s->tally, ask->client, 1, 0, err) < 0)
		return ONCE_FAILED;
	return ONCE_NEW;
}

enum once once_claim(struct once_store *s, const struct once_ask *ask, struct once_answer *ret,
		     struct error *err)
{
	sqlite3_stmt *st = prepared(s, SQL_FIND);
	bool expired = false;
	enum once found = ONCE_FAILED;
	int64_t bytes = 0;
	int step;

	bind_text(st, 1, ask->client);
	bind_text(st, 2, ask->key);
	step = sqlite3_step(st);
	if (step == SQLITE_ROW) {
		expired = sqlite3_column_int64(st, 4) <= (sqlite3_int64)ask->now_ms &&
			  sqlite3_column_int(st, 1) != ROW_RUNNING;
		bytes = sqlite3_column_bytes(st, 3);
		if (!expired)
			found = read_row(st, ask, ret, err);
	} else if (step != SQLITE_DONE) {
		(void)store_fail(s, "read it", err);
	}
	(void)sqlite3_reset(st);
	(void)sqlite3_clear_bindings(st);
	if (step != SQLITE_DONE && !expired)
		return found;
	if (expired)
		(void)tally_add(&s->tally, ask->client, -1, -bytes, err);
	return claim(s, ask, err);
}

/* The oldest answers of a client go until it, and all together, are below their caps. */
static int drop_old(struct once_store *s, const char *client, struct error *err)
{
	while (tally_bytes(&s->tally, client) > ONCE_CLIENT_BYTES ||
	       (s->tally.bytes > ONCE_BYTES_MAX && tally_bytes(&s->tally, client) > 0)) {
		sqlite3_stmt *st = prepared(s, SQL_OLDEST), *drop = prepared(s, SQL_DROP);
		int64_t row, bytes;

		bind_text(st, 1, client);
		if (sqlite3_step(st) != SQLITE_ROW)
			return count_rows(s, err); /* cannot be; if it is, count anew and go on */
		row = sqlite3_column_int64(st, 0);
		bytes = sqlite3_column_int64(st, 1);
		(void)sqlite3_reset(st);
		(void)sqlite3_bind_int64(drop, 1, row);
		if (finish(s, drop, err) < 0 || tally_add(&s->tally, client, 0, -bytes, err) < 0)
			return -1;
	}
	return 0;
}

int once_keep(struct once_store *s, const char *client, const char *key,
	      const struct once_answer *a, struct error *err)
{
	sqlite3_stmt *st = prepared(s, SQL_KEEP);
	bool fits = a->body.len <= ONCE_ANSWER_MAX;

	bind_text(st, 1, client);
	bind_text(st, 2, key);
	(void)sqlite3_bind_int(st, 3, fits ? ROW_ANSWERED : ROW_DROPPED);
	(void)sqlite3_bind_int(st, 4, a->status);
	if (fits)
		(void)sqlite3_bind_blob(st, 5, buf_str(&a->body), (int)a->body.len, SQLITE_STATIC);
	if (finish(s, st, err) < 0)
		return -1;
	if (!fits || sqlite3_changes(s->db) == 0)
		return 0;
	if (tally_add(&s->tally, client, 0, (int64_t)a->body.len, err) < 0)
		return -1;
	return drop_old(s, client, err);
}

int once_release(struct once_store *s, const char *client, const char *key, struct error *err)
{
	sqlite3_stmt *st = prepared(s, SQL_RELEASE);

	bind_text(st, 1, client);
	bind_text(st, 2, key);
	if (finish(s, st, err) < 0)
		return -1;
	if (sqlite3_changes(s->db) > 0)
		return tally_add(&s->tally, client, -1, 0, err);
	return 0;
}

int once_sweep(struct once_store *s, uint64_t now_ms, struct error *err)
{
	sqlite3_stmt *st = prepared(s, SQL_SWEEP);

	(void)sqlite3_bind_int64(st, 1, (sqlite3_int64)now_ms);
	if (finish(s, st, err) < 0)
		return -1;
	return sqlite3_changes(s->db) > 0 ? count_rows(s, err) : 0;
}

uint64_t once_bytes(const struct once_store *s)
{
	return s->tally.bytes > 0 ? (uint64_t)s->tally.bytes : 0;
}
