/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h - bytes that grow up to a ceiling and no further. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct buf {
	char *data; /* always NUL-terminated once something was added; NULL before */
	size_t len;
	size_t room;
	size_t limit; /* most bytes ever kept */
	bool cut;     /* something was dropped because of the limit */
};

void buf_init(struct buf *b, size_t limit);
void buf_done(struct buf *b);
void buf_end(struct buf *b); /* for own(buf) */

/* About so many bytes will be added: room is made once. */
int buf_expect(struct buf *b, size_t len, struct error *err);
/* Keeps what fits, drops the rest and marks it as cut.  Fails only without memory. */
int buf_add(struct buf *b, const void *data, size_t len, struct error *err);
int buf_add_str(struct buf *b, const char *str, struct error *err);
int buf_printf(struct buf *b, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The text so far; never NULL. */
const char *buf_str(const struct buf *b);

#endif
