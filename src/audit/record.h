/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - what is written down of a call: one JSON line, keys sorted, no fractions.
 *
 * The writer takes what the caller knows and leaves out what is not set.  The
 * reader takes exactly what the writer can write and nothing else: it also
 * decides whether a line that a crash left behind is whole.
 */
#ifndef AUDIT_RECORD_H
#define AUDIT_RECORD_H

#include "audit/tree.h"
#include "base/buf.h"
#include "call/call.h"

enum {
	RECORD_MAX = 64000, /* bytes of a line without its newline */
	RECORD_VERSION = 1,
	RECORD_TIME = 25, /* "2026-01-31T23:59:59.999Z" and the NUL */
	RECORD_REDACTIONS_MAX = 256,
};

enum record_kind {
	RECORD_NONE = 0,
	RECORD_STARTED,       /* a call was allowed and is about to run */
	RECORD_FINISHED,      /* ... and this is how it ended */
	RECORD_DENIED,        /* a call was refused: its only record */
	RECORD_ABORTED,       /* it began, and nobody saw its end */
	RECORD_STARTED_UP,    /* the log was opened for writing */
	RECORD_SHUT_DOWN,     /* ... and closed in order */
	RECORD_POLICY_LOADED, /* which rules hold from here on */
	RECORD_POLICY_REFUSED,
	RECORD_KEY_CHANGED,
	RECORD_BODIES_DROPPED, /* retention removed bodies; the records stay */
	RECORD_KIND_COUNT
};

struct record_redaction {
	const char *rule;
	uint64_t count;
};

/* What came out of a stream: after redaction, before and after the cut. */
struct record_output {
	bool set;
	uint64_t bytes; /* seen */
	bool truncated;
	struct hash sha256; /* of what was handed on */
};

/* Strings may be NULL, pointers may be NULL: the field is left out.  Bytes that are no UTF-8 are
 * written as \xNN. */
struct record {
	enum record_kind kind;
	uint64_t time_ms; /* since 1970; 0: now */
	const char *id;   /* of the call */
	const char *client;
	bool has_uid;
	uint32_t uid;
	const char *session;
	const char *action; /* what was done in it */
	const char *tool;
	/* Arguments as JSON text, redacted already.  Their hash is always written; the text only
	 * where args_inline says so and the line has room. */
	const char *args;
	size_t args_len;
	bool args_inline;
	const char *decision; /* allow, ask, deny */
	const char *layer;    /* struct why: who refused, */
	const char *rule;     /* by which rule, */
	const char *reason;   /* and why in words */
	const struct hash *policy;
	const struct limits *limits;
	const struct layer_report *layers; /* LAYER_COUNT of them */
	const char *backend;
	const char *status;
	const char *cause; /* kill_reason_name() */
	bool has_exit_code;
	int exit_code;
	int signal;                    /* 0: none */
	const struct outcome *outcome; /* times and usage are taken from here */
	const char *start;             /* start_how_name() of a program; NULL: none ran */
	const struct record_redaction *redactions;
	size_t n_redactions;
	struct record_output out, err;
	const struct artifact *artifacts; /* their number, and a hash over their list */
	size_t n_artifacts;
	bool canary;         /* a planted secret came out */
	const char *version; /* of belljar */
	const char *detail;  /* free words */
};

const char *record_kind_name(enum record_kind kind);

/* How something ended that ran; a must live as long as r. */
void record_take_end(struct record *r, const struct account *a);
/* One line without its newline into out, which is emptied first. */
int record_write(const struct record *r, struct buf *out, struct error *err);
/* "2026-01-31T23:59:59.999Z" */
void record_time(uint64_t ms, char ret_text[static RECORD_TIME]);

/* Text as it stands in the line between its quotes; data NULL: the field is not there. */
struct record_text {
	const char *data;
	size_t len;
};

/* What readers ask for most; everything points into the line. */
struct record_view {
	enum record_kind kind;
	uint64_t time_ms;
	struct record_text id, client, session, action, tool, decision, layer, rule, reason, start,
		status, cause, backend, args, args_sha256, policy_sha256, detail;
	struct record_text limits, layers, usage, redactions, artifacts, out,
		err; /* with brackets */
	bool has_uid;
	uint64_t uid;
	bool has_exit_code;
	int64_t exit_code;
	uint64_t setup_us, run_us;
};

/* Is it a record, whole and as record_write() writes them?  err says at which byte it is not. */
int record_read(const char *line, size_t len, struct record_view *ret, struct error *err);
/* Undoes the escapes.  Returns the length, NUL-terminated; at most t.len + 1 bytes are written,
 * room decides. */
size_t record_text_get(struct record_text t, char *ret, size_t room);

#endif
