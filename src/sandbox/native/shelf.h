/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.h - what a launcher of listed programs is told when it is at work already. */
#ifndef NATIVE_SHELF_H
#define NATIVE_SHELF_H

#include "sandbox/native/plan.h"

struct shelf;

/* Memory that the launcher has at the same place when it is cloned. */
struct shelf *shelf_new(struct error *err);
void shelf_free(struct shelf *shelf);
/* The warden's: puts the files that a box needs and its size there, once, and wakes who waits. */
int shelf_fill(struct shelf *shelf, const struct needed_list *needed, const struct limits *first,
	       struct error *err);
/* The launcher's, or of who builds its box: waits for both and has them in the plan then.  Without
 * libc. */
void shelf_take(struct plan *plan);

#endif
