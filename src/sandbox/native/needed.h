/* SPDX-License-Identifier: Apache-2.0 */
/* needed.h - builds the list of files that a box must see. */
#ifndef NATIVE_NEEDED_H
#define NATIVE_NEEDED_H

#include "sandbox/native/programs.h"

/* Adds a copy, once per place inside; two different files at one place are an error. */
int needed_add(struct needed_list *list, const struct needed *item, struct error *err);
/* Sorts by place inside (a directory before what is in it) and drops what a directory in the
 * list shows anyway. */
void needed_tidy(struct needed_list *list);

#endif
