/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.c - words before a sign that say whose the value behind it is: "okta_token = 00...".
 *
 * Names of vendors are in every text that speaks of them, values of sixteen characters behind a
 * sign are in few.  So the value is looked at first, then the words before its sign, and last
 * whether the value looks as that vendor's do.
 */
#include "redact/nearnames.h"

enum {
	GAP = 24, /* these as NEAR() has them: a test compares what is found */
	BLANKS = 3,
	FAR_BLANKS = 2,            /* and this as GIVEN_BLANKS */
	BEFORE = GAP + 1 + BLANKS, /* between a word and its sign, at most */
};

static inline unsigned char small(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static bool are_blanks(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ')
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Where NEAR_GAP before text[q] begins, if text[reach .. q) are known to be part of it. */
static inline size_t gap_begin(const struct nearlook *l, size_t from, size_t q, size_t reach)
{
	const struct nearnames *n = l->names;

	while (reach > from && q - reach < GAP &&
	       n->sets.of[(unsigned char)l->in.text[reach - 1]] >> n->gap & 1)
		reach--;
	return reach;
}

/* Bits first to last. */
static inline uint32_t bits_between(size_t first, size_t last)
{
	return (2u << last) - (1u << first);
}

/* Where the word before a sign may end: bit i is text[end - i].  What may stand between them is
 * NEAR_GAP, a quote, and blanks. */
static uint32_t word_ends(const struct nearlook *l, size_t from, size_t end)
{
	const char *text = l->in.text;
	size_t reach = end;
	uint32_t ends = 0;

	for (size_t q = end;; q--) {
		reach = gap_begin(l, from, q, reach < q ? reach : q);
		ends |= bits_between(end - q, end - reach);
		if (q > from && (text[q - 1] == '"' || text[q - 1] == '\''))
			ends |= bits_between(end - q + 1, end - gap_begin(l, from, q - 1, q - 1));
		if (q == from || end - q == BLANKS || !is_blank(text[q - 1]))
			return ends;
	}
}

/* "_auth = ..." with two blanks at most. */
static uint32_t far_ends(const struct nearlook *l, size_t from, size_t sign, size_t value)
{
	const char *text = l->in.text;
	uint32_t ends = 1;

	if (value - sign - 1 > FAR_BLANKS || !are_blanks(text + sign + 1, value - sign - 1))
		return 0;
	for (size_t i = 1; i <= FAR_BLANKS && sign - i >= from && text[sign - i] == ' '; i++)
		ends |= 1u << i;
	return ends;
}

static bool is_there(const struct nearword *w, const char *at)
{
	for (size_t i = 0; i < w->len; i++)
		if (small(at[i]) != (unsigned char)w->text[i])
			return false;
	return true;
}

static bool has_shape(struct nearlook *l, const struct nearword *w, size_t value)
{
	for (size_t i = w->first; i < w->behind; i++)
		if (shape_fits(&l->names->shapes[i], &l->names->sets, &l->in, value))
			return true;
	return false;
}

/* A sign that is looked at: where what is before it begins and ends, what is behind it, and which
 * kinds of values that can be. */
struct looked {
	size_t from, sign, end, value;
	uint64_t kinds;
	uint32_t near; /* word_ends(); 0: not asked yet, it has the end of the name at least */
};

/* May a word end so many bytes before the sign?  Most texts have none: it is asked when one was
 * seen. */
static bool ends_here(const struct nearlook *l, struct looked *s, enum nearjoint joint, size_t left)
{
	bool given = l->in.text[s->sign] == '=' && s->end == s->sign;

	switch (joint) {
	case NEARJOINT_GIVEN:
		return given && s->value == s->sign + 1 && left == 0;
	case NEARJOINT_FAR:
		return given && far_ends(l, s->from, s->sign, s->value) >> left & 1;
	default:
		if (!s->near)
			s->near = word_ends(l, s->from, s->end);
		return s->near >> left & 1;
	}
}

/* The words that begin at text[at] and end where one may. */
__attribute__((noinline)) static bool look_at_row(struct nearlook *l, size_t at, struct looked *s)
{
	const struct nearnames *n = l->names;
	const char *text = l->in.text + at;
	size_t left = s->end - at;

	for (size_t i = n->row[nearnames_row(text)]; i; i = n->words[i - 1].next) {
		const struct nearword *w = &n->words[i - 1];

		if (!(s->kinds >> w->kind & 1) || left < w->len || left - w->len > BEFORE ||
		    !is_there(w, text) || (w->begins && at > 0 && shape_word(text[-1])) ||
		    !ends_here(l, s, w->joint, left - w->len))
			continue;
		l->value = s->value;
		l->open = w->open;
		if (has_shape(l, w, s->value) && !l->hit(l->context, at, w->entry))
			return false;
	}
	return true;
}

/* A word of the table may begin at text[at]. */
static inline bool may_begin(const struct nearnames *n, const char *text, uint64_t kinds)
{
	uint32_t bit = nearnames_bit(text);
	size_t row;

	if (!(n->bits[bit / 32] >> bit % 32 & 1))
		return false;
	row = n->row[nearnames_row(text)];
	return row && (n->words[row - 1].kinds & kinds);
}

bool nearnames_look(struct nearlook *l, size_t last, size_t sign, size_t value, uint64_t kinds)
{
	const struct nearnames *n = l->names;
	const char *text = l->in.text;
	/* ":=" is one sign. */
	size_t end = text[sign] == '=' && sign > 0 && text[sign - 1] == ':' ? sign - 1 : sign, at;
	struct looked looked;

	/* No sign is in a word, or between one and its sign. */
	last = last > l->low ? last : l->low;
	if (end < last + NEARNAMES_LEAST)
		return true;
	at = end - last > BEFORE + NEARNAMES_WORD ? end - BEFORE - NEARNAMES_WORD : last;
	while (at + NEARNAMES_LEAST <= end && !may_begin(n, text + at, kinds))
		at++;
	if (at + NEARNAMES_LEAST > end)
		return true;
	looked = (struct looked){last, sign, end, value, kinds, 0};
	for (; at + NEARNAMES_LEAST <= end; at++)
		if (may_begin(n, text + at, kinds) && !look_at_row(l, at, &looked))
			return false;
	return true;
}

size_t nearnames_value_end(const struct nearlook *l, size_t most)
{
	const struct shape_run *known = &l->in.runs[l->open - 1];
	size_t limit = l->in.high - l->value < most ? l->in.high : l->value + most;
	/* Its shape was read just now. */
	size_t end = l->value >= known->begin && l->value < known->end ? known->end : l->value;

	if (end >= limit)
		return limit;

	while (end < limit &&
	       (l->names->sets.of[(unsigned char)l->in.text[end]] >> (l->open - 1) & 1))
		end++;
	return end;
}
