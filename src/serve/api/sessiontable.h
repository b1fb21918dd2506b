/* SPDX-License-Identifier: Apache-2.0 */
/* sessiontable.h - sessions by their ids: whose each is, and which keeper has it. */
#ifndef SERVE_API_SESSIONTABLE_H
#define SERVE_API_SESSIONTABLE_H

#include <stdint.h>

#include "keeper/keeptalk.h"
#include "serve/api/links.h"
#include "serve/api/party.h"

enum {
	SESSION_BUCKETS = 256,
	SESSION_GONE_MAX = 1024, /* that are remembered as gone */
	SESSION_GONE_S = 600,    /* and for how long */
};

enum session_state { SESSION_GONE = 0, SESSION_OPENING, SESSION_OPEN, SESSION_CLOSING };

struct keeper;

struct session {
	struct links bucket; /* by id */
	struct links order;  /* of the table's live or gone ones */
	char id[KEEP_ID_ROOM];
	char tool[KEEP_NAME_ROOM];
	char why[200]; /* gone: the reason */
	enum session_state state;
	struct party *party; /* NULL once gone */
	char owner[KEEP_NAME_ROOM];
	struct keeper *keeper; /* NULL: none yet, or none any more */
	uint64_t opened_unix_ms, gone_us;
};

struct sessiontable {
	struct links buckets[SESSION_BUCKETS];
	struct links live, gone;
	size_t n_live, n_gone;
	size_t most; /* live */
};

void sessiontable_init(struct sessiontable *t);
void sessiontable_done(struct sessiontable *t);
/* May this party have one more?  Where there are others, one cannot have the last quarter. */
bool sessiontable_room(const struct sessiontable *t, const struct party *p, bool others);
/* A session that is being opened; NULL: no memory. */
struct session *sessiontable_add(struct sessiontable *t, struct party *p);
struct session *sessiontable_find(struct sessiontable *t, const char *id);
/* It is remembered with its reason, for a while. */
void sessiontable_end(struct sessiontable *t, struct session *s, const char *why);
/* As if it had never been. */
void sessiontable_remove(struct sessiontable *t, struct session *s);
void sessiontable_sweep(struct sessiontable *t, uint64_t now_us);
const char *session_state_name(enum session_state s);

#endif
