/* SPDX-License-Identifier: Apache-2.0 */
/* opencalls.h - calls that began and have not ended, and whose they are. */
#ifndef SCRIBE_OPENCALLS_H
#define SCRIBE_OPENCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/scribetalk.h"

enum { OPEN_CALLS_MAX = 4096, OWNER_NONE = 0 };

struct open_call {
	char id[SCRIBE_KEY_ROOM];
	uint64_t owner; /* the connection; OWNER_NONE: it is gone, and the call is to be aborted */
	uint64_t index; /* of its record */
};

struct open_calls {
	struct open_call list[OPEN_CALLS_MAX];
	size_t n;
	size_t n_orphans; /* with OWNER_NONE */
};

/* false: there are too many. */
bool open_calls_add(struct open_calls *o, const char *id, uint64_t owner, uint64_t index);
/* The newest of that name; false: there is none. */
bool open_calls_remove(struct open_calls *o, const char *id);
bool open_calls_has(const struct open_calls *o, const char *id);
/* Its calls have nobody now. */
void open_calls_orphan(struct open_calls *o, uint64_t owner);
/* The index of the oldest; none if there is no call. */
uint64_t open_calls_since(const struct open_calls *o, uint64_t none);

#endif
