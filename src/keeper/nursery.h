/* SPDX-License-Identifier: Apache-2.0 */
/* nursery.h - keepers of sessions, each a copy of one process that has everything ready. */
#ifndef KEEPER_NURSERY_H
#define KEEPER_NURSERY_H

#include "base/error.h"
#include "keeper/nurserytalk.h"

/* Makes keepers for whoever asks on control, until that closes.  Returns in each of them: 1, and
 * its sockets (the template: -1 if there is none) and what it is for.  0: control is closed.  -1:
 * it makes no sense any more. */
int nursery_serve(int control, int ret_fds[static NURSERY_FDS], enum nursery_wants *ret_wants,
		  struct error *err);

#endif
