/* SPDX-License-Identifier: Apache-2.0 */
/* headwords.h - the headers that decide about the request itself. */
#ifndef SERVE_HTTP_HEADWORDS_H
#define SERVE_HTTP_HEADWORDS_H

#include "serve/http/framing.h"

/* A character of a token (RFC 9110, 5.6.2). */
bool headwords_token(char c);
/* Host, Content-Length, Transfer-Encoding, Connection, Expect; and what may not come twice. */
int headwords_read(struct head *h, const char *bytes, struct fault *fault);
/* Lists that came in several lines become one value, behind the head. */
int headwords_join(struct head *h, struct buf *bytes, struct fault *fault);

#endif
