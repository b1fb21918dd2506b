/* SPDX-License-Identifier: Apache-2.0 */
/* logindex.h - where in the log a call is: a SQLite file beside the log, made from it.
 *
 *     index.db     calls by id, tool, client, session, status and time, as numbers of records
 *
 * It tells where to look and nothing else: whatever is shown is read from the log, and
 * compared with what the index said of it.  It is brought up to date before it is asked,
 * thrown away when it is damaged, somebody else's or of another log, and never missed: who
 * may not write it makes one in memory.
 */
#ifndef AUDITREAD_LOGINDEX_H
#define AUDITREAD_LOGINDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "audit/log.h"
#include "audit/record.h"

enum {
	INDEX_VERSION = 2,
	INDEX_ID_MAX = 2048, /* bytes of a call's id, a tool's or client's name */
};
#define INDEX_FILE "index.db"

struct logindex;

struct index_options {
	bool in_memory; /* leave the file alone, read the whole log */
	bool rebuild;   /* throw the file away first */
	/* Where the file lies; NULL: beside the log.  Whoever may write there shall perhaps not
	 * write the log. */
	const char *directory;
	/* Now and then while records are read in; total is what the log has. */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	/* A record that is none: it is passed over. */
	void (*bad_record)(void *context, uint64_t index, const char *why);
	/* The file was thrown away, or memory stands in for it. */
	void (*notice)(void *context, const char *text);
	void *context;
};

/* Opens, repairs, brings up to date.  r stays the caller's and must outlive it. */
struct logindex *logindex_open(struct log_reader *r, const struct index_options *o,
			       struct error *err);
void logindex_close(struct logindex *x);
void logindex_end(struct logindex **x);
/* Reads in what was appended since.  What was shown by logindex_open() is not shown again. */
int logindex_update(struct logindex *x, struct error *err);

struct index_summary {
	uint64_t records; /* read in */
	uint64_t calls;
	uint64_t bad;       /* records that are none */
	uint64_t first_bad; /* if there is one */
	bool in_memory;
};
int logindex_summary(struct logindex *x, struct index_summary *ret, struct error *err);

/* Members that are NULL or 0 ask for nothing. */
struct index_query {
	const char *tool, *client, *session, *decision;
	const char *status; /* as in records; or "aborted", "open" */
	const char *kind;   /* of its first record; NULL: calls, no other records */
	uint64_t since_ms, until_ms;
	uint64_t limit; /* the latest so many; 0: all */
	bool forward;   /* the first so many behind the record after, instead */
	uint64_t after; /* with forward */
	bool anything;  /* with kind NULL: other records, too */
};

/* A call, or a record of none, as the log has it. */
struct index_hit {
	uint64_t first, last; /* records; the same if there is one only */
	bool ended;
	struct record_view begin, end; /* end: only if last is another record */
	struct log_line begin_line, end_line;
};

/* The state that a call has after this record; NULL: it is a record of no call.  May use room. */
const char *index_status(const struct record_view *v, char *room, size_t size);

/* Calls that match, in the order of the log.  each returns 0 to go on, 1 to stop, -1 for an error.
 * A hit is valid until the next.  ret_n (may be NULL) counts them. */
int logindex_find(struct logindex *x, const struct index_query *q,
		  int (*each)(void *context, const struct index_hit *hit, struct error *err),
		  void *context, uint64_t *ret_n, struct error *err);
/* The records of a call, in their order; at most room.  ERR_NOT_FOUND: there is no such call. */
int logindex_call(struct logindex *x, const char *id, uint64_t *ret_indices, size_t room,
		  size_t *ret_n, struct error *err);

#endif
