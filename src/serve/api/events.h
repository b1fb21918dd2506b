/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - the text of an event, as server-sent event or as a line of JSON. */
#ifndef SERVE_API_EVENTS_H
#define SERVE_API_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "serve/api/accept.h"

enum { EVENT_DATA_MAX = 16384 };

/* How many of len bytes the next event takes, and whether they are text.  A character that may
 * still become whole is held back unless these are the last bytes there will ever be. */
size_t event_cut(const char *data, size_t len, bool last, bool *ret_text);
struct event_piece {
	const char *stream; /* "stdout" or "stderr" */
	const char *data;
	size_t len;
	uint64_t offset;
	bool text;
};
int event_output(enum form form, const struct event_piece *p, struct buf *out, struct error *err);
/* object: a JSON object that somebody else wrote. */
int event_object(enum form form, const char *name, const char *object, size_t len, struct buf *out,
		 struct error *err);
/* A sign of life. */
const char *event_beat(enum form form);
const char *event_type(enum form form);

#endif
