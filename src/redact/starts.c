/* SPDX-License-Identifier: Apache-2.0 */
/* starts.c - words that begin with what a credential begins with: "ghp_", "AKIA".
 *
 * Only where a word begins, and what follows may be a value, is looked at: sixteen bytes at a time
 * tell that.  Four of them say that it is no beginning, nearly always.  If they do not, kinds of
 * the next sixteen are compared with those that the first three can have behind them; then these
 * choose a row of a table, and all four another.  What is in the row must fit and be followed by
 * what its rule wants there, which the build has read from the pattern: text that is full of
 * beginnings costs little more than any other.
 */
#include "redact/starts.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "redact/lanes.h"

enum {
	BLOCK = 64,
	RUN_LEAST = 8,
	WORD_LEAST = STARTS_WORD_LEAST,
	WORD_MOST = STARTS_WORD,
	VALUE_LEAST = STARTS_VALUE,
	COLON_FIRST = STARTS_COLON_FIRST,
	COLON_LAST = STARTS_COLON_LAST,
	REFUSED = 64,
	FAR = 32,    /* bytes: text that says the same again and again has said it by then */
	STAY = 1024, /* bytes: text that says the same again and again goes on to do so */
	AHEAD = 64,  /* of a part, that are read for those which begin a little later */
};
_Static_assert((int)COLON_LAST + 2 + 4 == (int)WORD_LEAST + (int)VALUE_LEAST, "see long_words()");

/* Eight bytes and four, of which only those of the word count. */
static inline bool is_word_at(const struct start *e, const char *at)
{
	uint64_t eight, mine;
	uint32_t four, my_four;

	memcpy(&eight, at, sizeof(eight));
	memcpy(&four, at + sizeof(eight), sizeof(four));
	memcpy(&mine, e->word, sizeof(mine));
	memcpy(&my_four, e->word + sizeof(mine), sizeof(my_four));
	return (((eight ^ mine) & e->eight) | ((four ^ my_four) & e->four)) == 0;
}

/* What was read of a text last: bytes of a set in a row.  Many words have values of the same, and
 * in text that is full of them nobody should read these again and again. */
struct run {
	const struct nextchars_set *set;
	size_t begin, end;
};

/* The same of a set of parts, each of which has its own: most values are of few sets, and begin in
 * each other. */
struct part_run {
	size_t begin, end;
};

/* text[at .. at + len) is no beginning, whatever follows, if it is before text[until]. */
struct refused {
	size_t at, len, until;
};

struct looking {
	const struct starts *starts;
	const char *text;
	size_t floor, high;
	starts_hit *hit;
	void *context;
	struct run run;
	struct part_run parts[STARTS_RUNS];
	size_t seen;  /* so far was read to tell what the last ones were */
	size_t until; /* hit() takes none of them before this */
	size_t all;   /* up to here drop_some() is not asked: it dropped none */
	struct refused refused[REFUSED];
};

/* Behind the bytes of the set from text[from] on, of which no more are read than those before
 * text[to]. */
static inline size_t run_end(const char *text, struct run *r, const struct nextchars_set *set,
			     size_t from, size_t to)
{
	size_t end;

	if (r->set != set || from < r->begin || from > r->end)
		*r = (struct run){set, from, from};
	for (end = r->end; end < to && nextchars_in(set, (unsigned char)text[end]);)
		end++;
	r->end = end;
	return end;
}

/* It does not fit, because of what is before text[to]; returns false. */
static inline bool refuse(struct looking *l, size_t to)
{
	l->seen = to > l->seen ? to : l->seen;
	return false;
}

/* A word at text[at] does not fit, because text[end] is in a part of it that begins at text[from].
 * If that is far away, it tells the same of all that begin before the part would. */
static bool refuse_part(struct looking *l, size_t at, size_t end, size_t from)
{
	size_t until = at + (end - from) + 1;

	if (end - at < FAR)
		return refuse(l, end + 1);
	l->until = until < l->until ? until : l->until;
	return refuse(l, at + WORD_MOST);
}

/* Where a byte that is not in a part's set is among text[from .. to); to or more: none is known. */
static size_t part_end(struct looking *l, unsigned set, size_t from, size_t to)
{
	const uint32_t *sets = l->starts->run_sets;
	struct part_run *r = &l->parts[set];
	size_t end, stop = l->high - to < AHEAD ? l->high : to + AHEAD;

	if (from >= r->begin && to <= r->end)
		return to;
	if (from > r->end)
		*r = (struct part_run){from, from};
	/* Parts are asked for nearly in the order of the text. */
	while (r->begin > from && (sets[(unsigned char)l->text[r->begin - 1]] >> set & 1))
		r->begin--;
	if (r->begin > from)
		return r->begin - 1;
	for (end = r->end; end < stop && (sets[(unsigned char)l->text[end]] >> set & 1);)
		end++;
	r->end = end;
	return end;
}

static size_t short_end(const struct looking *l, unsigned set, size_t from, size_t to)
{
	while (from < to && nextchars_in(&l->starts->sets[set], (unsigned char)l->text[from]))
		from++;
	return from;
}

/* More than sixteen bytes, which most that only begins so has not. */
__attribute__((noinline)) static bool has_parts(struct looking *l, const struct start *e,
						size_t next)
{
	for (const struct start_part *p = e->parts; p < e->parts + e->n_parts; p++) {
		size_t from = next + p->at, to = from + p->len;
		size_t end = p->len < STARTS_RUN ? short_end(l, p->set, from, to)
						 : part_end(l, p->set, from, to);

		if (end < to)
			return refuse_part(l, next - e->len, end, from);
	}
	return true;
}

/* Is it the word, and what follows what may follow it? */
static bool fits(struct looking *l, const struct start *e, size_t at)
{
	const char *text = l->text + at;
	size_t left = l->high - at, next = at + e->len, i = 0;

	if (left < (size_t)e->len + e->n_all)
		return refuse(l, SIZE_MAX);
	if (left < WORD_MOST ? memcmp(text, e->word, e->len) != 0 : !is_word_at(e, text))
		return refuse(l, at + WORD_MOST);
	/* A few are not worth a run, and would end one that is. */
	if (e->n_same >= RUN_LEAST) {
		size_t end = run_end(l->text, &l->run, &l->starts->sets[e->next[0]], next,
				     next + e->n_next);

		if (end < next + e->n_same)
			return refuse(l, end + 1);
		i = e->grows ? end - next : e->n_same;
	}
	for (; i < e->n_next; i++)
		if (!nextchars_in(&l->starts->sets[e->next[i]], (unsigned char)l->text[next + i]))
			return refuse(l, next + i + 1);
	return e->n_parts == 0 || has_parts(l, e, next);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* "\\n" and "%20", as text, end a word as what they stand for does. */
static bool behind_escape(const struct looking *l, size_t at)
{
	const char *p = l->text + at;

	if (at >= l->floor + 2 && p[-2] == '\\')
		return p[-1] == 'n' || p[-1] == 't' || p[-1] == 'r';
	return at >= l->floor + 3 && p[-3] == '%' && isxdigit((unsigned char)p[-2]) &&
	       isxdigit((unsigned char)p[-1]);
}

static bool look_at_words(struct looking *l, size_t at, size_t row, uint32_t first)
{
	for (size_t i = row; i; i = l->starts->words[i - 1].more) {
		const struct start *e = &l->starts->words[i - 1];

		if (e->first != first || !fits(l, e, at))
			continue;
		if (!l->hit(l->context, at, e->entry, &l->until))
			return false;
	}
	return true;
}

static inline bool look_at_rows(struct looking *l, size_t at, size_t row, uint32_t three)
{
	const struct starts *s = l->starts;
	uint32_t four = starts_four(l->text + at);
	size_t bit = starts_longer_glance(four, l->text[at + sizeof(four)]);

	if (row != STARTS_LONGER && !look_at_words(l, at, row, three))
		return false;
	return !(s->longer_glance[bit / 8] >> bit % 8 & 1) ||
	       look_at_words(l, at, s->longer[starts_row(four)], four);
}

/* In text that says the same again and again a few answers are enough.  Where it does not, one
 * branch tells. */
static inline bool is_refused(const struct looking *l, const struct refused *r, size_t at)
{
	const char *text = l->text + at, *before = l->text + r->at;
	uint32_t same, len = r->len < LANES ? (uint32_t)r->len : LANES;

	if (at >= r->until || l->high - at < LANES)
		return false;
	same = lanes_bits((lanes)(lanes_load(text) == lanes_load(before)));
	if ((l->high - at < r->len) | ((~same & ((1u << len) - 1)) != 0))
		return false;
	return r->len <= LANES || memcmp(text + LANES, before + LANES, r->len - LANES) == 0;
}

/* A row that is not empty: out of the way of the loop that finds them.  A value follows: five bytes
 * are there. */
__attribute__((noinline)) static bool look_at_row(struct looking *l, size_t at, size_t row,
						  uint32_t three)
{
	/* The fourth byte has no part in the lowest bits of a row. */
	size_t slot = starts_row(starts_four(l->text + at)) / (STARTS_ROWS / REFUSED);
	struct refused *r = &l->refused[slot];

	if ((at > l->floor && is_word(l->text[at - 1]) && !behind_escape(l, at)) ||
	    is_refused(l, r, at))
		return true;
	l->seen = at + WORD_LEAST + sizeof(uint32_t);
	l->until = SIZE_MAX;
	if (!look_at_rows(l, at, row, three))
		return false;
	if (l->seen < SIZE_MAX && l->until > at)
		*r = (struct refused){at, l->seen - at, l->until};
	return true;
}

static inline bool look_at(struct looking *l, size_t at)
{
	uint32_t three;
	size_t row;

	if (l->high - at < WORD_LEAST + VALUE_LEAST)
		return true;
	three = starts_three(l->text + at);
	row = l->starts->row[starts_row(three)];
	return row == 0 || look_at_row(l, at, row, three);
}

#ifdef __SSE2__
/* Of some places of a block those where a word of the table may be, with what follows it.  Which
 * one cannot be foretold in text that mixes beginnings: there is no branch. */
static __attribute__((noinline)) uint64_t drop_some(const struct starts *s, const char *text,
						    uint64_t some)
{
	uint64_t left = 0;

	for (; some; some &= some - 1) {
		unsigned i = (unsigned)__builtin_ctzll(some);
		size_t group = s->group[starts_row(starts_three(text + i))];
		lanes kinds = starts_kinds(lanes_load(text + i + WORD_LEAST));
		lanes never = lanes_load((const char *)s->never[group]) & kinds;

		left |= (uint64_t)(lanes_bits((lanes)(never == 0)) == 0xffff) << i;
	}
	return left;
}

/* The same for all places of a block that have a bit.  Which of them may be one cannot be foretold
 * in a text that is full of beginnings: so none is asked before all are known. */
static inline bool look_at_bits(struct looking *l, size_t at, uint64_t bits)
{
	uint64_t rows = 0;

	for (; bits; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctzll(bits);
		size_t bit = starts_glance(starts_four(l->text + at + i));

		rows |= (uint64_t)(l->starts->glance[bit / 8] >> bit % 8 & 1) << i;
	}
	if (rows && at >= l->all && l->high - at >= BLOCK + WORD_LEAST + LANES) {
		uint64_t left = drop_some(l->starts, l->text + at, rows);

		l->all = left == rows ? at + STAY : at;
		rows = left;
	}
	for (; rows; rows &= rows - 1)
		if (!look_at(l, at + (size_t)__builtin_ctzll(rows)))
			return false;
	return true;
}
#endif

#ifdef __SSE2__
/* 0xff for each byte that is part of a word. */
static inline lanes words_in(lanes v)
{
	lanes letter = (v | 0x20) - 'a', digit = v - '0';

	return (lanes)(letter <= 'z' - 'a') | (lanes)(digit <= 9) | (lanes)(v == '_');
}

/* Those of starts_in_value() that are no part of a word. */
static inline lanes joints_in(lanes v)
{
	lanes other = v - '-';

	return (lanes)(other <= '/' - '-') | (lanes)(v == '+') | (lanes)(v == '=') |
	       (lanes)(v == '~') | (lanes)((v | 1) == '%');
}

/* One bit for each of 64 bytes. */
struct block {
	uint64_t words;    /* parts of words */
	uint64_t values;   /* starts_in_value() */
	uint64_t colons;   /* ":" */
	uint64_t escapes;  /* "\\" */
	uint64_t percents; /* "%" */
};

static inline uint64_t bits_of(lanes v)
{
	return lanes_bits(v);
}

static inline void look_ahead(const char *text, struct block *ret)
{
	*ret = (struct block){0};
	for (unsigned i = 0; i < BLOCK; i += LANES) {
		lanes v = lanes_load(text + i), words = words_in(v);

		ret->words |= bits_of(words) << i;
		ret->values |= bits_of(words | joints_in(v)) << i;
		ret->colons |= bits_of((lanes)(v == ':')) << i;
		ret->escapes |= bits_of((lanes)(v == '\\')) << i;
		ret->percents |= bits_of((lanes)(v == '%')) << i;
	}
}

/* x, n bytes on; what is beyond its end is not known and may be anything. */
static inline uint64_t later(uint64_t x, unsigned n)
{
	return x >> n | ~(~(uint64_t)0 >> n);
}

/* What came before a block: the last byte was part of a word, and where escapes began. */
struct before {
	bool word;
	uint64_t escapes, percents;
};

/* The same of what came before the stretch: an escape is no longer than three bytes. */
static struct before look_back(const struct stretch *in)
{
	struct before b = {in->low > in->floor && is_word(in->text[in->low - 1]), 0, 0};

	for (size_t n = 1; n <= 3 && n <= in->low - in->floor; n++) {
		b.escapes |= (uint64_t)(in->text[in->low - n] == '\\') << (BLOCK - n);
		b.percents |= (uint64_t)(in->text[in->low - n] == '%') << (BLOCK - n);
	}
	return b;
}

/* Words that begin in these 64 bytes, or may behind an escape, and are long enough, with what
 * follows, to be secret. */
static inline uint64_t long_words(const char *text, struct before *b)
{
	struct block block;
	uint64_t begins, four, colon;

	look_ahead(text, &block);
	begins = block.words & ~(block.words << 1 | b->word);
	begins |= block.escapes << 2 | b->escapes >> (BLOCK - 2);
	begins |= block.percents << 3 | b->percents >> (BLOCK - 3);
	*b = (struct before){block.words >> (BLOCK - 1), block.escapes, block.percents};
	four = block.values & later(block.values, 1);
	four &= later(four, 2);
	colon = block.values | block.colons;
	colon = later(colon, COLON_FIRST) & later(colon, COLON_LAST);
	return begins & four & colon & later(four, COLON_LAST + 1) & later(four, COLON_LAST + 2);
}
#endif

bool starts_find(const struct starts *s, const struct stretch *in, starts_hit *hit, void *context)
{
	struct looking l = {.starts = s,
			    .text = in->text,
			    .floor = in->floor,
			    .high = in->high,
			    .hit = hit,
			    .context = context};
	bool before = in->low > in->floor && is_word(in->text[in->low - 1]);
	size_t i = in->low, stop = stretch_stop(in);
#ifdef __SSE2__
	struct before b = look_back(in);
#endif

#ifdef __SSE2__
	/* Of the last byte of a block three more are read. */
	for (; i < stop && in->high - i >= BLOCK + WORD_LEAST; i += BLOCK) {
		if (!look_at_bits(&l, i, long_words(in->text + i, &b)))
			return false;
	}
	if (i > in->low)
		before = b.word;
#endif
	for (; i < stop; i++) {
		bool word = is_word(in->text[i]);

		if (word && (!before || behind_escape(&l, i)) && !look_at(&l, i))
			return false;
		before = word;
	}
	return true;
}
