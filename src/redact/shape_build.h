/* SPDX-License-Identifier: Apache-2.0 */
/* shape_build.h - part of the build: reads shapes from patterns. */
#ifndef REDACT_SHAPE_BUILD_H
#define REDACT_SHAPE_BUILD_H

#include "redact/shape.h"

/* A form of flatforms.h, without "(?i)".  false: it has something that is no part of a shape, or
 * there is no room. */
bool shape_read(const char *form, bool caseless, struct shape_sets *sets, struct shape *ret);
/* Puts what tells most first, and leaves out characters in [from, behind), which somebody else has
 * compared. */
void shape_order(struct shape *s, size_t from, size_t behind);
/* The number of a class, "[a-z]"; -1: there is no room, or it is none. */
int shape_set(const char *class, bool caseless, struct shape_sets *sets);

#endif
