/* SPDX-License-Identifier: Apache-2.0 */
/* flatforms.h - the alternatives of a pattern, written out one by one. */
#ifndef REDACT_FLATFORMS_H
#define REDACT_FLATFORMS_H

#include <stdbool.h>
#include <stddef.h>

enum { FLATFORMS_LEN = 512, FLATFORMS_MOST = 96 };

/* A form has characters, classes and \b, each with a count or none; only the last of them may have
 * an open or a wide one.  false: enough. */
typedef bool flatforms_hit(void *context, const char *form);

/* Calls hit() with each form; a text matches the pattern exactly if it matches one of them.
 * false: hit() had enough, or the pattern has something that cannot be written so. */
bool flatforms_each(const char *pattern, size_t len, flatforms_hit *hit, void *context);

/* Behind the part that begins at text: one character, class or group, without its count. */
const char *flatforms_skip(const char *text);

/* Digits at *text, which goes behind them; too many are a number that is too large for anybody. */
unsigned flatforms_number(const char **text);

#endif
