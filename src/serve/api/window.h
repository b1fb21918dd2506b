/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - the last bytes of a stream, addressed by their offset in the whole. */
#ifndef SERVE_API_WINDOW_H
#define SERVE_API_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct window {
	char *data;
	size_t len, room;
	size_t cap;    /* most bytes kept */
	uint64_t base; /* offset of data[0]; what was before it is lost */
};

void window_init(struct window *w, size_t cap);
void window_done(struct window *w);
/* At the end; what no longer fits goes from the beginning. */
int window_add(struct window *w, const void *data, size_t len, struct error *err);
/* Bytes between the end and offset that never came are lost, too. */
void window_skip(struct window *w, uint64_t offset);
static inline uint64_t window_end(const struct window *w)
{
	return w->base + w->len;
}

#endif
