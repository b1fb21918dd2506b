/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h - the path of a tool call, from what was asked to what is answered.
 *
 * It knows every stage; no stage knows another or the gate.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "audit/announce.h"
#include "call/call.h"
#include "policy/judge.h"
#include "policy/meter.h"
#include "redact/redact.h"
#include "sandbox/capture.h"
#include "sandbox/sandbox.h"
#include "screen/screen.h"
#include "screen/shell.h"

/* A policy with everything checked that needs more than one stage: names of screening rules and
 * constructs, programs that are interpreters, and the tests in the file.  NULL: complaints. */
struct policy *gate_load(const char *file, struct complaints *ret);
/* The same without running its tests: for policy test, which shows each. */
struct policy *gate_check(const char *file, struct complaints *ret);
/* Each test in the file that does not come out as expected is a complaint; ret_n: how many ran. */
void gate_test_one(const struct policy *p, const struct tool *t, size_t i, struct complaints *ret);
void gate_test(const struct policy *p, size_t *ret_n, struct complaints *ret);

/* Text as it may be written down; the caller frees it.  NULL: err, and nothing is written. */
struct cleaner {
	char *(*clean)(void *context, const char *text, size_t len, size_t *ret_len,
		       struct error *err);
	void *context;
};

/* With what the owner's rules of redaction are compiled; each may be NULL. */
struct redact_means {
	const char *patterns; /* the program belljar-patterns */
	const char *cache;    /* a directory */
};

/* Can the rules of redaction be compiled that the policy has?  What cannot is a complaint. */
void gate_check_redaction(const struct policy *p, const struct redact_means *means,
			  struct complaints *ret);
/* Can every secret be read, by whoever asks? */
void gate_check_secrets(const struct policy *p, struct complaints *ret);

enum redaction_state { REDACTION_UNMADE = 0, REDACTION_READY, REDACTION_FAILED };

struct redaction;

struct redaction_stream {
	const struct redaction *of;
	struct redactor *redactor;
	filter_sink *sink; /* of now */
	void *to;
};

/* What keeps secrets out of one call's output and records. */
struct redaction {
	enum redaction_state state;
	bool borrowed;          /* set and secrets are somebody else's (toolkit.h) */
	struct redact_set *set; /* NULL: the tool's redaction is off */
	char **secrets;         /* the tool's, in its order */
	size_t n_secrets;
	struct redaction_stream out, err;
};

/* How often something was replaced in its output, by rule; returns how many there are in ret. */
size_t redaction_counts(const struct redaction *r, struct redact_count *ret, size_t room);

struct slots;   /* gate/slots.h */
struct toolkit; /* gate/toolkit.h */
struct jsonout; /* base/jsonout.h */

/* What the caller wants of this one call beside its arguments.  The policy allows it or does not;
 * limits can only become narrower. */
struct wishes {
	uint32_t limits_set; /* one bit per row of call/limits.c */
	struct limits limits;
	const struct put *files; /* bytes for /work; no path of the host */
	size_t n_files;
	const char *const *artifacts; /* patterns beneath /work */
	size_t n_artifacts;
	const struct variable *env;
	size_t n_env;
	int input_fd; /* read until its end, behind the call's stdin; -1: none */
};

/* Records on their way to the log: the policy, unless the scribe has it, and the call's first. */
struct announcement {
	struct buf lines[2];
	struct audit_entry entries[2];
	size_t n;
	bool posted; /* composed, perhaps sent; nobody has waited for the receipt yet */
	bool later;  /* whoever starts the program waits for it (step_await) */
};

/* What is done.  Each is judged, metered and written down; gate/actions.c has a row for it. */
enum action {
	ACTION_CALL = 0, /* a tool is called once */
	ACTION_OPEN,     /* a session begins: a box that is kept */
	ACTION_EXEC,     /* a program in it */
	ACTION_CODE,     /* a snippet for its interpreter */
	ACTION_INPUT,    /* for the standard input of a program in it */
	ACTION_SIGNAL,   /* for a program in it */
	ACTION_PUT,      /* files: in, */
	ACTION_GET,      /* out, */
	ACTION_STAT,
	ACTION_LIST,
	ACTION_REMOVE,
	ACTION_PROCESSES,
	ACTION_EXTEND,
	ACTION_FORK, /* may it be copied?  The copy is opened, and counted, by itself */
	ACTION_CLOSE,
	ACTION_COUNT
};

/* NULL for ACTION_CALL: a record says nothing of it. */
const char *action_name(enum action a);
/* false: it takes something away only, and costs nothing. */
bool action_is_metered(enum action a);

/* One call on its way.  All zeros denies. */
struct passage {
	const struct policy *policy;
	struct audit *audit;    /* NULL: it cannot be written down, so nothing runs */
	struct cleaner cleaner; /* for what is written down; no function: by its redaction */
	struct redact_means means;
	struct redaction redaction;
	struct meter *meter; /* NULL: rates are not asked (tests in the file) */
	/* What is charged instead of what its account says: in a session, all that was used and
	 * not charged yet. */
	bool has_bill;
	uint64_t bill_us;
	struct tool_call call;
	enum action action;
	const char *session; /* the id of the one that it is done in; NULL: none */
	/* One more piece of its answer, written into the open object; NULL: none. */
	void (*more)(const void *context, struct jsonout *j);
	const void *more_context;
	bool bare;                      /* it has no arguments of the tool's own to be judged */
	const char *unread;             /* why what came is no call; NULL: it is one */
	bool dry_run;                   /* judge and screen, charge nothing, run nothing */
	const char *helper;             /* the belljar that keeps the slot */
	struct slot **early;            /* one that was begun for this call; taken if it suits */
	struct slots *slots;            /* slots that stay between calls; NULL: one for this call */
	struct toolkit *toolkit;        /* what stays of tools; NULL: all is made for this call */
	struct wishes wishes;           /* */
	struct limits limits;           /* in force: the tool's, narrowed by the wishes */
	bool wished;                    /* that has been looked at */
	bool from_afar;                 /* the caller has no uid here */
	struct live live_out, live_err; /* output goes there as it comes */
	int cancel_fd;                  /* readable: kill the call; -1: nobody cancels */
	struct aside aside;             /* listened to while it runs */
	/* The log says that it begins, and it is about to.  NULL: nobody wants to know. */
	void (*begun)(struct passage *p, void *context);
	void *begun_context;
	bool begun_told;
	uint32_t hush_ms; /* for so long nobody wants to hear what it prints */
	char id[40];
	struct judged judged;
	struct findings findings;
	bool shell; /* the command needs one: it goes into the wall besides the tool's programs */
	struct remaining left;
	uint64_t ticket;
	bool admitted; /* the ticket is to be given back */
	struct announcement announcement;
	bool announced;                                /* the log says that it began */
	struct audit_receipt receipt_started, receipt; /* of its beginning; of its end */
	enum decision decision;                        /* of all stages together */
	struct why why;
	const char *ended_by; /* the stage that refused; NULL: none */
	bool ran;             /* account says what happened */
	struct account account;
	/* For the operator, not for the answer: it may name paths of the host. */
	struct error trouble;
	struct errand *errand; /* what is left of the run; NULL: nothing is */
};

void passage_init(struct passage *p);
void passage_done(struct passage *p);
void passage_end(struct passage *p); /* for own(passage) */
/* The same by a process that ends with it: only what runs elsewhere for it is ended. */
void passage_leave(struct passage *p);
/* Walks the way in and, whatever happened there, the way out. */
void gate_pass(struct passage *p);
/* The same in two halves, for what runs elsewhere meanwhile.  true: it may run, and the log says
 * that it begins.  Either way gate_leave() must follow; if it ran, with p->account filled in. */
bool gate_enter(struct passage *p);
void gate_leave(struct passage *p);
/* A slot for the calls of a tool is made ahead of them, as far as it does not depend on what they
 * will say.  language: of their code; NULL: they are none.  kept: for a session with these limits;
 * NULL: for calls. */
int gate_prepare(const struct policy *p, const struct tool *t, const char *language,
		 const struct limits *kept, struct slots *slots, struct error *err);
/* A ceiling for what passage_json() writes. */
size_t passage_json_room(const struct passage *p);
void findings_json(const struct findings *f, struct jsonout *j, const char *key);
void receipt_json(const struct audit_receipt *r, struct jsonout *j, const char *key);
/* What an answer has besides the account, into an object that is open. */
void passage_write(const struct passage *p, struct jsonout *j);
/* The documented answer (belljar-call(1), ANSWER): an account with more beside it. */
int passage_json(const struct passage *p, struct buf *out, struct error *err);

#endif
