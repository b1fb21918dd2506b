/* SPDX-License-Identifier: Apache-2.0 */
/* indexdb.c - opens the index, and throws it away if it is not what we would have made.
 *
 * The file lies in a directory that others may own.  So its schema is compared
 * word by word with ours (no trigger, no view), links are not followed, and the
 * last record that it knows must be the one that the log has there.
 */
#include "auditread/indexdb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

enum { BUSY_MS = 30000 };

/* first and last are numbers of records; status, decision, tool, client, session and kind are
 * rows of words.  The rowid is part of each index, so that hits come in the order of the log. */
static const char schema[] =
	"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE words(number INTEGER PRIMARY KEY, word BLOB NOT NULL UNIQUE);"
	"CREATE TABLE calls(first INTEGER PRIMARY KEY, last INTEGER, time INTEGER NOT NULL,"
	" kind INTEGER NOT NULL, status INTEGER, decision INTEGER, tool INTEGER, client INTEGER,"
	" session INTEGER, id BLOB);"
	"CREATE TABLE more(record INTEGER PRIMARY KEY, id BLOB NOT NULL);"
	"CREATE TABLE bad(record INTEGER PRIMARY KEY, why TEXT NOT NULL);"
	"CREATE UNIQUE INDEX calls_id ON calls(id) WHERE id IS NOT NULL;"
	"CREATE INDEX calls_tool ON calls(tool, status);"
	"CREATE INDEX calls_client ON calls(client);"
	"CREATE INDEX calls_session ON calls(session) WHERE session IS NOT NULL;"
	"CREATE INDEX calls_status ON calls(status);"
	"CREATE INDEX calls_kind ON calls(kind);"
	"CREATE INDEX calls_time ON calls(time);"
	"CREATE INDEX more_id ON more(id);";

int indexdb_fail(struct logindex *x, const char *what, struct error *err)
{
	int code = x->db ? sqlite3_errcode(x->db) : SQLITE_NOMEM;

	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_MISMATCH ||
	    code == SQLITE_CONSTRAINT || code == SQLITE_ERROR || code == SQLITE_FORMAT)
		x->rotten = true;
	return fail(err, ERR_SYSTEM, "index of the log: %s: %s", what,
		    x->db ? sqlite3_errmsg(x->db) : "out of memory");
}

int indexdb_run(struct logindex *x, const char *sql, struct error *err)
{
	return sqlite3_exec(x->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : indexdb_fail(x, "change it", err);
}

sqlite3_stmt *indexdb_prepare(struct logindex *x, const char *sql, struct error *err)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v3(x->db, sql, -1, 0, &s, NULL) != SQLITE_OK)
		(void)indexdb_fail(x, "ask it", err);
	return s;
}

int indexdb_number(struct logindex *x, const char *sql, uint64_t otherwise, uint64_t *ret,
		   struct error *err)
{
	own_statement s = indexdb_prepare(x, sql, err);
	int step = s ? sqlite3_step(s) : SQLITE_ERROR;

	if (!s)
		return -1;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return indexdb_fail(x, "read it", err);
	*ret = otherwise;
	if (step == SQLITE_ROW && sqlite3_column_type(s, 0) == SQLITE_INTEGER &&
	    sqlite3_column_int64(s, 0) >= 0)
		*ret = (uint64_t)sqlite3_column_int64(s, 0);
	return 0;
}

/* All of a database's schema as text; the order is that of the names. */
static int schema_text(sqlite3 *db, struct buf *ret, struct error *err)
{
	own_statement s = NULL;
	int step;

	if (sqlite3_prepare_v2(db,
			       "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM "
			       "sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name",
			       -1, &s, NULL) != SQLITE_OK)
		return fail(err, ERR_SYSTEM, "%s", sqlite3_errmsg(db));
	while ((step = sqlite3_step(s)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(s, 0);

		if (buf_add_str(ret, text ? text : "?", err) < 0 || buf_add_str(ret, "\n", err) < 0)
			return -1;
	}
	return step == SQLITE_DONE ? 0 : fail(err, ERR_SYSTEM, "%s", sqlite3_errmsg(db));
}

static bool has_our_schema(struct logindex *x, struct error *err)
{
	sqlite3 *model = NULL;
	own(buf) ours, theirs;
	bool same;

	buf_init(&ours, 65536);
	buf_init(&theirs, 65536);
	same = sqlite3_open(":memory:", &model) == SQLITE_OK &&
	       sqlite3_exec(model, schema, NULL, NULL, NULL) == SQLITE_OK &&
	       schema_text(model, &ours, err) == 0 && schema_text(x->db, &theirs, err) == 0 &&
	       strcmp(buf_str(&ours), buf_str(&theirs)) == 0;
	(void)sqlite3_close(model);
	return same;
}

/* Nothing in the file may make us do anything. */
static int harden(struct logindex *x, struct error *err)
{
	static const char settings[] =
		"PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
		"PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;";

	(void)sqlite3_db_config(x->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(x->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(x->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_limit(x->db, SQLITE_LIMIT_LENGTH, 1 << 20);
	(void)sqlite3_busy_timeout(x->db, BUSY_MS);
	return indexdb_run(x, settings, err);
}

/* Made by one process at a time; whoever comes second finds it there. */
static int make_schema(struct logindex *x, struct error *err)
{
	uint64_t tables;
	char version[64];

	(void)snprintf(version, sizeof(version), "PRAGMA user_version=%d", INDEX_VERSION);
	if (indexdb_run(x, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (indexdb_number(x, "SELECT count(*) FROM sqlite_schema", 0, &tables, err) < 0 ||
	    (tables == 0 &&
	     (indexdb_run(x, schema, err) < 0 || indexdb_run(x, version, err) < 0))) {
		(void)sqlite3_exec(x->db, "ROLLBACK", NULL, NULL, NULL);
		return -1;
	}
	return indexdb_run(x, "COMMIT", err);
}

static int check_version(struct logindex *x, struct error *err)
{
	uint64_t version;

	if (indexdb_number(x, "PRAGMA user_version", 0, &version, err) < 0)
		return -1;
	if (version != INDEX_VERSION || !has_our_schema(x, err)) {
		x->rotten = true;
		return fail(err, ERR_SYSTEM, "index of the log: made by somebody else");
	}
	return 0;
}

/* Is the last record that the index knows still where it was? */
static int check_log(struct logindex *x, struct error *err)
{
	own_statement s = indexdb_prepare(x, "SELECT value FROM meta WHERE name='leaf'", err);
	struct log_line line;
	struct hash leaf;

	if (!s)
		return -1;
	if (indexdb_number(x, "SELECT value FROM meta WHERE name='size'", 0, &x->size, err) < 0)
		return -1;
	if (x->size == 0)
		return 0;
	if (log_read(x->reader, x->size - 1, &line, err) == 0) {
		hash_leaf(line.data, line.len, &leaf);
		if (sqlite3_step(s) == SQLITE_ROW &&
		    sqlite3_column_bytes(s, 0) == (int)sizeof(leaf.bytes) &&
		    memcmp(sqlite3_column_blob(s, 0), leaf.bytes, sizeof(leaf.bytes)) == 0)
			return 0;
	}
	x->rotten = true;
	return fail(err, ERR_SYSTEM, "index of the log: made from another log");
}

static void disconnect(struct logindex *x)
{
	for (size_t i = 0; i < ARRAY_LEN(x->prepared); i++) {
		(void)sqlite3_finalize(x->prepared[i]);
		x->prepared[i] = NULL;
	}
	(void)sqlite3_close(x->db);
	x->db = NULL;
	x->size = 0;
	memset(x->words, 0, sizeof(x->words));
}

/* Where several go into that mode at once, SQLite refuses some of them without waiting. */
static int write_ahead(struct logindex *x, struct error *err)
{
	static const char words[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;";
	int result = SQLITE_BUSY;

	for (int waited = 0; result == SQLITE_BUSY && waited < BUSY_MS; waited += 10) {
		result = sqlite3_exec(x->db, words, NULL, NULL, NULL);
		if (result == SQLITE_BUSY)
			(void)sqlite3_sleep(10);
	}
	return result == SQLITE_OK ? 0 : indexdb_fail(x, "open it for writing", err);
}

static int connect(struct logindex *x, struct error *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
	const char *path = x->path[0] ? x->path : ":memory:";

	disconnect(x);
	x->rotten = false;
	if (sqlite3_open_v2(path, &x->db, flags, NULL) != SQLITE_OK)
		return indexdb_fail(x, "open it", err);
	if (harden(x, err) < 0)
		return -1;
	if (x->path[0] && write_ahead(x, err) < 0)
		return -1;
	if (make_schema(x, err) < 0 || check_version(x, err) < 0)
		return -1;
	return check_log(x, err);
}

/* The file and what SQLite keeps beside it. */
static void throw_away(struct logindex *x)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	char path[PATH_MAX + 16];

	disconnect(x);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", x->path, ends[i]);
		(void)unlink(path);
	}
}

/* A file of ours that nobody else may write, or none, in a directory of ours: root's file would be
 * in the way of whoever owns the log. */
static bool may_use_file(int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0 || st.st_uid != geteuid() ||
	    faccessat(dir, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return false;
	if (fstatat(dir, INDEX_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_nlink == 1;
}

static void notice(const struct logindex *x, const char *text)
{
	if (x->options.notice)
		x->options.notice(x->options.context, text);
}

static int in_memory(struct logindex *x, struct error *err)
{
	x->path[0] = '\0';
	if (connect(x, err) < 0)
		return -1;
	return indexdb_fill(x, err);
}

int indexdb_rebuild(struct logindex *x, struct error *err)
{
	mode_t before = umask(077);
	int result = -1;

	notice(x, "the index was not made from this log, or is damaged; it is made anew");
	if (x->path[0])
		throw_away(x);
	if (connect(x, err) == 0)
		result = indexdb_fill(x, err);
	(void)umask(before);
	return result;
}

/* What cannot be used is made anew once; what then still fails is said. */
static int in_file(struct logindex *x, struct error *err)
{
	struct error first = {0};

	if (x->options.rebuild)
		throw_away(x);
	if (connect(x, &first) == 0 && indexdb_fill(x, &first) == 0)
		return 0;
	if (!x->rotten) {
		*err = first;
		return -1;
	}
	return indexdb_rebuild(x, err);
}

static int open_directory(const struct logindex *x)
{
	if (x->options.directory)
		return open(x->options.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fcntl(log_reader_directory(x->reader), F_DUPFD_CLOEXEC, 3);
}

static int open_index(struct logindex *x, struct error *err)
{
	own_fd place = -1;
	own_str dir = NULL;
	mode_t before;
	int result;

	if (x->options.in_memory)
		return in_memory(x, err);
	place = open_directory(x);
	if (place < 0 || !may_use_file(place)) {
		notice(x,
		       "the index beside the log cannot be written by us; the whole log is read");
		return in_memory(x, err);
	}
	if (fd_name(place, &dir, err) < 0)
		return -1;
	if (snprintf(x->path, sizeof(x->path), "%s/%s", dir, INDEX_FILE) >= (int)sizeof(x->path))
		return fail(err, ERR_CONFIG, "the path of the log is too long");
	before = umask(077);
	result = in_file(x, err);
	(void)umask(before);
	return result;
}

struct logindex *logindex_open(struct log_reader *r, const struct index_options *o,
			       struct error *err)
{
	struct logindex *x = calloc(1, sizeof(*x));

	if (!x) {
		(void)fail_sys(err, "open the index");
		return NULL;
	}
	x->reader = r;
	x->options = *o;
	x->begins.reader = r;
	buf_init(&x->begins.text, LOG_LINE_MAX);
	buf_init(&x->ends.text, LOG_LINE_MAX);
	if (open_index(x, err) < 0) {
		logindex_close(x);
		return NULL;
	}
	return x;
}

void logindex_close(struct logindex *x)
{
	if (!x)
		return;
	disconnect(x);
	free(x->begun);
	log_reader_close(x->ends.reader);
	buf_done(&x->begins.text);
	buf_done(&x->ends.text);
	free(x);
}

void logindex_end(struct logindex **x)
{
	logindex_close(*x);
}

int logindex_update(struct logindex *x, struct error *err)
{
	return indexdb_fill(x, err);
}

int logindex_summary(struct logindex *x, struct index_summary *ret, struct error *err)
{
	struct index_summary s = {.records = x->size, .in_memory = !x->path[0]};

	if (indexdb_number(x, "SELECT count(*) FROM calls WHERE id IS NOT NULL", 0, &s.calls, err) <
		    0 ||
	    indexdb_number(x, "SELECT count(*) FROM bad", 0, &s.bad, err) < 0 ||
	    indexdb_number(x, "SELECT min(record) FROM bad", 0, &s.first_bad, err) < 0)
		return -1;
	*ret = s;
	return 0;
}
