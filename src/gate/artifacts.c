/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.c - files that come out of a box: without secrets, or not at all. */
#include "gate/artifacts.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

enum { WHY_ROOM = 96, COUNTS_MAX = 512 };

struct cleaning {
	struct buf *out;
	bool lost;
};

static void keep(void *context, const char *data, size_t len)
{
	struct cleaning *c = context;
	struct error err = {0};

	if (buf_add(c->out, data, len, &err) < 0 || c->out->cut)
		c->lost = true;
}

static bool is_text(const char *data, size_t len)
{
	return !memchr(data, '\0', len) && text_is_utf8(data, len);
}

/* The first known value that was found; NULL: none. */
static const char *known_in(const struct redactor *r, struct redact_count *counts, size_t room)
{
	static const char prefix[] = "secret:";
	size_t n = redactor_counts(r, counts, room);

	for (size_t i = 0; i < n && i < room; i++)
		if (counts[i].count && strncmp(counts[i].id, prefix, sizeof(prefix) - 1) == 0)
			return counts[i].id + sizeof(prefix) - 1;
	return redactor_canary(r);
}

static enum artifact_verdict judge(const struct redactor *r, const char *data, size_t len,
				   const struct buf *cleaned, char *why)
{
	struct redact_count counts[COUNTS_MAX];
	const char *known;

	if (is_text(data, len))
		return cleaned->len == len && memcmp(buf_str(cleaned), data, len) == 0
			       ? ARTIFACT_SAME
			       : ARTIFACT_CLEANED;
	known = known_in(r, counts, ARRAY_LEN(counts));
	if (!known)
		return ARTIFACT_SAME;
	(void)snprintf(why, WHY_ROOM, "the secret '%.40s' is in it, and it is no text", known);
	return ARTIFACT_REFUSED;
}

int artifact_clean(struct redact_set *set, const char *data, size_t len, struct buf *ret,
		   enum artifact_verdict *ret_verdict, char *why, struct error *err)
{
	struct cleaning c = {.out = ret};
	struct redactor *r;

	*ret_verdict = ARTIFACT_REFUSED;
	why[0] = '\0';
	if (!set) {
		*ret_verdict = ARTIFACT_SAME;
		return 0;
	}
	r = redactor_new(set, keep, &c, err);
	if (!r)
		return -1;
	redactor_feed(r, data, len);
	redactor_finish(r);
	if (!c.lost)
		*ret_verdict = judge(r, data, len, ret, why);
	redactor_free(r);
	return c.lost ? fail(err, ERR_SYSTEM, "a file is too large to be redacted") : 0;
}
