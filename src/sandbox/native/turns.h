/* SPDX-License-Identifier: Apache-2.0 */
/* turns.h - who has the processor when two want it: whoever is waited for. */
#ifndef SANDBOX_NATIVE_TURNS_H
#define SANDBOX_NATIVE_TURNS_H

#include <stdbool.h>

/* We work in small pieces, and somebody waits for each: once woken we come before a program that
 * has long to go.  So do our children.  Kernels that know no such wish (before Linux 6.12) go on
 * as ever. */
void turns_short(void);

/* What we shall be woken for can wait: it takes the processor from nobody.  Children would
 * inherit it: turns_as_ever() before there is one. */
bool turns_later(void); /* was it changed?  Else somebody had chosen another class */
void turns_as_ever(void);

#endif
