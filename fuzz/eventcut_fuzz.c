/* SPDX-License-Identifier: Apache-2.0 */
/* eventcut_fuzz.c - any output becomes events, and nothing of it is lost or broken. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "serve/api/events.h"

static void write_piece(enum form form, const struct event_piece *p)
{
	struct error err = {0};
	own(buf) out;
	size_t lines = 0;

	buf_init(&out, (size_t)EVENT_DATA_MAX * 8 + 256);
	assert(event_output(form, p, &out, &err) == 0 && !out.cut);
	for (size_t i = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	assert(lines == (form == FORM_SSE ? 3 : 1)); /* whatever the bytes were */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	size_t at = 0;

	while (at < size) {
		struct event_piece p = {.stream = "stdout", .data = bytes + at, .offset = at};
		size_t held;

		p.len = event_cut(bytes + at, size - at, true, &p.text);
		assert(p.len > 0 && p.len <= size - at);
		assert(!p.text || text_is_utf8(p.data, p.len));
		held = event_cut(bytes + at, size - at, false, &p.text);
		assert(size - at > EVENT_DATA_MAX || held + 4 >= size - at);
		p.text = text_is_utf8(p.data, p.len);
		write_piece(FORM_SSE, &p);
		write_piece(FORM_NDJSON, &p);
		at += p.len;
	}
	return 0;
}
