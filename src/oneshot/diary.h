/* SPDX-License-Identifier: Apache-2.0 */
/* diary.h - what the audit log is told of a run: that it begins, and how it ended. */
#ifndef ONESHOT_DIARY_H
#define ONESHOT_DIARY_H

#include "audit/announce.h"
#include "audit/record.h"
#include "call/runrules.h"

/* What was asked for, as it may be written down. */
struct diary_run {
	const char *id;
	const char *args; /* JSON, redacted; NULL: none */
	size_t args_len;
	const struct limits *limits;
};

struct diary {
	const struct run_rules *rules;
	struct audit audit;
	bool open;
	const char *id;
	struct hash policy;
	struct buf policy_line, line, end_line;
	struct audit_entry entries[2]; /* the policy, unless the scribe knows it; the beginning */
	struct audit_entry end;
	bool began, ended; /* was sent, with or without an answer so far */
};

/* directory: --audit; NULL: the standard one.  find tells the program belljar-scribe. */
int diary_open(struct diary *d, const struct run_rules *rules, const char *directory,
	       int (*find)(char *ret, size_t room, struct error *err), struct error *err);
void diary_close(struct diary *d);

/* Sends that it begins, and does not wait. */
int diary_begin(struct diary *d, const struct diary_run *run, struct error *err);
/* It is in the log: only now may anything run. */
int diary_await_begin(struct diary *d, struct error *err);
/* It is refused; in the log when this returns. */
int diary_refuse(struct diary *d, const struct diary_run *run, const char *reason,
		 struct error *err);
/* Sends how it ended, and does not wait. */
int diary_end_run(struct diary *d, const struct account *account,
		  const struct record_redaction *redactions, size_t n, const char *reason,
		  struct error *err);
/* Does the scribe have the end, read or not? */
bool diary_is_sent(const struct diary *d);
int diary_await_end(struct diary *d, struct error *err);

#endif
