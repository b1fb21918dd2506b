/* SPDX-License-Identifier: Apache-2.0 */
/* oneshot.h - the path of belljar run: policy, redaction, audit, and the box between them. */
#ifndef ONESHOT_ONESHOT_H
#define ONESHOT_ONESHOT_H

#include "oneshot/diary.h"
#include "oneshot/sieve.h"
#include "sandbox/sandbox.h"

enum { ONESHOT_RULES_MAX = 64 };

/* What was asked for, beside the request. */
struct oneshot_ask {
	struct request *request;
	const char *policy;   /* --policy; NULL: the standard one */
	const char *audit;    /* --audit; NULL: the standard place */
	bool raw;             /* --no-redact */
	bool receipt;         /* somebody will read the receipt of its end */
	bool root;            /* --root, and not the host's */
	const char *language; /* NULL: a command */
	const char *code;     /* its text; NULL: none */
	size_t code_len;
	char *const *words; /* the command, or the arguments of the code */
	char *const *env;   /* NAME=VALUE, as given; only names are written down */
	/* Where the programs are: asked when one is needed. */
	int (*find_gate)(char *ret, size_t room, struct error *err);
	int (*find_scribe)(char *ret, size_t room, struct error *err);
};

struct oneshot {
	const struct oneshot_ask *ask;
	char id[40];
	struct run_ask judged;
	struct run_rules rules;
	struct aide aide;
	struct sieve sieve;
	struct diary diary;
	char *args;
	size_t args_len;
	bool redacts;
	bool unwritten; /* that it begins could not be put into the log */
	struct aide_count counts[ONESHOT_RULES_MAX];
	size_t n_counts;
	struct error trouble; /* with the log's last word: for the operator */
};

/* 0: the account says what happened, also if it was refused.  -1: our own failure. */
int oneshot_run(struct oneshot *o, const struct oneshot_ask *ask, struct account *ret,
		struct error *err);
void oneshot_done(struct oneshot *o);
/* A ceiling for what oneshot_json() writes. */
size_t oneshot_json_room(const struct account *a);
/* The account, and beside it why, redactions, receipts and policy. */
int oneshot_json(const struct oneshot *o, const struct account *a, struct buf *out,
		 struct error *err);

#endif
