/* SPDX-License-Identifier: Apache-2.0 */
/* auditcli.h - what the commands of belljar audit share: options, the log, records in print. */
#ifndef CLI_AUDITCLI_H
#define CLI_AUDITCLI_H

#include <stdio.h>

#include "audit/log.h"
#include "audit/record.h"
#include "auditread/logindex.h"
#include "cli/words.h"

enum { AUDIT_WRONG = 1, AUDIT_SHOWN = 4096 };

struct audit_options {
	const char *log, *key;
	const char *lines;
	const char *tool, *client, *session, *status, *decision, *kind;
	const char *since, *until, *limit;
	const char *out, *file, *command, *before;
	struct word_list anchor;
	bool follow, json, ocsf, syslog, no_index, no_record, help;
};

/* One function per word behind "belljar audit"; returns the exit code. */
int audit_tail(const struct audit_options *o, const struct word_list *rest);
int audit_query(const struct audit_options *o, const struct word_list *rest);
int audit_show(const struct audit_options *o, const struct word_list *rest);
int audit_export(const struct audit_options *o, const struct word_list *rest);
int audit_index(const struct audit_options *o, const struct word_list *rest);
int audit_verify(const struct audit_options *o, const struct word_list *rest);
int audit_prove(const struct audit_options *o, const struct word_list *rest);
int audit_verify_proof(const struct audit_options *o, const struct word_list *rest);
int audit_prune(const struct audit_options *o, const struct word_list *rest);
int audit_anchor(const struct audit_options *o, const struct word_list *rest);

#define own_reader __attribute__((cleanup(log_reader_end))) struct log_reader *
#define own_index  __attribute__((cleanup(logindex_end))) struct logindex *

/* The directory that the options, the environment or the standard name. */
int audit_directory(const struct audit_options *o, char *ret, size_t room, struct error *err);
/* The log there, believing --key if one was given.  NULL: err. */
struct log_reader *audit_open_log(const struct audit_options *o, struct error *err);
/* Its index, up to date; says on stderr what there is to say. */
struct logindex *audit_open_index(const struct audit_options *o, struct log_reader *r, bool rebuild,
				  struct error *err);
/* How many records must be there, because they were signed; 0 if that cannot be said, which is
 * said.  To be asked before reading, since the log grows meanwhile. */
uint64_t audit_signed_size(struct log_reader *r);
/* Complains if the log ended before that; the exit code is then not 0. */
void audit_check_end(uint64_t signed_size, uint64_t end);
int audit_key(const struct audit_options *o, struct note_key *ret, struct error *err);
int audit_number(const char *word, const char *what, uint64_t *ret, struct error *err);
/* --since and --until of a query. */
int audit_times(const struct audit_options *o, struct index_query *q, struct error *err);

/* Text of a record, harmless for a terminal; "-" if there is none. */
const char *audit_text(struct record_text t, char *room, size_t size);
/* Everything that is printed has arrived?  Else it says so and returns EXIT_BELLJAR.  What
 * audit_check_end() found makes 0 a 1. */
int audit_printed(int code);

bool audit_wants_colour(FILE *to);
/* "\r[####  ] ..." on stderr if that is a terminal, and away with it. */
void audit_progress(const char *what, uint64_t done, uint64_t total);
void audit_progress_end(void);

/* The parts of a line for people. */
void audit_print_record(uint64_t index, const struct record_view *v, FILE *to);
void audit_print_bad(uint64_t index, const char *why, FILE *to);
/* What a record says about its end, or why it was refused. */
void audit_outcome_text(const struct record_view *v, char *ret, size_t room);
/* {"index":..., "leaf_hash":..., "record":...} without a newline. */
void audit_json_record(uint64_t index, const struct log_line *line, FILE *to);
void audit_duration(uint64_t microseconds, char *ret, size_t room);

#endif
