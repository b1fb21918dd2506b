/* SPDX-License-Identifier: Apache-2.0 */
/* payload.h - fills a box: a child joins it, seals itself and becomes the program. */
#ifndef NATIVE_PAYLOAD_H
#define NATIVE_PAYLOAD_H

#include <sched.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/pages.h"
#include "call/pack.h"
#include "sandbox/native/sealing.h"

struct payload {
	struct sealing seal;
	const struct words *words; /* of who does not wait at the door */
	bool last;                 /* the launcher makes no further box */
};

/* Returns when the program runs or could not be started; then err is the reason.  *ret_pid is the
 * child to wait for, also after a failure; 0: there is none. */
int payload_start(struct payload *p, pid_t *ret_pid, struct error *err);
/* A child that seals itself and waits at seal.door for the program it is to become; with words, for
 * nothing: those are of a program that waits there itself.  Returns at once. */
int payload_ahead(struct payload *p, pid_t *ret_pid, struct error *err);

/* What a child does that is in the box already: the board says why it ended instead. */
_Noreturn void payload_inside(struct payload *p);
/* Before a start, and after it: did it begin?  If not, err is the reason. */
void payload_clear_board(struct board *board);
int payload_has_begun(struct board *board, struct error *err);

#endif
