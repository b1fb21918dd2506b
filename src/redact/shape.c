/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - what a text looks like: so many characters of a kind, then so many of another.
 *
 * Characters and borders of words are compared first: they tell most texts that only look alike
 * from afar.  What was read of a set stays known, so that no text makes anybody read it twice.
 */
#include "redact/shape.h"

enum {
	NEAR_BY = 128, /* what lies between two texts that is read to join them */
	AHEAD = 64,
};

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool shape_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

static inline bool is_in(const struct shape_sets *sets, const struct shape_text *t, size_t i,
			 unsigned set)
{
	return sets->of[(unsigned char)t->text[i]] >> set & 1;
}

static void read_on(const struct shape_sets *sets, struct shape_text *t, unsigned set, size_t to)
{
	struct shape_run *r = &t->runs[set];
	const char *text = t->text;
	size_t end = r->end;

	if (r->over)
		return;
	while (end < to && (sets->of[(unsigned char)text[end]] >> set & 1))
		end++;
	r->over = end < to;
	r->end = end;
}

/* Are text[from .. to) all in the set?  What was read is not enough to tell. */
__attribute__((noinline)) static bool read_all(const struct shape_sets *sets, struct shape_text *t,
					       unsigned set, size_t from, size_t to)
{
	struct shape_run *r = &t->runs[set];

	if (from > r->end && from - r->end <= NEAR_BY)
		read_on(sets, t, set, from);
	if (from > r->end)
		*r = (struct shape_run){.begin = from, .end = from};
	while (from < r->begin && !r->wall) {
		if (is_in(sets, t, r->begin - 1, set))
			r->begin--;
		else
			r->wall = true;
	}
	if (from < r->begin)
		return false;
	/* More than was asked for: the next one begins a little further. */
	read_on(sets, t, set, t->high - to < AHEAD ? t->high : to + AHEAD);
	return r->end >= to;
}

static inline bool all_in(const struct shape_sets *sets, struct shape_text *t, unsigned set,
			  size_t from, size_t to)
{
	const struct shape_run *r = &t->runs[set];

	/* What is a byte long is not worth a run, and would end one that is. */
	if (to - from == 1)
		return is_in(sets, t, from, set);
	if (from >= r->begin && to <= r->end)
		return true;
	return read_all(sets, t, set, from, to);
}

static bool is_border(const struct shape_text *t, size_t at)
{
	return (at > 0 && shape_word(t->text[at - 1])) != (at < t->high && shape_word(t->text[at]));
}

static bool are_chars(const struct shape *s, const struct shape_part *p, const char *text)
{
	for (size_t i = 0; i < p->count; i++)
		if ((s->caseless ? small(text[i]) : text[i]) != (char)p->what)
			return false;
	return true;
}

static bool has_part(const struct shape *s, const struct shape_part *p,
		     const struct shape_sets *sets, struct shape_text *t, size_t at)
{
	switch ((enum shape_kind)p->kind) {
	case SHAPE_CHAR:
		return are_chars(s, p, t->text + at);
	case SHAPE_BORDER:
		return is_border(t, at);
	case SHAPE_SET:
		return all_in(sets, t, p->what, at, at + p->count);
	}
	return false;
}

bool shape_fits(const struct shape *s, const struct shape_sets *sets, struct shape_text *t,
		size_t at)
{
	if (t->high - at < s->len)
		return false;
	for (const struct shape_part *p = s->parts; p < s->parts + s->n; p++)
		if (!has_part(s, p, sets, t, at + p->at))
			return false;
	return true;
}
