/* SPDX-License-Identifier: Apache-2.0 */
/* snippetend.h - what an interpreter's driver says at the end of a snippet. */
#ifndef KEEPER_SNIPPETEND_H
#define KEEPER_SNIPPETEND_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SNIPPET_NONCE = 33, /* with its NUL */
	SNIPPET_HEAD_MAX = 80,
	SNIPPET_RESULT_MAX = 65536,
};

struct snippet_end {
	unsigned status; /* 0 to 255 */
	bool has_result; /* the last expression had a value */
	size_t head_len; /* where the result begins */
	size_t result_len;
};

/* "NONCE STATUS LENGTH\n" and so many bytes ("-": none), exactly, and nothing behind it.  1: this
 * is all of it, 0: it may yet become that, -1: never.  nonce: of the snippet that runs. */
int snippet_end_read(const char *data, size_t len, const char *nonce, struct snippet_end *ret);

#endif
