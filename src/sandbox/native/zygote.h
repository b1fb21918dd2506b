/* SPDX-License-Identifier: Apache-2.0 */
/* zygote.h - the launcher's side of a warm interpreter that lives in its slot. */
#ifndef NATIVE_ZYGOTE_H
#define NATIVE_ZYGOTE_H

#include "call/pack.h"
#include "sandbox/native/launcher_state.h"

void zygote_init(struct zygote *z);
/* Starts one if the profile wants one and there is none, or the one there is has served enough. */
void zygote_tend(struct launcher *l);
/* The descriptor that has something to say, if any. */
int zygote_fd(const struct zygote *z);
/* Takes what it says.  Returns whether one became ready. */
bool zygote_hear(struct launcher *l, struct zygote *z);
/* Would it run these words as a cold start does?  If not, ret_why. */
bool zygote_fits(const struct launcher *l, const struct words *words, char *ret_why, size_t room);
/* A child of it, which seals itself as p says and waits at p->seal.door. */
int zygote_bear(struct launcher *l, struct payload *p, pid_t *ret_pid, struct error *err);
void zygote_let_go(struct zygote *z);
/* There will be no further child: the first program of a kept box is its interpreter. */
void zygotes_leave(struct launcher *l);

#endif
