/* SPDX-License-Identifier: Apache-2.0 */
/* ownfds.h - a launcher keeps the descriptors that are its own, and no other. */
#ifndef NATIVE_OWNFDS_H
#define NATIVE_OWNFDS_H

#include "base/error.h"
#include "sandbox/native/plan.h"

/* Those of the plan get other numbers; 0 to 3 are /dev/null; everything else is closed. */
int ownfds_keep(struct plan *plan, struct error *err);

#endif
