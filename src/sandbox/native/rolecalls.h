/* SPDX-License-Identifier: Apache-2.0 */
/* rolecalls.h - the system calls that a sealed role has always; the others are in roleseal.h. */
#ifndef NATIVE_ROLECALLS_H
#define NATIVE_ROLECALLS_H

#include "sandbox/native/roleseal.h"

extern const struct role_calls role_always;

#endif
