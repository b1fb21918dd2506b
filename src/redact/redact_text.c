/* SPDX-License-Identifier: Apache-2.0 */
/* redact_text.c - one text that is there already: error messages, arguments in the log. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/own.h"
#include "redact/redact.h"

struct writing {
	struct buf out;
	bool lost;
};

static void write_on(void *context, const char *data, size_t len)
{
	struct writing *w = context;
	struct error err = {0};

	if (buf_add(&w->out, data, len, &err) < 0)
		w->lost = true;
}

char *redact_text(struct redact_set *set, const char *text, size_t len, size_t *ret_len,
		  struct error *err)
{
	struct writing w = {0};
	struct redactor *r = redactor_new(set, write_on, &w, err);
	char *ret;

	if (!r)
		return NULL;
	buf_init(&w.out, SIZE_MAX / 2);
	redactor_feed(r, text, len);
	redactor_finish(r);
	redactor_free(r);
	if (w.lost || buf_add(&w.out, "", 0, err) < 0) {
		buf_done(&w.out);
		(void)fail(err, ERR_SYSTEM, "out of memory for a redacted text");
		return NULL;
	}
	if (ret_len)
		*ret_len = w.out.len;
	ret = w.out.data ? TAKE(w.out.data) : calloc(1, 1);
	buf_done(&w.out);
	return ret;
}
