/* SPDX-License-Identifier: Apache-2.0 */
/* meterdir.h - where state is kept: a directory that is ours alone. */
#ifndef POLICY_METERDIR_H
#define POLICY_METERDIR_H

#include "base/error.h"

/* dir NULL: see meter_open().  Made (0700, and what is missing above it) if it is not there;
 * refused if it is a link, somebody else's, or writable by others.  A descriptor, or -1. */
int meterdir_open(const char *dir, struct error *err);

#endif
