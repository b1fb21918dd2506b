/* SPDX-License-Identifier: Apache-2.0 */
/* tailclass.h - patterns that end in so many characters of a class, or more: where they end. */
#ifndef REDACT_TAILCLASS_H
#define REDACT_TAILCLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAILCLASS_MOST = 64 }; /* different ones */

/* Classes of characters, numbered. */
struct tailclasses {
	uint64_t of[256]; /* one bit for each class that a byte is in */
	size_t n;
};

/* How a pattern ends. */
struct tail {
	bool known;    /* it was read */
	uint8_t which; /* its class */
	uint32_t need; /* bytes, of which no more than these tell whether it matches; 0: any number
			*/
};

/* text[from .. end) is of a class, text[end] is not. */
struct tail_run {
	size_t from, end;
};

/* What was seen of a text. */
struct tail_runs {
	uint64_t known; /* one bit for each class */
	struct tail_run run[TAILCLASS_MOST];
};

/* Reads a built-in pattern. */
struct tail tail_read(struct tailclasses *all, const char *pattern);
/* Behind the characters of a class that text[within] begins with.  What was read for one pattern is
 * not read for the next. */
size_t tail_end(const struct tailclasses *all, unsigned which, struct tail_runs *seen,
		const char *text, struct tail_run within);

#endif
