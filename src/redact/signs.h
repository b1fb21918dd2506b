/* SPDX-License-Identifier: Apache-2.0 */
/* signs.h - what a "." a ":" or a "=" may be part of: addresses, and names with values. */
#ifndef REDACT_SIGNS_H
#define REDACT_SIGNS_H

#include "redact/cut.h"

/* Adds what is in text[low .. high), whole lines or a piece of one; from text[floor] on there is
 * text to look back at. */
void signs_find(const struct redact_set *set, const char *text, size_t floor, size_t low,
		size_t high, struct spans *ret);

#endif
