/* SPDX-License-Identifier: Apache-2.0 */
/* builtin.h - policies/default.yaml, carried inside the program. */
#ifndef POLICY_BUILTIN_H
#define POLICY_BUILTIN_H

extern const char builtin_policy_start[], builtin_policy_end[];

#endif
