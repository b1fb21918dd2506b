/* SPDX-License-Identifier: Apache-2.0 */
/* outname.h - the names of files that come out of a box. */
#ifndef NATIVE_OUTNAME_H
#define NATIVE_OUTNAME_H

#include "base/error.h"
#include "call/call.h"
#include "sandbox/capture.h"

/* A program chooses the names of its files, and the answer has them.  One that the filter changes
 * is told as the filter leaves it, and the file is refused.  filter NULL: names are as they are.
 * -1: it could not be looked at, and must not be told. */
int outname_clean(const struct filter *filter, struct artifact *a, struct error *err);

#endif
