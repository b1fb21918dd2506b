/* SPDX-License-Identifier: Apache-2.0 */
/* fillers.h - words in a value that say that it is none: "example", "process.env", "://". */
#ifndef REDACT_FILLERS_H
#define REDACT_FILLERS_H

#include <stddef.h>

enum { FILLERS_MOST = 12 }; /* bytes of one, at most */

struct filler {
	size_t begin, end;
};

/* The last one of text[from .. to), of which two bytes are there; its end is 0 if there is none. */
struct filler fillers_last(const char *text, size_t from, size_t to);

#endif
