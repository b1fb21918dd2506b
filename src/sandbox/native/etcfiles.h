/* SPDX-License-Identifier: Apache-2.0 */
/* etcfiles.h - the made-up /etc of a box. */
#ifndef NATIVE_ETCFILES_H
#define NATIVE_ETCFILES_H

#include "base/error.h"
#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* New root in the current directory. */
int etcfiles_make(const struct plan *plan, struct board *board, struct error *err);

#endif
