/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c - bytes that grow up to a ceiling and no further. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, size_t limit)
{
	*b = (struct buf){.limit = limit};
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

void buf_end(struct buf *b)
{
	buf_done(b);
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

static int make_room(struct buf *b, size_t extra, struct error *err)
{
	size_t need, room = b->room ? b->room : 256;
	char *data;

	if (__builtin_add_overflow(b->len, extra + 1, &need))
		return fail(err, ERR_INTERNAL, "buffer size overflows");
	if (need <= b->room)
		return 0;
	while (room < need)
		if (__builtin_mul_overflow(room, (size_t)2, &room))
			return fail(err, ERR_INTERNAL, "buffer size overflows");
	data = realloc(b->data, room);
	if (!data)
		return fail_sys(err, "grow a buffer to %zu bytes", room);
	b->data = data;
	b->room = room;
	return 0;
}

int buf_expect(struct buf *b, size_t len, struct error *err)
{
	size_t fits = b->limit > b->len ? b->limit - b->len : 0;

	return make_room(b, len < fits ? len : fits, err);
}

int buf_add(struct buf *b, const void *data, size_t len, struct error *err)
{
	size_t fits = b->limit > b->len ? b->limit - b->len : 0;

	if (len > fits) {
		b->cut = true;
		len = fits;
	}
	if (make_room(b, len, err) < 0)
		return -1;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_add_str(struct buf *b, const char *str, struct error *err)
{
	return buf_add(b, str, strlen(str), err);
}

int buf_printf(struct buf *b, struct error *err, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int len, result;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return fail(err, ERR_SYSTEM, "format a message: out of memory");
	result = buf_add(b, text, (size_t)len, err);
	free(text);
	return result;
}
