/* SPDX-License-Identifier: Apache-2.0 */
/* jsonout.h - writes JSON straight into a buffer.
 *
 * Only a writer: a one-shot run must not load a library to print one object.
 * Commas are kept by the writer; the caller opens, fills and closes.
 */
#ifndef BASE_JSONOUT_H
#define BASE_JSONOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct jsonout {
	struct buf *out;
	struct error *err;
	bool comma;  /* the next value needs one in front */
	bool failed; /* sticky; jsonout_end() reports it */
};

void jsonout_start(struct jsonout *j, struct buf *out, struct error *err);
int jsonout_end(struct jsonout *j);

/* key is NULL inside arrays and at the top. */
void jsonout_object(struct jsonout *j, const char *key);
void jsonout_object_end(struct jsonout *j);
void jsonout_array(struct jsonout *j, const char *key);
void jsonout_array_end(struct jsonout *j);
void jsonout_str(struct jsonout *j, const char *key, const char *value); /* NULL: null */
/* What is not UTF-8 among them is written as the text \xNN: ask text_is_utf8 if that matters. */
void jsonout_bytes(struct jsonout *j, const char *key, const char *data, size_t len);
void jsonout_base64(struct jsonout *j, const char *key, const void *data, size_t len);
/* Text that is JSON already. */
void jsonout_raw(struct jsonout *j, const char *key, const char *json, size_t len);
void jsonout_int(struct jsonout *j, const char *key, int64_t value);
void jsonout_uint(struct jsonout *j, const char *key, uint64_t value);
void jsonout_ms(struct jsonout *j, const char *key,
		uint64_t microseconds); /* as milliseconds, 3 places */
void jsonout_ratio(struct jsonout *j, const char *key, double value); /* 4 places */
void jsonout_bool(struct jsonout *j, const char *key, bool value);
void jsonout_null(struct jsonout *j, const char *key);

#endif
