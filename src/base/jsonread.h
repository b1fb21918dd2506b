/* SPDX-License-Identifier: Apache-2.0 */
/* jsonread.h - foreign bytes become JSON values, strictly.
 *
 * Duplicate keys, bad UTF-8, NUL, numbers that do not fit and more nesting than
 * a caller can mean are refused: a parser that is kinder than the tool's would
 * judge another call than the one that runs.
 */
#ifndef BASE_JSONREAD_H
#define BASE_JSONREAD_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

enum { JSON_DEPTH_MAX = 64 };

static inline void own_json_end(json_t **value)
{
	json_decref(*value);
}
#define own_json __attribute__((cleanup(own_json_end))) json_t *

/* The whole of data is one value, at most limit bytes; NULL: err says where and why. */
json_t *jsonread(const char *data, size_t len, size_t limit, struct error *err);
/* Compact, sorted keys, only ASCII escapes that JSON demands; to be freed.  NULL: no memory. */
char *jsonread_text(const json_t *value);
/* "a string", "an integer", "a number", "true or false", "null", "a list", "an object". */
const char *jsonread_kind(const json_t *value);

#endif
