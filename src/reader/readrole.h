/* SPDX-License-Identifier: Apache-2.0 */
/* readrole.h - the reader of the log: one front asks, and it answers.
 *
 *     belljar-audit reader --fd N [--audit DIR] [--allow-degraded LAYER]...
 */
#ifndef READER_READROLE_H
#define READER_READROLE_H

#include <limits.h>

#include "auditread/logindex.h"
#include "reader/readtalk.h"

/* Its own index: what it may write is this directory and not the log. */
#define READER_PLACE "reader"

struct reader {
	int sock;
	int directory;        /* of the log */
	char path[PATH_MAX];  /* the same, by a name that stays right */
	char place[PATH_MAX]; /* of the index; empty: in memory */
	struct log_reader *log;
	struct logindex *index; /* NULL: not asked for yet */
	bool key_in_sight;      /* it was said that this may be */
	bool verifying;         /* a verification is under way, and we serve between its steps */
};

/* What goes back.  body's ceiling is READ_BODY_MAX. */
struct read_answer {
	struct buf body;
	unsigned status;
	bool problem;
	unsigned retry_after_s;
	const char *parameter; /* the one that is wrong */
};

int reader_main(int argc, char **argv);
/* Opens the log's directory, with the key that signs out of sight. */
int reader_enter(struct reader *r, const char *path, uint32_t allow_degraded, struct error *err);
/* It is new, and we could read it: then we must not go on. */
bool reader_key_is_covered(const struct reader *r);
/* place: of the index, -1: none. */
int reader_seal(const struct reader *r, int place, uint32_t allow_degraded, struct error *err);

/* Fills in the answer, a problem if need be; -1: without memory. */
int reader_answer(struct reader *r, const struct read_request *q, struct read_answer *ret,
		  struct error *err);
/* Answers what waits.  false: the front is gone, or talks nonsense. */
bool reader_serve(struct reader *r);

/* One per kind.  -1: err becomes the problem: ERR_CALLER 400, ERR_NOT_FOUND 404, else 500. */
int read_calls(struct reader *r, const struct read_request *q, struct read_answer *a,
	       struct error *err);
int read_call(struct reader *r, const struct read_request *q, struct read_answer *a,
	      struct error *err);
int read_record(struct reader *r, const struct read_request *q, struct read_answer *a,
		struct error *err);
int read_proof(struct reader *r, const struct read_request *q, struct read_answer *a,
	       struct error *err);
int read_verification(struct reader *r, const struct read_request *q, struct read_answer *a,
		      struct error *err);
int read_checkpoint(struct reader *r, const struct read_request *q, struct read_answer *a,
		    struct error *err);

/* The log, with its key once there is one. */
struct log_reader *reader_log(struct reader *r, struct error *err);
/* The index, up to date. */
struct logindex *reader_index(struct reader *r, struct error *err);
/* How many records are signed; 0: none, or nobody can say. */
uint64_t reader_signed(struct reader *r);
/* {"index", "leaf_hash", "record"}, as belljar audit prints it. */
int read_put_record(struct buf *out, uint64_t index, const struct log_line *line,
		    struct error *err);
/* A parameter that is a number. */
int read_number(struct read_answer *a, const char *name, const char *text, uint64_t *ret,
		struct error *err);

#endif
