/* SPDX-License-Identifier: Apache-2.0 */
/* keepanswer.h - what a keeper says back: an answer's body, or a problem (RFC 9457). */
#ifndef KEEPER_KEEPANSWER_H
#define KEEPER_KEEPANSWER_H

#include "api/apitable.h"
#include "base/jsonout.h"
#include "keeper/keeper.h"

/* The answer to r: body is JSON.  reply may carry facts, id and more; the rest is filled in. */
void answer_json(struct keeper *k, const struct keep_request *r, struct keep_reply *reply,
		 const struct buf *body);
/* An answer that is one JSON object, whose members are written into j between the two calls:
 * own(answering) a; */
struct answering {
	struct buf out;
	struct jsonout j;
	struct error err;
};
void answering_begin(struct answering *a, size_t most);
/* Whatever became of it, r is answered. */
void answering_send(struct answering *a, struct keeper *k, const struct keep_request *r,
		    struct keep_reply *reply);
void answering_end(struct answering *a);
/* These records are in the log: the next answer, whichever it is, tells the front. */
void answer_counts(struct keeper *k, const struct passage *p);
/* A problem: code is the last part of its type, details may be NULL. */
void answer_problem(struct keeper *k, const struct keep_request *r, unsigned status,
		    const char *code, const char *detail, const struct api_problems *problems);
/* The body as JSON and as the object that it must be; else it was answered.  The caller decrefs. */
json_t *answer_body(struct keeper *k, const struct keep_request *r, const struct buf *body,
		    const char *object);
/* The signal that the body names, or else the head.  False: it was answered. */
bool answer_signal(struct keeper *k, const struct keep_request *r, const struct buf *body,
		   uint64_t *ret);

#endif
