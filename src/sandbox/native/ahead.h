/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.h - the process that waits in the box for the next call, sealed. */
#ifndef NATIVE_AHEAD_H
#define NATIVE_AHEAD_H

#include "sandbox/native/launcher_state.h"

/* For so long nobody looks at who was let in: no limit is passed earlier. */
enum { AHEAD_UNSEEN_MS = 3 };

void ahead_init(struct ahead *a);
/* Between calls: fills the box that waits.  What fails here, the call will try again. */
void ahead_fill(struct launcher *l, const struct to_launcher *order, const int *fds);
/* It is not wanted: its box stays. */
void ahead_drop(struct launcher *l);
/* The program of an order, by the quickest way there is; l->start says which it was.  It has begun
 * when this returns, unless ahead_is_unseen(): who was sealed before the call is let in, and is not
 * waited for. */
int ahead_start(struct launcher *l, struct payload *p, int words, pid_t *ret_pid,
		struct error *err);
/* Such a one: nobody has looked yet whether it began. */
bool ahead_is_unseen(const struct launcher *l);
/* Waits until it has, or is dead; it is not unseen any more.  -1: it did not begin. */
int ahead_see(struct launcher *l, struct error *err);
/* The same for one that is known to be dead, and at once: ahead_forget_unseen() when there is time.
 */
int ahead_see_dead(const struct launcher *l, struct error *err);
void ahead_forget_unseen(struct launcher *l);
/* The same for l->start alone: who is started otherwise, of whom nobody waits. */
void ahead_note_cold(struct launcher *l);
/* How the program that has ended came to be, in the end. */
struct start ahead_start_seen(const struct launcher *l);
/* Would the one that waits be better than the one that waits now?  Then it goes. */
bool ahead_is_outdone(const struct launcher *l);
/* How long the launcher may sleep before who waits has waited too long; -1: for ever. */
int ahead_wait_ms(const struct launcher *l);
/* It has, and nobody was told yet. */
bool ahead_grew_old(struct launcher *l);

#endif
