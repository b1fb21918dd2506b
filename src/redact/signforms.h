/* SPDX-License-Identifier: Apache-2.0 */
/* signforms.h - formats that have a "." or a "://" in their middle, found there. */
#ifndef REDACT_SIGNFORMS_H
#define REDACT_SIGNFORMS_H

#include "redact/redact_rule.h"

/* text[0 .. high).  true: ret is what the rule's pattern would find. */

/* Around a "." at text[dot], with another one seven bytes on: a bot's token. */
bool signforms_bot(const char *text, size_t high, size_t dot, struct found *ret);
/* Around a "://" at text[at]: "scheme://user:password@", "https://token@host". */
bool signforms_url_password(const char *text, size_t high, size_t at, struct found *ret);
bool signforms_url_token(const char *text, size_t high, size_t at, struct found *ret);

#endif
