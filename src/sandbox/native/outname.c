/* SPDX-License-Identifier: Apache-2.0 */
/* outname.c - the names of files that come out of a box go through the same filter as the text. */
#include "sandbox/native/outname.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "sandbox/native/outdir.h"

/* What a filter may make of the longest name. */
enum { CLEAN_MOST = 16 * PATH_MAX };

struct cleaning {
	struct buf text;
	bool lost;
};

static void keep(void *to, const char *data, size_t len)
{
	struct cleaning *c = to;
	struct error err = {0};

	if (buf_add(&c->text, data, len, &err) < 0 || c->text.cut)
		c->lost = true;
}

static int replace(struct artifact *a, const struct buf *clean, struct error *err)
{
	char *name = strndup(buf_str(clean), clean->len);

	if (!name)
		return fail_sys(err, "keep a file name");
	free(a->name);
	a->name = name;
	artifact_refuse(a, "its name has something in it that is redacted");
	return 0;
}

int outname_clean(const struct filter *filter, struct artifact *a, struct error *err)
{
	struct cleaning c = {0};
	size_t len = strlen(a->name);
	int result = 0;

	if (!filter)
		return 0;
	buf_init(&c.text, CLEAN_MOST);
	if (!filter->feed(filter->context, a->name, len, keep, &c) ||
	    !filter->finish(filter->context, keep, &c) || c.lost)
		result = fail(err, ERR_SYSTEM, "a file name cannot be redacted");
	else if (c.text.len != len || memcmp(buf_str(&c.text), a->name, len) != 0)
		result = replace(a, &c.text, err);
	buf_done(&c.text);
	return result;
}
