/* SPDX-License-Identifier: Apache-2.0 */
/* fileclean.c - files that come out of a box: without secrets, or not at all. */
#include "gate/fileclean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

enum { COUNTS_MAX = 512 };

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

static void judge(const struct redactor *r, const char *data, size_t len, const struct buf *cleaned,
		  struct artifact_judged *ret)
{
	struct redact_count counts[COUNTS_MAX];
	const char *known;

	if (is_text(data, len)) {
		bool same = cleaned->len == len && memcmp(buf_str(cleaned), data, len) == 0;

		ret->verdict = same ? ARTIFACT_SAME : ARTIFACT_CLEANED;
		return;
	}
	known = known_in(r, counts, ARRAY_LEN(counts));
	if (known)
		(void)snprintf(ret->why, sizeof(ret->why),
			       "the secret '%.40s' is in it, and it is no text", known);
	else
		ret->verdict = ARTIFACT_SAME;
}

int artifact_clean(struct redact_set *set, const char *data, size_t len, struct buf *ret,
		   struct artifact_judged *ret_judged, struct error *err)
{
	struct cleaning c = {.out = ret};
	struct redactor *r;

	*ret_judged = (struct artifact_judged){.verdict = ARTIFACT_REFUSED};
	if (!set) {
		ret_judged->verdict = ARTIFACT_SAME;
		return 0;
	}
	r = redactor_new(set, keep, &c, err);
	if (!r)
		return -1;
	redactor_feed(r, data, len);
	redactor_finish(r);
	if (!c.lost)
		judge(r, data, len, ret, ret_judged);
	redactor_free(r);
	return c.lost ? fail(err, ERR_SYSTEM, "a file is too large to be redacted") : 0;
}

int artifact_clean_name(struct redact_set *set, char **name, struct error *err)
{
	size_t len;
	char *clean;

	if (!set)
		return 0;
	clean = redact_text(set, *name, strlen(*name), &len, err);
	if (!clean) {
		(*name)[0] = '\0';
		return -1;
	}
	free(*name);
	*name = clean;
	return 0;
}
