/* SPDX-License-Identifier: Apache-2.0 */
/* requestid.h - names that requests have: given by the client, or made here. */
#ifndef SERVE_API_REQUESTID_H
#define SERVE_API_REQUESTID_H

#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_ID_ROOM = 65, ONCE_KEY_MAX = 255, ID_RANDOM_DIGITS = 24 };

/* X-Request-Id: 1 to 64 of A-Z a-z 0-9 . _ - */
bool request_id_fits(const char *id);
/* Idempotency-Key: 1 to 255 printable ASCII characters. */
bool once_key_fits(const char *key);
/* An id as we make them: prefix and 24 random hex digits. */
void id_make(const char *prefix, char *ret, size_t room);
/* Could it be one of a call or session?  Letters, digits, - and _, at most 39. */
bool id_fits(const char *id, size_t len);

#endif
