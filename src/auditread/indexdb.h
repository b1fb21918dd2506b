/* SPDX-License-Identifier: Apache-2.0 */
/* indexdb.h - what the files of the index share: its statements, and SQLite's errors as ours. */
#ifndef AUDITREAD_INDEXDB_H
#define AUDITREAD_INDEXDB_H

#include <limits.h>
#include <sqlite3.h>

#include "auditread/logindex.h"
#include "base/buf.h"

enum {
	INDEX_WORDS_CACHED = 256,
	INDEX_WORD_SHORT = 64,
	INDEX_ID_SHORT = 64,
	INDEX_BEGUN = 16384, /* a power of two; at most half of them are taken */
};

/* Names come again and again: the last ones are known without asking. */
struct index_word {
	char text[INDEX_WORD_SHORT];
	size_t len;
	int64_t number; /* 0: empty place */
};

enum index_statement {
	SQL_WORD_FIND,
	SQL_WORD_ADD,
	SQL_BEGIN_CALL,
	SQL_END_CALL,
	SQL_KEEP_ABORT,
	SQL_END_ABORTED,
	SQL_MORE,
	SQL_BAD,
	SQL_META_PUT,
	SQL_STATEMENT_COUNT
};

/* Reads on where it can: a search costs some hundred lines. */
struct index_cursor {
	struct log_reader *reader;
	uint64_t next;
	bool placed;
	struct buf text; /* the line */
};

/* A call that began in the batch that is read in; it gets its row when it ends, or with the batch.
 */
struct index_begun {
	uint64_t first, time_ms;
	int64_t kind, status, decision, tool, client, session; /* words; 0: none */
	char id[INDEX_ID_SHORT];
	size_t id_len; /* 0: this place is free */
};

struct logindex {
	struct log_reader *reader;
	struct index_options options;
	sqlite3 *db;
	sqlite3_stmt *prepared[SQL_STATEMENT_COUNT];
	char path[PATH_MAX]; /* of the file; empty: in memory */
	uint64_t size;       /* records read in */
	struct index_word words[INDEX_WORDS_CACHED];
	bool rotten; /* the file is not to be believed: it must be made anew */
	struct index_begun
		*begun; /* INDEX_BEGUN places of a hash table, while a batch is read in */
	size_t n_begun;
	struct index_cursor begins, ends; /* two, because calls overlap */
};

/* The same for err as fail_sys(): -1, and x->rotten if it is the file that is broken. */
int indexdb_fail(struct logindex *x, const char *what, struct error *err);
int indexdb_run(struct logindex *x, const char *sql, struct error *err);
sqlite3_stmt *indexdb_prepare(struct logindex *x, const char *sql, struct error *err);
/* One number that a statement yields; otherwise if there is no row or it is NULL. */
int indexdb_number(struct logindex *x, const char *sql, uint64_t otherwise, uint64_t *ret,
		   struct error *err);

static inline void own_statement_end(sqlite3_stmt **s)
{
	(void)sqlite3_finalize(*s);
}
#define own_statement __attribute__((cleanup(own_statement_end))) sqlite3_stmt *

/* The name of what the log knows as that; 0: it is nowhere in the log. */
int indexdb_word(struct logindex *x, const char *text, size_t len, bool add, int64_t *ret,
		 struct error *err);
/* From x->size on, everything that the log has. */
int indexdb_fill(struct logindex *x, struct error *err);
/* Keeps a call that began.  1: kept; 0: one with this id is kept already; -1: there is no room, or
 * the id is too long. */
int indexbegun_keep(struct logindex *x, struct record_text id, const struct index_begun *b);
/* Gives it back and forgets it. */
bool indexbegun_take(struct logindex *x, struct record_text id, struct index_begun *ret);
void indexbegun_clear(struct logindex *x);
/* Throws it away and reads the whole log. */
int indexdb_rebuild(struct logindex *x, struct error *err);

#endif
