/* SPDX-License-Identifier: Apache-2.0 */
/* finder.c - all spans of whole lines: the fast search, then the exact one.
 *
 * Nothing that is looked for contains a newline, so what is found in a line does not depend on
 * which lines are looked at together.
 */
#include "redact/finder.h"

#include <stdlib.h>
#include <string.h>

#include "redact/lanes.h"
#include "redact/places.h"
#include "redact/signs.h"

enum {
	NEAR_BY = 256,    /* bytes between two marks that are looked at together */
	LINE_READ = 4096, /* that are searched for the end of a line at once */
	MOVES = 64,       /* of spans, for each of them */
};
_Static_assert((int)LINE_READ > (int)NEAR_BY, "is_one_line() must see all that extends() asks for");

int finder_init(struct finder *f, struct redact_set *set, struct error *err)
{
	*f = (struct finder){.set = set};
	/* Not zeroed: most texts are short, and what is not touched costs nothing. */
	f->marks = malloc(FINDER_MARKS * sizeof(*f->marks));
	f->spans.span = malloc(FINDER_SPANS * sizeof(*f->spans.span));
	f->spans.room = FINDER_SPANS;
	f->recent = calloc(set->n, sizeof(*f->recent));
	if (!f->marks || !f->spans.span || !f->recent)
		return fail_sys(err, "allocate for redaction");
	return 0;
}

void finder_done(struct finder *f)
{
	free(f->marks);
	free(f->spans.span);
	free(f->recent);
	*f = (struct finder){0};
}

/* Is there no newline in text[from .. to)?  What was read for one mark is not read for the next. */
static bool is_one_line(struct finder *f, size_t from, size_t to)
{
	size_t end = f->in.high - from < LINE_READ ? f->in.high : from + LINE_READ;
	const char *newline;

	if (from >= f->line && to <= f->line_end)
		return true;
	newline = memchr(f->in.text + from, '\n', end - from);
	f->line = from;
	f->line_end = newline ? (size_t)(newline - f->in.text) : end;
	return to <= f->line_end;
}

/* Does it go on from the last mark of its rule, in the same line? */
static bool extends(struct finder *f, const struct mark *m, size_t to)
{
	return to >= m->last && to - m->last <= NEAR_BY && is_one_line(f, m->last, to);
}

static bool add_mark(struct finder *f, size_t rule, size_t end)
{
	uint16_t *recent = &f->recent[rule];

	if (*recent && extends(f, &f->marks[*recent - 1], end)) {
		f->marks[*recent - 1].last = end;
		return true;
	}
	if (f->n_marks == FINDER_MARKS)
		return false;
	f->marks[f->n_marks++] = (struct mark){rule, end, end};
	*recent = (uint16_t)f->n_marks;
	return true;
}

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
		    void *context)
{
	struct finder *f = context;
	size_t rule = set_entry_of(f->set, f->db, id);

	(void)from;
	(void)flags;
	if (!f->set->entries[rule].wanted)
		return 0;
	return add_mark(f, rule, f->in.low + (size_t)to) ? 0 : 1;
}

/* Up to the next blank.  Beginnings come in order: what was read for one is not read again. */
static size_t dark_end(struct finder *f, size_t at)
{
	size_t i = at;

	if (at < f->dark)
		return f->dark;
	for (; i + LANES <= f->in.high; i += LANES) {
		lanes v = lanes_load(f->in.text + i);
		uint32_t blanks =
			lanes_bits((lanes)(v == ' ') | (lanes)(v == '\n') | (lanes)(v == '\t'));

		if (blanks)
			return f->dark = i + (size_t)__builtin_ctz(blanks);
	}
	while (i < f->in.high && !strchr(" \n\t", f->in.text[i]))
		i++;
	return f->dark = i;
}

/* No pattern that has beginnings matches a blank: most of what only begins like a secret is too
 * short for one. */
static bool on_start(void *context, size_t at, size_t rule, size_t *until)
{
	struct finder *f = context;
	const struct entry *e = &f->set->entries[rule];

	if (!e->wanted)
		return true;
	/* What begins later in the same run is still shorter. */
	if (dark_end(f, at) - at < e->least) {
		*until = f->dark < *until ? f->dark : *until;
		return true;
	}
	*until = 0;
	return add_mark(f, rule, at + STARTS_REACH);
}

static bool on_anchor(void *context, size_t at, size_t rule)
{
	struct finder *f = context;

	return !f->set->entries[rule].wanted || add_mark(f, rule, at + 1);
}

/* signs.c counts from the floor. */
static bool on_name(void *context, size_t at, size_t rule)
{
	return on_anchor(context, ((const struct finder *)context)->in.floor + at, rule);
}

static bool on_place(void *context, size_t at, enum place place)
{
	static const enum redact_hand hands[PLACE_COUNT] = {HAND_HOME, HAND_TEMP};
	const struct finder *f = context;
	size_t rule = f->set->hand[hands[place]];

	return rule == f->set->n || on_anchor(context, at, rule);
}

static bool scan(struct finder *f)
{
	const struct redact_set *set = f->set;

	f->n_marks = 0;
	f->dark = f->line = f->line_end = 0;
	if (set->starts && !starts_find(set->starts, &f->in, on_start, f))
		return false;
	if (set->anchors && !anchors_find(set->anchors, &f->in, on_anchor, f))
		return false;
	if ((set->hand[HAND_HOME] < set->n || set->hand[HAND_TEMP] < set->n) &&
	    !places_find(&f->in, on_place, f))
		return false;
	for (f->db = 0; f->db < SET_DATABASES; f->db++) {
		if (!set->db_wanted[f->db] || !set->db[f->db].db)
			continue;
		if (patterns_scan()(set->db[f->db].db, f->in.text + f->in.low,
				    (unsigned)(f->in.high - f->in.low), 0, set->scratch, on_match,
				    f) != HS_SUCCESS)
			return false;
	}
	return signs_find(set, &f->in, on_name, f, &f->spans);
}

/* By begin; at the same one the longest, then the rule that comes first. */
static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->rule > y->rule) - (x->rule < y->rule);
}

/* Where the next one belongs among the first n, which are sorted. */
static size_t place_of(const struct span *span, size_t n, const struct span *next)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (by_begin(&span[middle], next) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Each search finds from left to right, and few find anything: what is out of its order is moved,
 * as long as that does not become more work than sorting. */
static void sort_spans(struct spans *s)
{
	size_t moves = s->n * MOVES;

	for (size_t i = 1; i < s->n; i++) {
		struct span one = s->span[i];
		size_t place;

		if (by_begin(&s->span[i - 1], &one) <= 0)
			continue;
		place = place_of(s->span, i, &one);
		if (i - place > moves) {
			qsort(s->span, s->n, sizeof(*s->span), by_begin);
			return;
		}
		moves -= i - place;
		memmove(&s->span[place + 1], &s->span[place], (i - place) * sizeof(one));
		s->span[place] = one;
	}
}

int finder_run(struct finder *f, const struct stretch *in)
{
	struct cut_line line;
	bool whole;

	/* Not zeroed: what was seen of it is large, and most lines have no mark. */
	line.from = line.end = line.tails.known = 0;
	f->in = *in;
	f->spans.n = 0;
	f->spans.full = false;
	whole = scan(f);
	for (size_t i = 0; i < f->n_marks; i++)
		f->recent[f->marks[i].rule] = 0;
	if (!whole)
		return -1;
	for (size_t i = 0; i < f->n_marks && !f->spans.full; i++)
		cut_mark(f->set, &f->marks[i], in, &line, &f->spans);
	if (f->spans.full)
		return -1;
	sort_spans(&f->spans);
	return 0;
}
