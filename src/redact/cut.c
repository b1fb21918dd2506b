/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c - the exact spans of what the fast search has marked.
 *
 * PCRE2 looks at one line only, from where a match can begin, for the marked rule only, and with
 * limits.  When one is reached the line is replaced whole.  Of a long line a match is shown no more
 * than it needs: where a value without an end is over is the same for all that begin in it
 * (tailclass.h).
 */
#include "redact/cut.h"

#include <string.h>

enum {
	LOOK_BACK = 8, /* bytes before: \b needs one */
	/* What looks like the end of one may be the begin of the next: "glc_...+glc_...". */
	NEXT_BEGIN = 12,  /* bytes, at most; a rule's first word has no more (starts.c) */
	LONG_LINE = 1024, /* bytes behind a mark, of which most matches need fewer */
	NEXT_NAME = 64,   /* the same for "sid=.../sid=...": a word, and what NEAR_GAP may be */
};

/* Where the search is, in a line; all offsets from its begin. */
struct look {
	const char *line;
	size_t len, at, last;
	size_t shift;  /* of line in the text */
	size_t enough; /* of it; len: a match is looked for in all of it */
};

void spans_add(struct spans *s, struct span span)
{
	if (s->n == s->room)
		s->full = true;
	else if (span.end > span.begin)
		s->span[s->n++] = span;
}

/* The first group that took part is the secret. */
static void secret_of(pcre2_match_data *data, int groups, struct found *f)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data);

	f->from = f->begin = ends[0];
	f->to = f->end = ends[1];
	for (size_t i = 1; i < (size_t)groups; i++) {
		if (ends[2 * i] != PCRE2_UNSET) {
			f->begin = ends[2 * i];
			f->end = ends[2 * i + 1];
			return;
		}
	}
}

/* Always behind the begin of what was found. */
static size_t look_on(const struct entry *e, const struct found *f)
{
	size_t back = e->rule && e->rule->begins ? NEXT_BEGIN : 0;

	if (e->rule && f->begin > f->from)
		return f->end > f->begin + NEXT_NAME ? f->end - NEXT_NAME : f->begin;
	return f->end > f->from + back ? f->end - back : f->from + 1;
}

/* Adds what was found, if it is a secret; returns where to look on. */
static size_t judge(const struct entry *e, size_t rule, struct look *l, struct found *f,
		    struct spans *ret)
{
	size_t to = f->to, begin = f->begin;

	if (!e->rule || !e->rule->check || e->rule->check(f)) {
		spans_add(ret, (struct span){l->shift + f->from, l->shift + f->begin,
					     l->shift + f->end, rule});
		return look_on(e, f);
	}
	if (f->to != to) /* the check knows where it makes sense again */
		return f->to > f->from ? f->to : f->from + 1;
	return begin > f->from ? begin : f->from + 1;
}

static int search(struct redact_set *set, const pcre2_code *code, const struct look *l)
{
	int groups;

	(void)pcre2_set_offset_limit(set->limits, l->last);
	groups = pcre2_match(code, (PCRE2_SPTR)l->line, l->enough, l->at, 0, set->match,
			     set->limits);
	/* 0: more groups than we have room for. */
	return groups == 0 ? (int)pcre2_get_ovector_count(set->match) : groups;
}

/* In a long line a match that does not end before enough of it goes on as its tail does. */
static void find_end(const struct redact_set *set, size_t rule, const struct look *l,
		     struct cut_line *line, struct found *f)
{
	size_t end;

	if (f->to < l->enough || l->enough == l->len)
		return;
	end = tail_end(&set->tails, set->entries[rule].tail.which, &line->tails, l->line - l->shift,
		       (struct tail_run){l->shift + f->to, l->shift + l->len}) -
	      l->shift;
	f->end = f->end == f->to ? end : f->end;
	f->to = end;
}

static size_t enough_of(struct redact_set *set, size_t rule, const struct look *l)
{
	uint32_t need;

	if (l->len - l->last < LONG_LINE)
		return l->len;
	need = set_tail(set, rule).need;
	return need > 0 && l->len - l->last > need ? l->last + need : l->len;
}

static size_t line_end(const struct stretch *in, struct cut_line *line, size_t at)
{
	const char *newline;

	if (at < line->from || at > line->end) {
		newline = memchr(in->text + at, '\n', in->high - at);
		line->from = at;
		line->end = newline ? (size_t)(newline - in->text) : in->high;
	}
	return line->end;
}

void cut_mark(struct redact_set *set, const struct mark *m, const struct stretch *in,
	      struct cut_line *line, struct spans *ret)
{
	const struct entry *e = &set->entries[m->rule];
	const pcre2_code *code = set_code(set, m->rule, m->last - m->first);
	const char *text = in->text;
	size_t least = m->first - in->low > e->reach ? m->first - e->reach : in->low;
	const char *before = memrchr(text + least, '\n', m->first - least);
	size_t start = before ? (size_t)(before - text) + 1 : least;
	size_t end = line_end(in, line, m->last);
	size_t back = start - in->floor < LOOK_BACK ? start - in->floor : LOOK_BACK;
	struct look l = {text + start - back,    end - start + back, back,
			 m->last - start + back, start - back,       0};
	int groups = PCRE2_ERROR_INTERNAL;

	l.enough = enough_of(set, m->rule, &l);
	while (code && l.at <= l.last && (groups = search(set, code, &l)) > 0) {
		struct found f = {.text = l.line, .len = l.len};

		secret_of(set->match, groups, &f);
		find_end(set, m->rule, &l, line, &f);
		l.at = judge(e, m->rule, &l, &f, ret);
		code = set_code(set, m->rule, 0); /* it may be worth more by now */
	}
	if (!code || (groups < 0 && groups != PCRE2_ERROR_NOMATCH))
		spans_add(ret, (struct span){start, start, end, set->limit});
}
