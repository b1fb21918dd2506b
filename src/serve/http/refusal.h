/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - the answer to a request that is refused before anybody else sees it. */
#ifndef SERVE_HTTP_REFUSAL_H
#define SERVE_HTTP_REFUSAL_H

#include "serve/http/framing.h"

enum { REFUSAL_ID_MAX = 64 };

/* 16 random letters and digits behind "r-". */
void refusal_id(char ret_id[REFUSAL_ID_MAX + 1]);
/* "bad_request" for 400, and so on. */
const char *refusal_code(int status);
/* RFC 9457: application/problem+json.  All of it is ours but id, which must be plain. */
int refusal_body(struct buf *out, const struct fault *f, const char *id, struct error *err);

#endif
