/* SPDX-License-Identifier: Apache-2.0 */
/* copy_stir.h - a process that will be asked for something in a moment is awake by then. */
#ifndef WARM_COPY_STIR_H
#define WARM_COPY_STIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum copy_apart {
	COPY_HERE, /* there is no other, and nothing happened */
	COPY_APART,
	COPY_STIRRED, /* and whoever is on that processor has said that it will ask in a moment */
};

/* Goes elsewhere than on this processor (counted from 1); with fd >= 0, it is nowhere but there
 * until there is something to read, or a signal.  Afterwards it may be where it could be before.
 * What says no more than that something will be asked from there is taken: to read it in Python
 * would take as long as all else that is done meanwhile. */
enum copy_apart copy_apart(uint64_t place, int fd);
/* Until there is something to read, without sleeping, and for so long at most. */
void copy_expect(int fd, uint64_t us);

enum { COPY_SNIPPET_MAX = 400 };

/* "NUMBER NONCE LENGTH\n" and the code (python.py). */
struct copy_snippet {
	char raw[COPY_SNIPPET_MAX];
	size_t len; /* of all of it */
	unsigned number;
	const char *nonce, *code;
	ptrdiff_t nonce_len, code_len;
};

/* Is there a whole one, and a short one?  It stays there until it is taken. */
bool copy_see(int fd, struct copy_snippet *ret);
void copy_take(int fd, const struct copy_snippet *s);

#endif
