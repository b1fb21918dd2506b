/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_uri.c - a URI reference and its base become a URI, as RFC 3986 has it (section 5.2).
 *
 * Only names are made here: nothing is ever fetched.
 */
#include "policy/jsonschema_parts.h"

#include <string.h>

struct part {
	const char *at; /* NULL: there is none; empty is something else */
	size_t len;
};

struct uri {
	struct part scheme, authority, path, query, fragment;
};

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_scheme_char(char c)
{
	return is_alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

static struct part take_until(const char **text, const char *stop)
{
	struct part p = {*text, strcspn(*text, stop)};

	*text += p.len;
	return p;
}

static struct uri split(const char *text)
{
	struct uri u = {0};
	size_t n = 0;

	while (is_scheme_char(text[n]))
		n++;
	if (is_alpha(text[0]) && text[n] == ':') {
		u.scheme = (struct part){text, n};
		text += n + 1;
	}
	if (strncmp(text, "//", 2) == 0) {
		text += 2;
		u.authority = take_until(&text, "/?#");
	}
	u.path = take_until(&text, "?#");
	if (*text == '?') {
		text++;
		u.query = take_until(&text, "#");
	}
	if (*text == '#')
		u.fragment = (struct part){text + 1, strlen(text + 1)};
	return u;
}

static void put(char **to, const char *from, size_t len)
{
	if (len > 0)
		memcpy(*to, from, len);
	*to += len;
}

/* "a/./b" is "a/b" and "a/../b" is "b"; in place, the path begins at start and ends at *end. */
static void drop_dots(char *start, char **end)
{
	char *to = start;
	const char *from = start;

	while (from < *end) {
		const char *segment = from;
		size_t slash = *from == '/';
		size_t len;
		bool last;

		from += slash;
		while (from < *end && *from != '/')
			from++;
		len = (size_t)(from - segment) - slash;
		last = from == *end;
		if (len == 2 && memcmp(segment + slash, "..", 2) == 0) {
			while (to > start && *--to != '/')
				continue;
		} else if (len != 1 || segment[slash] != '.') {
			memmove(to, segment, len + slash);
			to += len + slash;
			continue;
		}
		/* What ended in a dot segment names a directory. */
		if (last && slash)
			*to++ = '/';
	}
	*end = to;
}

static void put_path(char **to, const struct uri *base, const struct uri *ref)
{
	const struct part *from = ref->path.len > 0 ? &ref->path : &base->path;
	char *start = *to;
	size_t keep = 0;

	if (ref->path.len > 0 && ref->path.at[0] != '/' && !ref->scheme.at && !ref->authority.at) {
		for (keep = base->path.len; keep > 0 && base->path.at[keep - 1] != '/';)
			keep--;
		put(to, base->path.at, keep);
		if (keep == 0 && base->authority.at)
			put(to, "/", 1);
	}
	put(to, from->at, from->len);
	/* What is no path of directories ("urn:a:b") has no dots to drop. */
	if (start < *to && *start == '/')
		drop_dots(start, to);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *decode(struct arena *a, const struct part *p, struct error *err)
{
	char *ret = arena_copy(a, p->at, p->len, err), *to = ret;

	for (const char *c = ret; ret && *c; c++) {
		int high, low;

		if (*c != '%') {
			*to++ = *c;
			continue;
		}
		high = hex(c[1]);
		low = high < 0 ? -1 : hex(c[2]);
		if (low < 0 || high + low == 0) {
			(void)fail(err, ERR_CALLER, "a percent sign stands before two hex digits");
			return NULL;
		}
		*to++ = (char)(high * 16 + low);
		c += 2;
	}
	if (to)
		*to = '\0';
	return ret;
}

int uri_resolve(struct arena *a, const char *base, const char *reference, const char **ret_uri,
		const char **ret_fragment, struct error *err)
{
	struct uri b = split(base), r = split(reference), none = {0};
	const struct uri *context = r.scheme.at ? &none : &b;
	const struct part *scheme = r.scheme.at ? &r.scheme : &b.scheme;
	const struct part *authority = r.authority.at ? &r.authority : &context->authority;
	const struct part *query = &r.query;
	char *uri = arena_alloc(a, strlen(base) + strlen(reference) + 8, err), *to = uri;

	if (!uri)
		return -1;
	if (r.path.len == 0 && !r.query.at && !r.authority.at)
		query = &context->query;
	put(&to, scheme->at, scheme->len);
	put(&to, ":", 1);
	if (authority->at) {
		put(&to, "//", 2);
		put(&to, authority->at, authority->len);
	}
	put_path(&to, r.authority.at ? &none : context, &r);
	if (query->at) {
		put(&to, "?", 1);
		put(&to, query->at, query->len);
	}
	*to = '\0';
	*ret_uri = uri;
	*ret_fragment = NULL;
	if (r.fragment.at)
		*ret_fragment = decode(a, &r.fragment, err);
	return r.fragment.at && !*ret_fragment ? -1 : 0;
}
