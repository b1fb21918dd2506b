/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - what a running program uses, and which limit it passes. */
#ifndef NATIVE_WATCH_H
#define NATIVE_WATCH_H

#include <sys/resource.h>

#include "base/error.h"
#include "call/call.h"
#include "sandbox/native/cgroup.h"

struct watch {
	struct cgroup group;
	bool group_open;
	struct limits limits;
	uint64_t start_us;
	uint64_t next_us;            /* when to look again */
	uint64_t cpu_us;             /* of the last look */
	bool kept;                   /* it may sleep for long */
	uint64_t idle_us;            /* nothing has run since that look, for so long; 0: it has */
	enum kill_reason killed_for; /* the first limit it passed */
	struct usage seen;           /* peaks of what is sampled */
	uint64_t disk_now;           /* bytes in the box's files */
	uint64_t disk_at_start;      /* and before it ran: not charged to its group */
	bool files_noted;            /* disk_at_start is known */
	uint64_t memory_now;
	pid_t family; /* without a memory group: the descendants of this one are looked at */
	uint64_t family_cost_us; /* what the last such look took */
	struct cgroup next;      /* of the next box, made while nobody waits */
	bool next_open;
	struct limits next_limits;
	uint64_t cpu_before_us; /* used in the groups before the call */
	unsigned serial;
	bool counted; /* the outcome has the final counters */
	uint64_t oom_kills;
};

void watch_init(struct watch *w);
/* waited: its process is in the groups already, and what it used is not the call's. */
int watch_open(struct watch *w, const struct cgroup_slot *slot, const struct limits *limits,
	       bool waited, struct error *err);
/* Those that were prepared get these limits instead, if they can. */
void watch_relimit(struct watch *w, const struct limits *limits);
/* Between boxes: the groups of the last one become those of the next, or are removed and others
 * made.  Nothing fails here that watch_open does not try again. */
void watch_prepare(struct watch *w, const struct cgroup_slot *slot, const struct limits *limits);
/* And gets what will be read at their end, where nobody may have time before that. */
void watch_ready_next(struct watch *w);
/* The groups of the next call go if who waited for it there was killed for memory: the call would
 * be taken for it. */
void watch_drop_spoiled(struct watch *w);
void watch_close(struct watch *w);

/* Before it runs: what its box holds already.  Else watch_begin looks. */
void watch_note_files(struct watch *w, int work);
/* It runs since start_us. */
void watch_begin(struct watch *w, int work);
/* Gets what watch_finish will need: to be called once while nobody waits. */
void watch_ready(struct watch *w);
/* The same for a box that is kept: what is looked at all the time, and no more.  A counter that is
 * open holds a page of the kernel's. */
void watch_ready_kept(struct watch *w);
/* Looks at counters and clocks; returns the limit that was passed, if any. */
enum kill_reason watch_look(struct watch *w, uint64_t now_us, int work);
/* What wait told about the program and its children. */
void watch_rusage(struct watch *w, const struct rusage *r, struct outcome *o);
/* The program has ended, and wait has told about it.  If the kernel says that it was the last in
 * its groups, their counters are final: reads them and removes the groups.  Else does nothing. */
void watch_settle(struct watch *w, int work, struct outcome *o);
/* The same without doing anything: is nobody left in its groups? */
bool watch_is_last(const struct watch *w);
/* A program of several in its box has ended by a signal that was not ours: what it died of. */
enum kill_reason watch_cause(const struct watch *w, uint64_t cpu_ms, const struct outcome *o);
/* Has the kernel killed one for memory? */
bool watch_oom(const struct watch *w);
/* Adds what is known by now; the program goes on. */
void watch_now(struct watch *w, int work, struct usage *u);
/* Bytes that it may take from now on before it is killed for memory, by the kernel or by us. */
uint64_t watch_room(struct watch *w, int work);
/* Everything is dead: final counters, cause of death.  The groups stay until somebody has time. */
void watch_finish(struct watch *w, int work, struct outcome *o);

#endif
