/* SPDX-License-Identifier: Apache-2.0 */
/* foresee.h - looks up, on an idle processor, what a program is about to look for.
 *
 * For the launcher of a single program, whose root is the box's by now.  It only
 * saves time: nothing is opened, and what is not there is not there.
 */
#ifndef NATIVE_FORESEE_H
#define NATIVE_FORESEE_H

#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* While the program of this name has yet to begin, in our memory: not before pid 1 of its box is
 * there, which has work to do on our processor.  Returns whether there is a rest. */
bool foresee_begin(const struct plan *plan, const struct board *board, const char *name);
/* While it runs. */
void foresee_rest(void);

#endif
