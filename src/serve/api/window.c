/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - keeps the end of a stream in bounded memory.
 *
 * When it is full, a quarter goes at once: the rest is then moved once for
 * many additions, not for each.
 */
#include "serve/api/window.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

void window_init(struct window *w, size_t cap)
{
	memset(w, 0, sizeof(*w));
	w->cap = cap;
}

void window_done(struct window *w)
{
	free(w->data);
	window_init(w, w->cap);
}

static int grow(struct window *w, size_t need, struct error *err)
{
	size_t room = w->room ? w->room : FIRST_ROOM;
	char *data;

	while (room < need)
		room *= 2;
	if (room > w->cap)
		room = w->cap;
	if (room <= w->room)
		return 0;
	data = realloc(w->data, room);
	if (!data)
		return fail_sys(err, "keep output");
	w->data = data;
	w->room = room;
	return 0;
}

static void drop(struct window *w, size_t n)
{
	memmove(w->data, w->data + n, w->len - n);
	w->len -= n;
	w->base += n;
}

int window_add(struct window *w, const void *data, size_t len, struct error *err)
{
	const char *bytes = data;

	if (len == 0)
		return 0;
	if (len >= w->cap) {
		w->base += w->len + (len - w->cap);
		w->len = 0;
		bytes += len - w->cap;
		len = w->cap;
	} else if (w->len + len > w->cap) {
		size_t over = w->len + len - w->cap, quarter = w->cap / 4;

		drop(w, over > quarter ? over : quarter < w->len ? quarter : w->len);
	}
	if (grow(w, w->len + len, err) < 0)
		return -1;
	memcpy(w->data + w->len, bytes, len);
	w->len += len;
	return 0;
}

void window_skip(struct window *w, uint64_t offset)
{
	if (offset <= window_end(w))
		return;
	w->base = offset;
	w->len = 0;
}
