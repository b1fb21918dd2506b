/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.h - the process that serves one call at a time, or one session for its life.
 *
 * It holds what judges (policy, rates, rules of redaction) and no right of its
 * own: boxes come from the warden, records go to the scribe, and whoever asks
 * was recognised by the front.
 */
#ifndef KEEPER_KEEPER_H
#define KEEPER_KEEPER_H

#include "gate/gate.h"
#include "gate/slots.h"
#include "gate/toolkit.h"
#include "keeper/imprint.h"
#include "keeper/keeptalk.h"

struct keeper_options {
	int front, warden;
	const char *policy, *expect_sha256;
	const char *state, *audit;
	const char *helper;      /* instead of a warden: belljar, which is started for a slot */
	bool session;            /* it will have a session, and serve no call */
	struct toolkit *toolkit; /* that is open and warm: its own from now on.  NULL: none is */
	bool warm_node;          /* node may wait for calls here */
	int template;            /* that its session's Python becomes; -1: none */
	const struct imprint *imprint; /* NULL: none */
	bool makes_template;           /* instead of serving anybody; goes to front */
};

struct keeper {
	int front;
	int stream;            /* came with the request that is served; -1: none */
	struct policy *policy; /* borrowed */
	struct redact_means means;
	struct meter *meter;
	struct audit audit;
	bool has_audit; /* false: the policy wants no log, or it cannot be opened */
	struct toolkit toolkit;
	int template;                  /* -1: none */
	const struct imprint *imprint; /* what it was born with; NULL: that is not known */
	bool for_session;              /* it waits for a session to be opened */
	bool has_slot;                 /* one was made ahead of the first call */
	uint64_t records, last_index;  /* in the log, and the front has not been told */
	bool over;                     /* the front is gone: nobody is left to serve */
	bool wardenless;               /* the warden is gone, or never took us: no box, no use */
	struct slots slots;            /* large, and last: most of it is never touched */
};

/* k: zeros.  0: everything is there.  -1: it cannot serve. */
int keeper_open(struct keeper *k, const struct keeper_options *o, struct policy *policy,
		const struct redact_means *means, struct error *err);
void keeper_close(struct keeper *k);
/* Gives up what serving calls does not need, for good. */
int keeper_seal(const struct keeper *k, struct error *err);
/* Until the front is gone. */
void keeper_serve(struct keeper *k);

/* The first tool that takes code, and if it is for a session, in one. */
const struct tool *keeper_likely_tool(const struct keeper *k);

/* A line for the operator. */
void keeper_say(const struct keeper *k, const struct error *err);
/* What went wrong on the way of a call, if something did; without its secrets. */
void keeper_say_trouble(const struct keeper *k, struct passage *p);

/* What one request asks for; body is what came with it. */
void obey_call(struct keeper *k, const struct keep_request *r, const struct buf *body);
/* A session, until its end. */
void obey_open(struct keeper *k, const struct keep_request *r, const struct buf *body);
/* What the box of a session of this tool may use if nobody asks for less. */
void session_standard_limits(const struct tool *tool, struct limits *ret);
void obey_screen(struct keeper *k, const struct keep_request *r, const struct buf *body);
void obey_tools(struct keeper *k, const struct keep_request *r, const struct buf *body);

#endif
