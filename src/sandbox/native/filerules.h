/* SPDX-License-Identifier: Apache-2.0 */
/* filerules.h - what the program of a box may do to which file, as Landlock rules. */
#ifndef NATIVE_FILERULES_H
#define NATIVE_FILERULES_H

#include "base/error.h"
#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* In the box, after its last mount: a rule knows inodes, not names.  *ret_rules is for
 * landlock_enter; -1 if this kernel has no Landlock and the run may do without. */
int filerules_make(const struct plan *plan, struct board *board, int *ret_rules, struct error *err);

#endif
