/* SPDX-License-Identifier: Apache-2.0 */
/* foresee.h - looks up, on an idle processor, what a program is about to look for.
 *
 * For a single program, in its box's root.  It only saves time: nothing is
 * opened, and what is not there is not there.
 */
#ifndef NATIVE_FORESEE_H
#define NATIVE_FORESEE_H

#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* Is all that lies behind these names the host's?  Else nothing is to be looked up. */
bool foresee_knows(const struct plan *plan);
/* The program itself, if it is one of the host's.  By its own process, while that waits. */
void foresee_program(const char *name);
/* The launcher, while the program of this name has yet to begin, in its memory: what comes next.
 * Not before pid 1 of the box is there, which has work to do on our processor.  Returns whether
 * there is a rest. */
bool foresee_begin(const struct plan *plan, const struct board *board, const char *name);
/* While it runs. */
void foresee_rest(void);

#endif
