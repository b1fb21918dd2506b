/* SPDX-License-Identifier: Apache-2.0 */
/* indexdb.h - what the files of the index share: its statements, and SQLite's errors as ours. */
#ifndef AUDITREAD_INDEXDB_H
#define AUDITREAD_INDEXDB_H

#include <limits.h>
#include <sqlite3.h>

#include "auditread/logindex.h"
#include "base/buf.h"

enum { INDEX_WORDS_CACHED = 256, INDEX_WORD_SHORT = 64 };

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
	SQL_MORE,
	SQL_BAD,
	SQL_META_PUT,
	SQL_STATEMENT_COUNT
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
	struct buf begin_text, end_text;
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
/* Throws it away and reads the whole log. */
int indexdb_rebuild(struct logindex *x, struct error *err);

#endif
