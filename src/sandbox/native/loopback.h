/* SPDX-License-Identifier: Apache-2.0 */
/* loopback.h - turns on `lo` in the network namespace we are in. */
#ifndef NATIVE_LOOPBACK_H
#define NATIVE_LOOPBACK_H

#include "base/error.h"

int loopback_up(struct error *err);

#endif
