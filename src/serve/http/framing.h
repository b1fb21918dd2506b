/* SPDX-License-Identifier: Apache-2.0 */
/* framing.h - where a request's head ends, and what it says; anything unclear is refused.
 *
 * Two readers must agree on every head: this one, which knows what we accept
 * and nothing else, and llhttp (second.h).
 */
#ifndef SERVE_HTTP_FRAMING_H
#define SERVE_HTTP_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/http.h"
#include "serve/http/second.h"

enum { HEAD_ROWS_MAX = 64, HEAD_BYTES_MAX = 64 << 10 };

/* Why a request is refused; status 0: it is not. */
struct fault {
	int status;
	const char *detail; /* a constant sentence */
};

/* Looks at each byte once, however they come. */
struct head_scan {
	size_t seen; /* bytes of the head so far */
	size_t line; /* bytes of this line so far */
	size_t lines;
	bool cr;
};

enum head_more {
	HEAD_REFUSED = 0, /* fault says why */
	HEAD_GOES_ON,
	HEAD_WHOLE, /* used: up to and with the empty line */
};
enum head_more head_scan(struct head_scan *s, const struct http_caps *caps, const char *data,
			 size_t len, size_t *ret_used, struct fault *fault);

struct head {
	enum http_method method;
	uint32_t method_len;
	uint32_t target, target_len;
	bool http10;
	bool close;   /* the client wants no further request on this connection */
	bool chunked; /* or: */
	uint64_t length;
	bool expects; /* 100-continue */
	bool repeats; /* a list comes in several lines */
	size_t n_rows;
	struct head_row rows[HEAD_ROWS_MAX];
};

/* bytes: what head_scan() found whole; on success names, values, method and target end in NUL
 * there, and repeated headers that are lists are joined in the first of them, for which bytes may
 * grow (its limit allows). */
int head_read(struct head *h, struct buf *bytes, const struct http_caps *caps, struct fault *fault);
/* NULL: absent. */
const char *head_value(const struct head *h, const char *bytes, const char *name);

#endif
