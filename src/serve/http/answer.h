/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h - the head of an answer as bytes. */
#ifndef SERVE_HTTP_ANSWER_H
#define SERVE_HTTP_ANSWER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "serve/http/http.h"

enum { ANSWER_DATE_MAX = 40 };

/* Made once a second. */
struct answer_date {
	time_t when;
	char text[ANSWER_DATE_MAX];
};

enum answer_framing {
	ANSWER_NO_BODY = 0, /* 204, 304 */
	ANSWER_LENGTH,
	ANSWER_CHUNKED,
	ANSWER_UNTIL_CLOSE, /* HTTP/1.0, which closes behind every answer */
};

const char *answer_reason(int status);
bool answer_may_have_body(int status);
/* headers: up to a NULL name, or NULL.  What could end a line early becomes "_". */
int answer_head(struct buf *out, struct answer_date *date, int status,
		const struct http_header *headers, struct error *err);
/* The rest of the head. */
int answer_framing(struct buf *out, enum answer_framing framing, uint64_t length, bool close,
		   struct error *err);

#endif
