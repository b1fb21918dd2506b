/* SPDX-License-Identifier: Apache-2.0 */
/* boxtest.h - one box, one program: does this host let us? */
#ifndef SERVE_ROLES_BOXTEST_H
#define SERVE_ROLES_BOXTEST_H

#include <stdint.h>

#include "base/error.h"
#include "call/call.h"

/* argv: --allow-degraded LAYER ...  ret_profile: of the box, for whoever wants to know what it
 * lacked.  -1: err says why nothing ran, or what came of it. */
int boxtest_run(char **argv, struct profile *ret_profile, struct error *err);

#endif
