/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.h - a program that is started before its call, and waits for it by itself: node. */
#ifndef NATIVE_WAITER_H
#define NATIVE_WAITER_H

#include "sandbox/native/launcher_state.h"

/* Does the slot want one, and is it worth a try with these limits? */
bool waiter_wanted(const struct launcher *l, const struct limits *limits);
/* Starts one that seals itself as p says and will wait at p->seal.door. */
int waiter_bear(struct launcher *l, struct payload *p, pid_t *ret_pid, struct error *err);
/* Would it run these words as one that is started for them?  If not, ret_why. */
bool waiter_fits(const struct launcher *l, const struct words *words, char *ret_why, size_t room);
/* It died before there was a call: the next is not tried at once. */
void waiter_note_death(struct launcher *l);
/* When it will have waited for long enough; 0: never. */
uint64_t waiter_old_us(const struct launcher *l);

#endif
