/* SPDX-License-Identifier: Apache-2.0 */
/* tailclass.c - patterns that end in so many characters of a class, or more: where they end.
 *
 * A value without an end matches up to the end of a line, however long that is, and so does each
 * one that begins within it.  Whether and where such a pattern matches is told by its first bytes;
 * where the match ends is the same for all that begin in a row of such characters.
 */
#include "redact/tailclass.h"

#include <ctype.h>
#include <string.h>

enum {
	SMALL_NEED = 16, /* what looks around may see, too */
	DEPTH = 8,
	NUMBER_MOST = 100000, /* more is not read: there is no "}" behind it then */
};

/* A pattern as it is read. */
struct reading {
	const char *p;
	size_t depth;
	bool bar[DEPTH];   /* is there a "|" in the group, outside of groups in it? */
	bool shut_bar;     /* was there in the one that ended last? */
	const char *class; /* the last one */
	size_t numbers;    /* all that are in braces, added */
	bool open;         /* the last one was "{n,}" */
};

static const char *behind_class(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	for (; *p && *p != ']'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

/* Adds the number at r->p, which goes behind it. */
static void read_number(struct reading *r)
{
	size_t n = 0;

	for (; isdigit((unsigned char)*r->p) && n < NUMBER_MOST; r->p++)
		n = n * 10 + (size_t)(*r->p - '0');
	r->numbers += n;
}

/* "{n}", "{n,}" or "{n,m}" */
static bool read_braces(struct reading *r)
{
	r->p++;
	read_number(r);
	r->open = r->p[0] == ',' && r->p[1] == '}';
	if (*r->p == ',') {
		r->p++;
		read_number(r);
	}
	return *r->p++ == '}';
}

static bool read_group(struct reading *r)
{
	if (*r->p == ')') {
		r->shut_bar = r->bar[r->depth];
		r->p++;
		return r->depth-- > 0 && *r->p != '{'; /* a group is there once, or not at all */
	}
	if (r->p[1] == '?' && r->p[2] != ':')
		return false;
	r->p += r->p[1] == '?' ? 3 : 1;
	if (++r->depth == DEPTH)
		return false;
	r->bar[r->depth] = false;
	return true;
}

/* One part of it; false: it is not of the kind that is understood here. */
static bool read_part(struct reading *r)
{
	char c = *r->p;

	if (c == ')' && r->open) /* the end, as long as nothing follows */
		return read_group(r) && !*r->p;
	if (r->open || strchr("*+.^$", c))
		return false;
	if (c == '{')
		return read_braces(r) && (!r->open || r->class);
	r->class = c == '[' ? r->p : NULL;
	if (c == '(' || c == ')')
		return read_group(r);
	r->bar[r->depth] = r->bar[r->depth] || c == '|';
	if (c == '[')
		r->p = behind_class(r->p);
	else
		r->p += c == '\\' && r->p[1] ? 2 : 1;
	return true;
}

/* A character of a class; -1: a kind of them. */
static int read_char(const char **p)
{
	const char *c = *p;

	*p += *c == '\\' ? 2 : 1;
	if (*c != '\\')
		return (unsigned char)*c;
	if (c[1] == 't' || c[1] == 'n')
		return c[1] == 't' ? '\t' : '\n';
	return ispunct((unsigned char)c[1]) ? (unsigned char)c[1] : -1;
}

static bool read_class(const char *p, bool caseless, bool ret[static 256])
{
	bool others = p[1] == '^';

	for (p += others ? 2 : 1; *p != ']';) {
		int first = read_char(&p), last = first;

		if (*p == '-' && p[1] != ']') {
			p++;
			last = read_char(&p);
		}
		if (first < 0 || last < first)
			return false;
		for (int c = first; c <= last; c++) {
			ret[c] = true;
			if (caseless && isalpha(c))
				ret[c ^ 0x20] = true;
		}
	}
	for (size_t c = 0; c < 256; c++)
		ret[c] = ret[c] != others;
	return true;
}

/* The number of a class; -1: there are too many. */
static int number_of(struct tailclasses *all, const bool in[static 256])
{
	size_t n;

	for (n = 0; n < all->n; n++) {
		size_t c = 0;

		while (c < 256 && (all->of[c] >> n & 1) == in[c])
			c++;
		if (c == 256)
			return (int)n;
	}
	if (n == TAILCLASS_MOST)
		return -1;
	for (size_t c = 0; c < 256; c++)
		all->of[c] |= (uint64_t)in[c] << n;
	all->n++;
	return (int)n;
}

struct tail tail_read(struct tailclasses *all, const char *pattern)
{
	bool caseless = strncmp(pattern, "(?i)", 4) == 0, in[256] = {false};
	struct reading r = {.p = pattern + (caseless ? 4 : 0)};
	struct tail ret = {.known = true};
	size_t len = strlen(pattern);
	int which;

	while (*r.p)
		if (!read_part(&r))
			return ret;
	if (!r.open || r.depth > 0 || r.bar[0] || (pattern[len - 1] == ')' && r.shut_bar))
		return ret;
	if (!read_class(r.class, caseless, in) || (which = number_of(all, in)) < 0)
		return ret;
	ret.which = (uint8_t)which;
	ret.need = (uint32_t)(len + r.numbers + SMALL_NEED);
	return ret;
}

size_t tail_end(const struct tailclasses *all, unsigned which, struct tail_runs *seen,
		const char *text, struct tail_run within)
{
	struct tail_run *run = &seen->run[which];
	size_t i = within.from;

	if (seen->known >> which & 1 && i >= run->from && i <= run->end)
		return run->end;
	while (i < within.end && all->of[(unsigned char)text[i]] >> which & 1)
		i++;
	seen->known |= (uint64_t)1 << which;
	*run = (struct tail_run){within.from, i};
	return i;
}
