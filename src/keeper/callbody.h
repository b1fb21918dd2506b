/* SPDX-License-Identifier: Apache-2.0 */
/* callbody.h - the body of a call: arguments and wishes. */
#ifndef KEEPER_CALLBODY_H
#define KEEPER_CALLBODY_H

#include <jansson.h>

#include "api/apitable.h"
#include "base/arena.h"
#include "gate/gate.h"
#include "keeper/keeptalk.h"

struct callbody {
	json_t *value;     /* what came; texts below are in it */
	const char *tool;  /* */
	json_t *arguments; /* with code, language and stdin put where they belong */
	bool stdin_open, detach;
	struct wishes wishes;
	struct arena arena;
};

void callbody_done(struct callbody *b);
void callbody_end(struct callbody *b); /* for own(callbody) */
/* value was checked by the rows; it is the callbody's from now on.  -1: problem says what is wrong
 * beyond that. */
int callbody_read(struct callbody *b, json_t *value, const struct keep_request *r,
		  struct api_problems *problems, struct error *err);
/* limits, which were checked by the rows, as an object of the body has them. */
void callbody_limits(const json_t *limits, uint32_t *ret_set, struct limits *ret);

#endif
