/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - writes events; bytes that are not UTF-8 go as base64. */
#include "serve/api/events.h"

#include <string.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"

size_t event_cut(const char *data, size_t len, bool last, bool *ret_text)
{
	size_t whole;

	if (len > EVENT_DATA_MAX) {
		len = EVENT_DATA_MAX;
		last = false;
	}
	whole = last ? len : text_utf8_floor(data, len);
	*ret_text = text_is_utf8(data, whole);
	return *ret_text ? whole : len;
}

static int begin(enum form form, const char *name, struct buf *out, struct error *err)
{
	if (form == FORM_SSE)
		return buf_printf(out, err, "event: %s\ndata: ", name);
	return buf_printf(out, err, "{\"event\":\"%s\"", name);
}

static int end(enum form form, struct buf *out, struct error *err)
{
	return buf_add_str(out, form == FORM_SSE ? "\n\n" : "\n", err);
}

/* A line break in JSON stands between its parts and means nothing; here it would end the line. */
static int add_line(struct buf *out, const char *text, size_t len, struct error *err)
{
	size_t from = out->len;

	if (buf_add(out, text, len, err) < 0)
		return -1;
	for (size_t i = from; i < out->len; i++)
		if (out->data[i] == '\n' || out->data[i] == '\r')
			out->data[i] = ' ';
	return 0;
}

int event_object(enum form form, const char *name, const char *object, size_t len, struct buf *out,
		 struct error *err)
{
	size_t at = 0;

	if (begin(form, name, out, err) < 0)
		return -1;
	if (form == FORM_NDJSON) {
		/* Its members go into the line's own object. */
		while (at < len && object[at] != '{')
			at++;
		at += at < len;
		at += strspn(object + at, " \t\r\n");
		if (buf_add_str(out, at < len && object[at] != '}' ? "," : "", err) < 0)
			return -1;
	}
	if (len == at && form == FORM_NDJSON && buf_add_str(out, "}", err) < 0)
		return -1;
	if (add_line(out, object + at, len - at, err) < 0)
		return -1;
	return end(form, out, err);
}

int event_output(enum form form, const struct event_piece *p, struct buf *out, struct error *err)
{
	own(buf) object;
	struct jsonout j;

	buf_init(&object, (size_t)EVENT_DATA_MAX * 8);
	jsonout_start(&j, &object, err);
	jsonout_object(&j, NULL);
	if (p->text)
		jsonout_bytes(&j, "data", p->data, p->len);
	else
		jsonout_base64(&j, "data_base64", p->data, p->len);
	jsonout_uint(&j, "offset", p->offset);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		return -1;
	return event_object(form, p->stream, buf_str(&object), object.len, out, err);
}

const char *event_beat(enum form form)
{
	return form == FORM_SSE ? ": still here\n\n" : "{\"event\":\"alive\"}\n";
}

const char *event_type(enum form form)
{
	return form == FORM_SSE ? "text/event-stream" : "application/x-ndjson";
}
