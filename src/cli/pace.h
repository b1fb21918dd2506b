/* SPDX-License-Identifier: Apache-2.0 */
/* pace.h - when a slot gets ready for its next call: as calls have come so far. */
#ifndef CLI_PACE_H
#define CLI_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/talk.h"

enum {
	PACE_TIDY_US = 700,          /* after an answer, for whoever it is on its way through */
	PACE_BUSY_US = TALK_BUSY_US, /* who asks so soon after an answer will do so again */
};

/* All zeros: nothing was asked yet. */
struct pace {
	uint64_t answered_us; /* when a call ended last */
	uint64_t tidy_us;     /* when to get ready for the next one; 0: that is done */
	bool busy;            /* the last one came soon after the one before */
};

/* Somebody asks for something. */
void pace_asked(struct pace *p, uint64_t now_us);
/* A call was answered, and there will be another. */
void pace_answered(struct pace *p, uint64_t now_us);
/* Is it time to get ready?  Says so once. */
bool pace_is_due(struct pace *p, uint64_t now_us);
/* Until it may be time; -1: there is nothing to do. */
int pace_wait_ms(const struct pace *p, uint64_t now_us);

#endif
