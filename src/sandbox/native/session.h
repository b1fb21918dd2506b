/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - a slot whose box is kept: programs side by side, each with its own end.
 *
 * session_begin on an idle slot, then session_exec as often as wanted; poll
 * slot_fd with slot_wait_ms and call slot_step, which says true when the box
 * itself is over (slot_finish then); session_next for programs that ended.
 */
#ifndef NATIVE_SESSION_H
#define NATIVE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "call/call.h"
#include "call/inside.h"

struct slot;
struct to_warden;

struct session_job {
	const int *io;    /* 0, 1, 2; stay the caller's */
	int words;        /* pack_words_fd */
	int more;         /* a descriptor that it finds as INSIDE_MORE_FD; -1: none */
	const char *cwd;  /* absolute */
	uint64_t wall_ms; /* 0: as long as the box */
	uint64_t cpu_ms;  /* 0: as the box */
};

/* limits: of everything in the box together; wall_ms is how long it lives. */
int session_begin(struct slot *s, const struct limits *limits, struct error *err);
/* Returns when the program runs, or could not be started. */
int session_exec(struct slot *s, const struct session_job *job, uint64_t *ret_exec,
		 struct error *err);
/* One that has ended: the next, and it is forgotten.  False: there is none. */
bool session_next(struct slot *s, uint64_t *ret_exec, struct outcome *ret);
int session_signal(struct slot *s, uint64_t exec, int signal, bool group, struct error *err);
/* Kills the program and everything it started; returns when they are dead.  The box is ended if
 * that is not to be had. */
int session_stop(struct slot *s, uint64_t exec, enum kill_reason reason, struct error *err);
/* The box lives for so long from now on, but from its beginning on no longer than most_ms. */
int session_extend(struct slot *s, uint64_t wall_ms, uint64_t most_ms, struct error *err);
void session_usage(struct slot *s, struct usage *ret);
/* Bytes of memory that its programs may take from now on. */
uint64_t session_room(struct slot *s);
/* The kernel's counter of the box's processor time, open for reading; -1: there is none. */
int session_cpu_counter(const struct slot *s);
/* The walls that are up around its programs. */
void session_layers(const struct slot *s, struct layer_report ret[static LAYER_COUNT]);
/* Whose program has this mark?  0: nobody's that is known. */
uint64_t session_owner(const struct slot *s, uint64_t mark);

/* For slot.c. */
void session_news(struct slot *s, const struct to_warden *news);
void session_over(struct slot *s, const struct to_warden *news);
void session_lose(struct slot *s, const struct error *err);
uint64_t session_next_us(const struct slot *s, uint64_t next_us);
void session_look(struct slot *s, uint64_t now_us);
void session_drop(struct slot *s);

#endif
