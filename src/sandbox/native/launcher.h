/* SPDX-License-Identifier: Apache-2.0 */
/* launcher.h - the process that lives in a slot and makes boxes there. */
#ifndef NATIVE_LAUNCHER_H
#define NATIVE_LAUNCHER_H

#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* The launcher's whole life; it was just cloned from the warden. */
__attribute__((noreturn)) void launcher_main(struct plan *plan, struct board *board);

#endif
