/* SPDX-License-Identifier: Apache-2.0 */
/* chunked.h - a body in chunks: sizes in hex, CRLF, no extensions, no trailers. */
#ifndef SERVE_HTTP_CHUNKED_H
#define SERVE_HTTP_CHUNKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/framing.h"

enum chunked_state {
	CHUNKED_SIZE = 0, /* digits */
	CHUNKED_SIZE_LF,  /* behind the CR of a size */
	CHUNKED_DATA,     /* left bytes of it */
	CHUNKED_DATA_CR,  /* behind the data */
	CHUNKED_DATA_LF,  /* */
	CHUNKED_LAST_CR,  /* behind the empty chunk: no trailer, so the empty line */
	CHUNKED_LAST_LF,  /* */
	CHUNKED_OVER,     /* */
};

/* All zeros: at the beginning. */
struct chunked {
	enum chunked_state state;
	unsigned digits;
	uint64_t left;  /* of this chunk */
	uint64_t total; /* of all chunks so far */
};

/* Takes the next bytes, up to the end of the body, and adds their data to out.  False: fault says
 * why.  More than out's limit in all is a fault as soon as a size says so. */
bool chunked_read(struct chunked *c, const char *data, size_t len, struct buf *out,
		  size_t *ret_used, struct fault *fault);

#endif
