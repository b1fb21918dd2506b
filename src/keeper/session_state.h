/* SPDX-License-Identifier: Apache-2.0 */
/* session_state.h - a box that is kept: what runs in it, and what is known of it.
 *
 * Everything that is asked of a session becomes a struct doing: it passes the
 * policy, is written down before and after, and is answered once.  What takes
 * time (a program, a snippet) stays open between the two halves of its path
 * while the loop serves others.
 */
#ifndef KEEPER_SESSION_STATE_H
#define KEEPER_SESSION_STATE_H

#include "base/beside.h"
#include "keeper/keepanswer.h"
#include "keeper/callbody.h"
#include "keeper/inflow.h"
#include "keeper/snippetend.h"
#include "lib/kept.h"

enum {
	SESSION_RUNS_MAX =
		16,          /* programs at once; the slot takes more, the interpreters are extra */
	SESSION_DRIVERS = 3, /* one per language */
	DRIVER_SEND_MAX = 20 << 20,
	SESSION_FDS_MAX = 2 + 3 * SESSION_RUNS_MAX + 3 * SESSION_DRIVERS,
};

struct session;

/* One thing that was asked for, from its request to its answer. */
struct doing {
	struct session *session;
	struct keep_request request;
	struct callbody body;
	json_t *args; /* as they are judged and written down; NULL: the body's */
	struct passage passage;
	uint64_t since_us;
	uint64_t told[2]; /* bytes of stdout and stderr that the front has */
	bool runs;        /* it was handed over to whoever runs it ... */
	bool begun;       /* ... and the front knows that */
	/* Of a snippet. */
	bool is_snippet;
	uint64_t snippet;
	char *result; /* cleaned; NULL: none */
	bool state_lost;
};

/* A program that was asked for. */
struct run {
	struct doing *doing;
	uint64_t exec;
	uint64_t began_us;
	struct capture out, err;
	struct inflow in;
	bool killed; /* its end was asked for already */
};

struct forking;

/* An interpreter with its state, and the snippet that it runs now. */
struct driver {
	const struct language *language;
	uint64_t exec; /* 0: none lives */
	int channel;
	struct capture out, err;
	struct layer_report layers[LAYER_COUNT];
	bool woken; /* it was started to become the template, and has not said that it could not */
	struct start start;
	uint64_t snippets;
	bool lost_untold; /* its state went away, and nobody was told yet */
	struct buf send, heard;
	size_t sent;
	/* The snippet. */
	struct doing *doing; /* NULL: it waits for one */
	char nonce[SNIPPET_NONCE];
	char next[SNIPPET_NONCE]; /* drawn ahead, if it has one */
	bool has_next;
	uint64_t began_us, until_us, kill_us, look_us; /* 0: no such time */
	uint64_t cpu_before_us;
	enum kill_reason ending; /* it was interrupted for this */
	uint64_t again_us;       /* when it is interrupted once more */
	bool stirred;            /* it knew that this snippet would come */
	bool ready, killed, garbled;
	bool out_empty, err_empty; /* nothing was in its pipes after it had said something */
	struct forking *forking;   /* it is being copied; NULL: not */
};

enum session_end {
	SESSION_OPEN = 0,
	SESSION_CLOSED, /* somebody asked for it */
	SESSION_TTL,
	SESSION_IDLE,
	SESSION_BUDGET, /* it worked on when its client had no processor time left */
	SESSION_BOX,    /* its box died: outcome says of what */
	SESSION_LOST,   /* its slot is gone */
	SESSION_LEFT,   /* the front is gone */
	SESSION_END_COUNT
};

struct session {
	struct keeper *k;
	struct kept kept;
	char id[KEEP_ID_ROOM];
	char client[KEEP_NAME_ROOM];
	char forked_from[KEEP_ID_ROOM]; /* empty: from none */
	uint32_t has_uid, uid;
	const struct tool *tool;
	struct callbody opening; /* its variables live here */
	struct redaction
		redaction;    /* what its programs were given, whatever the files say by now */
	struct limits limits; /* wall, cpu and output: of each thing that runs; else of the box */
	const char *language; /* of snippets that name none; NULL: they must */
	uint64_t opened_ms, opened_us, ends_us;
	uint64_t idle_ms, active_us;
	uint64_t billed_us; /* of the processor time of its box */
	uint64_t bill_us;   /* when it is looked at next, between calls */
	uint64_t over_us;   /* billed when that budget was first seen used up; 0: it is not */
	const struct client *payer; /* whose budget that is; NULL: nobody's */
	struct usage peaks;         /* of its box, as they were asked for last ... */
	uint64_t peaks_us;          /* ... when; 0: never */
	uint64_t unasked_us;        /* for which snippets have run since */
	char template_failed[80];   /* empty: it is not known that it would */
	bool for_template;          /* nobody's: its interpreter will be what others begin as */
	struct beside beside;
	uint64_t stirred_us; /* when its interpreters were told that a snippet may come; 0: not */
	bool rests;          /* what it needs only when it is asked for something was given back */
	struct driver drivers[SESSION_DRIVERS];
	struct run *runs[SESSION_RUNS_MAX];
	enum session_end end;
	struct outcome box; /* how it ended, and what it used */
	bool finished;
	/* A snippet that came while its interpreter was still being written: the copy may be there
	 * before that is known here. */
	bool has_later;
	struct keep_request later;
	struct buf later_body;
};

const char *session_end_name(enum session_end e);

/* session_doing.c: the two halves of everything that is asked. */
struct doing *doing_new(struct session *s, const struct keep_request *r, enum action action);
void doing_free(struct doing *d);
/* true: it may be done, and the log says so.  Else the rest is done, too: it was answered. */
bool doing_enter(struct doing *d);
/* The second half: the record, the answer; d is gone afterwards. */
void doing_finish(struct doing *d, const struct outcome *o);
/* ... of what could not be started. */
void doing_fail(struct doing *d, const struct error *err);
/* ... of what runs no program: 0 is done, -1 failed because of err. */
void doing_record(struct doing *d, int result, const struct error *err);
/* The front is told that it runs, once. */
void doing_begun(struct doing *d);
/* ... and that it will be answered in a moment. */
void doing_nears_end(struct doing *d);
/* The limits and variables of this one, within the session's; false: it was answered. */
bool doing_narrow(struct doing *d);
/* What its box has used since the last bill is charged with this: also by processes that no call
 * waits for.  all_us 0: nobody counts for the box as a whole, and its own account is charged. */
void doing_bill(struct doing *d, uint64_t all_us);
/* Text as it may be told; never NULL but for want of memory. */
char *doing_clean(struct doing *d, const char *text, size_t len);

/* session_bill.c: c is the client whose session this is. */
void session_bill_begin(struct session *s, const struct client *c);
/* When it is due again; 0: never.  busy: somebody waits for what runs in it.  It may end it. */
uint64_t session_bill(struct session *s, uint64_t now_us, bool busy);

/* session_exec.c */
void obey_exec(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_input(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_signal(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_cancel(struct session *s, const struct keep_request *r, const struct buf *body);
/* true: exec was one of these. */
bool run_ended(struct session *s, const struct kept_end *end);
void run_free(struct run **r);
/* Takes what is in the pipe now and no more: somebody may be writing on for ever. */
void capture_rest(struct capture *c);
/* More than a program may print: it is killed for it. */
bool output_floods(const struct doing *d);
void doing_hear_out(void *context, const char *data, size_t len);
void doing_hear_err(void *context, const char *data, size_t len);

/* session_rest.c: nobody asks for anything. */
void session_rest(struct session *s);

/* session_code.c */
void driver_ahead(struct session *s, struct doing *opening);
/* Room that it will need only for its next snippet is given back. */
void driver_rest(struct session *s, struct driver *d);
void obey_code(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_stir(struct session *s, const struct keep_request *r, const struct buf *body);
void drivers_init(struct session *s);
void drivers_done(struct session *s);
bool driver_ended(struct session *s, const struct kept_end *end);
void driver_heard(struct session *s, struct driver *d);
void driver_send(struct session *s, struct driver *d);
/* What is due now; returns when the next thing is (0: nothing). */
uint64_t driver_tick(struct session *s, struct driver *d, uint64_t now);
void driver_interrupt(struct session *s, struct driver *d, enum kill_reason reason);
/* Its snippet ends like this; the driver is gone or will be. */
void driver_abandon(struct session *s, struct driver *d, const struct outcome *o);

/* session_driver.c */
bool driver_is_cheap(const struct session *s, const struct driver *d);
/* What it is started as. */
int driver_job(struct session *s, struct driver *d, struct passage *p, char ***ret_argv,
	       char ***ret_env, struct error *err);
/* From now on what it writes is this snippet's. */
void driver_attach(struct driver *d, struct doing *doing);
/* It died on its way to the template: another one is started without.  False: it did not. */
bool driver_begins_anew(struct session *s, struct driver *d);
/* Nobody asks it for anything: it may give memory back, if it has the room to put away the rest. */
void driver_tell_rest(struct session *s, struct driver *d);
int driver_start(struct session *s, struct driver *d, struct passage *p, struct error *err);
/* A snippet came that may be its: it comes to while that is judged and written down. */
void driver_stir(struct driver *d);
/* Does anything run, or is being copied? */
bool session_is_busy(const struct session *s);
/* A snippet is here.  alone: nobody else wants the processors. */
void session_stir(struct session *s, bool alone);
int driver_nonce(struct driver *d, struct error *err);
struct driver *driver_of(struct session *s, const char *language);
/* What it said makes no sense: it goes. */
void driver_garble(struct session *s, struct driver *d);
/* Is its first word there? */
bool driver_take_ready(struct driver *d);

/* session_fork.c: an interpreter is copied. */
void obey_fork(struct session *s, const struct keep_request *r, const struct buf *body);
void fork_heard(struct session *s, struct driver *d);
/* True: it was kept, until the interpreter has nothing to do with its copy any more. */
/* One that waits for the end of a copy is not wanted any more; false: there is no such. */
bool fork_forgets(struct session *s, uint64_t serial);
bool fork_defers(struct session *s, const struct keep_request *r, const struct buf *body);
/* What was kept is obeyed, if that is so. */
void fork_resume(struct session *s);
/* Returns when it will have taken too long. */
uint64_t fork_tick(struct session *s, struct driver *d, uint64_t now);
/* It cannot be any more; answered.  Safe if nothing is copied. */
void fork_drop(struct driver *d, const char *why);

/* session_copy.c: a session begins as a copy: what comes out of stream becomes its interpreter. */
int session_copy(struct session *s, struct doing *d, int stream, uint64_t snippets,
		 struct error *err);
/* What an interpreter needs for that, the end of a pipe, and what it may have in common with others
 * (-1: nothing), over its channel. */
int copy_give(int channel, int stream, int template, struct error *err);
/* Nobody wrote it for this machine yet. */
bool copy_is_known(void);

/* session_files.c, session_look.c */
void obey_put(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_get(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_stat(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_list(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_remove(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_processes(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_describe(struct session *s, const struct keep_request *r, const struct buf *body);
void obey_extend(struct session *s, const struct keep_request *r, const struct buf *body);
/* The session as JSON, into an object that is open. */
void session_write(struct session *s, struct jsonout *j);

/* session_open.c: how long one of this tool lives at most; a box lives for a day at most. */
uint64_t session_ttl_ms(const struct tool *tool);

/* session_end.c */
void obey_close(struct session *s, const struct keep_request *r, const struct buf *body);
/* Everything in it dies, is answered and written down; whoever did not ask is told. */
void session_finish(struct session *s);

/* session_peaks.c: what its box has had at most, after a snippet that ran for ran_us. */
void session_peaks(struct session *s, uint64_t ran_us, struct usage *u);

/* session_loop.c: until the session is over. */
void session_loop(struct session *s);

#endif
