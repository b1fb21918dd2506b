/* SPDX-License-Identifier: Apache-2.0 */
/* redacting.h - text through a redactor, in pieces of any size. */
#ifndef TESTS_REDACTING_H
#define TESTS_REDACTING_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "redact/redact.h"

static inline struct redact_set *redacting_set(unsigned groups)
{
	const struct redact_config c = {.groups = groups};
	struct error err = {0};
	struct redact_set *set = redact_set_new(&c, &err);

	assert(set);
	return set;
}

static inline char *redacting_text(struct redact_set *set, const char *text)
{
	struct error err = {0};
	char *ret = redact_text(set, text, strlen(text), NULL, &err);

	assert(ret);
	return ret;
}

static inline void redacting_sink(void *context, const char *data, size_t len)
{
	struct error err = {0};
	int added = buf_add(context, data, len, &err);

	assert(added == 0);
	(void)added;
}

/* In pieces of the size that next() says. */
static inline void redacting_pieces(struct redact_set *set, const char *text, size_t len,
				    size_t (*next)(void *), void *context, struct buf *ret)
{
	struct error err = {0};
	struct redactor *r = redactor_new(set, redacting_sink, ret, &err);

	assert(r);
	buf_init(ret, (size_t)1 << 30);
	while (len > 0) {
		size_t n = next(context);

		n = n < len ? n : len;
		redactor_feed(r, text, n);
		text += n;
		len -= n;
	}
	redactor_finish(r);
	redactor_free(r);
}

static inline size_t redacting_same(void *context)
{
	return *(const size_t *)context;
}

#endif
