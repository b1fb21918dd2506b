/* SPDX-License-Identifier: Apache-2.0 */
/* sections_inside.h - what stands inside a tool. */
#ifndef POLICY_SECTIONS_INSIDE_H
#define POLICY_SECTIONS_INSIDE_H

#include "policy/settings.h"

extern const struct section argument_section;
extern const struct section artifact_section;
extern const struct section session_section;

#endif
