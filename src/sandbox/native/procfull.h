/* SPDX-License-Identifier: Apache-2.0 */
/* procfull.h - a whole /proc for programs that want one, without the host in it. */
#ifndef NATIVE_PROCFULL_H
#define NATIVE_PROCFULL_H

#include "base/error.h"
#include "call/call.h"

/* In the box, with a whole proc on /proc and nothing on /work yet: covers what is not on the
 * list of harmless entries and puts made-up memory and processor figures in their places. */
int procfull_mask(const struct limits *limits, struct error *err);

#endif
