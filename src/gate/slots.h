/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - a slot that stays between calls, for as long as its profile is asked for. */
#ifndef GATE_SLOTS_H
#define GATE_SLOTS_H

#include <errno.h>

#include "base/buf.h"
#include "lib/remote.h"

/* So many profiles are remembered: the warden allows one more, for the one that is going. */
enum { SLOTS_KEPT = 5 };
/* The errno of an error of kind ERR_CONFIG: the warden's ceiling has no room for such a slot. */
enum { SLOTS_ABOVE = ESTALE };

/* Serves one call, and so one client, after another. */
struct one_slot {
	struct remote remote;
	bool used;                     /* it has served a call, or is a session's */
	bool session;                  /* made for a box that is kept, and for nothing else */
	uint64_t turn;                 /* when it was asked for last */
	struct buf key;                /* the profile it was made for, as text; empty: none */
	uint64_t interpreters, forked; /* as its last call told */
};

struct slots {
	int warden;         /* who makes them; -1: a helper of our own does */
	const char *helper; /* belljar; NULL: none is started here */
	bool warm_node;     /* node may wait for calls here: it takes much memory */
	bool template;      /* Pythons of sessions begin as a template */
	uint64_t turns;
	uint64_t interpreters, forked; /* of all of them, since somebody took these to be told */
	size_t n;                      /* of the list */
	struct one_slot list[SLOTS_KEPT];
};

/* most: so many at once, up to SLOTS_KEPT; a session needs one. */
void slots_init(struct slots *s, int warden, const char *helper, size_t most);
void slots_done(struct slots *s);
/* One with this profile, idle and alive: the one that is there, or a new one.  It stays ours.
 * fresh: never one that served a call before. */
struct remote *slots_get(struct slots *s, const struct profile *profile,
			 const struct limits *limits, bool fresh, struct error *err);
/* One that never served a call and will serve no other, for a box that is kept: the one that was
 * prepared for that, or a new one. */
struct remote *slots_keep(struct slots *s, const struct profile *profile,
			  const struct limits *limits, struct error *err);
/* The one that waits for a session, whatever its profile; NULL: none.  It is used now. */
struct remote *slots_prepared(struct slots *s);
/* How a call came to be, of the slot that it was in. */
void slots_saw(struct slots *s, const struct remote *remote, const struct start *start);
/* Makes it ready ahead of a call, or of a session, if it is not there. */
int slots_prepare(struct slots *s, const struct profile *profile, const struct limits *limits,
		  bool session, struct error *err);

#endif
