/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - writes JSON straight into a buffer.
 *
 * Only a writer: a one-shot run must not load a library to print one object.
 * Commas are kept by the writer; the caller opens, fills and closes.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct json {
	struct buf *out;
	struct error *err;
	bool comma;  /* the next value needs one in front */
	bool failed; /* sticky; json_end() reports it */
};

void json_start(struct json *j, struct buf *out, struct error *err);
int json_end(struct json *j);

/* key is NULL inside arrays and at the top. */
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_str(struct json *j, const char *key, const char *value); /* NULL: null */
/* What is not UTF-8 among them is written as the text \xNN: ask text_is_utf8 if that matters. */
void json_bytes(struct json *j, const char *key, const char *data, size_t len);
void json_base64(struct json *j, const char *key, const void *data, size_t len);
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_ms(struct json *j, const char *key,
	     uint64_t microseconds);                            /* as milliseconds, 3 places */
void json_ratio(struct json *j, const char *key, double value); /* 4 places */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
