/* SPDX-License-Identifier: Apache-2.0 */
/* accept.h - which of our forms a client wants an answer in. */
#ifndef SERVE_API_ACCEPT_H
#define SERVE_API_ACCEPT_H

#include <stdbool.h>

enum form { FORM_NONE = 0, FORM_JSON, FORM_SSE, FORM_NDJSON };

/* The Accept header (NULL: absent, and then anything is welcome).  Events only where they are
 * named: a wildcard means JSON.  FORM_NONE: nothing that we have. */
enum form accept_form(const char *accept);
/* Is a Content-Type (NULL: absent) that of JSON in UTF-8? */
bool accept_is_json(const char *type);

#endif
