/* SPDX-License-Identifier: Apache-2.0 */
/* single.h - a launcher with one box and one program (plan_is_single). */
#ifndef NATIVE_SINGLE_H
#define NATIVE_SINGLE_H

#include "sandbox/native/launcher_state.h"

/* The box is being made when this returns: the order may come before it is built, or after. */
int single_begin(struct launcher *l, struct error *err);
/* As ahead_start.  The box is built when this returns; if it could not be, it does not return. */
int single_start(struct launcher *l, struct payload *p, int words, pid_t *ret_pid,
		 struct error *err);

#endif
