/* SPDX-License-Identifier: Apache-2.0 */
/* starts.h - words that begin with what a credential begins with: "ghp_", "AKIA". */
#ifndef REDACT_STARTS_H
#define REDACT_STARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "redact/stretch.h"

enum { STARTS_REACH = 1 };

struct starts;

struct starts *starts_new(struct error *err);
void starts_free(struct starts *s);
/* begins: words of 3 to 12 characters, apart by blanks. */
int starts_add(struct starts *s, const char *begins, size_t rule, struct error *err);

/* A word begins at text[at], and something that may be a value follows.  false: enough. */
typedef bool starts_hit(void *context, size_t at, size_t rule);
/* Looks at words that begin in the stretch.  false: hit() had enough. */
bool starts_find(const struct starts *s, const struct stretch *in, starts_hit *hit, void *context);

#endif
