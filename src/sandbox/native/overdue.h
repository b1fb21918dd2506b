/* SPDX-License-Identifier: Apache-2.0 */
/* overdue.h - a program that its warden does not end is ended by its launcher, a little later. */
#ifndef NATIVE_OVERDUE_H
#define NATIVE_OVERDUE_H

#include "sandbox/native/launcher_state.h"

void overdue_begin(struct launcher *l, const struct limits *limits);
/* ms, or less if it is time before. */
int overdue_wait_ms(const struct launcher *l, int ms);
/* Kills it, if it is time. */
void overdue_end(struct launcher *l);

#endif
