/* SPDX-License-Identifier: Apache-2.0 */
/* slot.h - the warden's side of a slot: what is dear to make and safe to keep.
 *
 * slot_open, then per call: slot_box (if files are to be put in), slot_start,
 * poll slot_fd with slot_wait_ms and call slot_step until it says so,
 * slot_finish.  slot_kill at any time in between.
 */
#ifndef NATIVE_SLOT_H
#define NATIVE_SLOT_H

#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"

struct slot;

enum slot_use {
	SLOT_ONCE = 0,
	SLOT_RESIDENT,     /* the next box is prepared when one ends; or one is kept (session.h) */
	SLOT_ONCE_OR_KEPT, /* one box */
};

/* limits: of the first box. */
int slot_open(const struct profile *profile, const struct limits *limits, enum slot_use use,
	      struct slot **ret, struct error *err);
/* The same for one listed program, in two halves: what all of them have in common is made while it
 * is not known yet which one it will be. */
int slot_open_early(struct slot **ret, struct error *err);
/* Is it one for this profile, and alive?  Most are not, who want something of the host. */
bool slot_suits(struct slot *slot, const struct profile *profile);
int slot_open_rest(struct slot *slot, const struct profile *profile, const struct limits *limits,
		   struct error *err);
/* Kills what runs, waits for it, takes everything down. */
void slot_close(struct slot *slot);
void slot_end(struct slot **slot); /* for own_slot */
/* The caller's process ends after it: slot_close leaves to that end what nobody else sees. */
void slot_is_only(struct slot *slot);
#define own_slot __attribute__((cleanup(slot_end))) struct slot *

bool slot_is_root_mode(const struct slot *slot);
/* Who owns the program's files on the host. */
uid_t slot_uid(const struct slot *slot);
gid_t slot_gid(const struct slot *slot);

/* Waits until a box of this size is there.  ret_work: its /work; the slot's. */
int slot_box(struct slot *slot, const struct limits *limits, int *ret_work, struct error *err);
/* Whom to ask when everything is ready for a start: -1, and there is none. */
void slot_ask_before(struct slot *slot, int (*before)(void *context, struct error *err),
		     void *context);
/* io: descriptors for 0, 1 and 2; stay the caller's. */
int slot_start(struct slot *slot, const struct job *job, const int io[3], struct error *err);
/* The same for words that are packed already (pack_words_fd). */
int slot_start_words(struct slot *slot, const struct limits *limits, const int io[3], int words,
		     struct error *err);

int slot_fd(const struct slot *slot);
/* Until slot_step must be called even if nothing happens; -1: never. */
int slot_wait_ms(const struct slot *slot);
/* Until when it is better not to sleep while waiting for the only program; 0: sleep. */
uint64_t slot_awake_us(const struct slot *slot);
/* Takes news and keeps deadlines.  Returns true when the call has ended. */
bool slot_step(struct slot *slot);
void slot_kill(struct slot *slot, enum kill_reason reason);
/* For the program, in a box that is not kept; one that has ended hears nothing. */
void slot_signal(struct slot *slot, int signal);
/* After the end: the outcome, and the box's /work if asked for (the caller's then). */
void slot_finish(struct slot *slot, struct outcome *ret, int *ret_work);
/* Before slot_prepare: no call came soon after another, so that who takes part in the next one may
 * take turns on one processor (closeby.h). */
void slot_expect_alone(struct slot *slot, bool alone);
/* Before slot_start_words: whoever asks has bound us to its processor, which it leaves. */
void slot_was_called(struct slot *slot);
/* Nobody waits for us beside it any more. */
void slot_part(struct slot *slot);
/* Between calls, when nobody waits: cleans up after the last one and gets ready for the next, which
 * most likely has the same limits. */
void slot_prepare(struct slot *slot);
/* Can it serve another call? */
bool slot_is_usable(const struct slot *slot);

/* Of a box that is kept: its /work and its /proc (-1: none), the slot's. */
int slot_work(const struct slot *slot);
int slot_proc(const struct slot *slot);
/* It is being killed, or something in it was killed for memory and the rest follows. */
bool slot_is_ending(const struct slot *slot);
/* It is dead; slot_finish says why. */
bool slot_has_ended(const struct slot *slot);

#endif
