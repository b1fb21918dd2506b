/* SPDX-License-Identifier: Apache-2.0 */
/* stretch.h - a stretch of text that is searched: whole lines, or a piece of one. */
#ifndef REDACT_STRETCH_H
#define REDACT_STRETCH_H

#include <stddef.h>

struct stretch {
	const char *text;
	size_t floor;     /* from here on there is text to look back at */
	size_t low, high; /* what is searched: text[low .. high) */
	/* So many bytes before high are only read on: what would be found by a sign in them counts
	 * for nothing, and need not be looked for. */
	size_t rest;
};

static inline size_t stretch_stop(const struct stretch *in)
{
	return in->high - in->rest;
}

#endif
