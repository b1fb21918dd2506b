/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.c - words before a sign that say whose the value behind it is: "okta_token = 00...".
 *
 * Names of vendors are in every text that speaks of them, values of sixteen characters behind a
 * sign are in few.  So the value is looked at first, then the words before its sign, and last
 * whether the value looks as that vendor's do.
 */
#include "redact/nearnames.h"

#include "redact/lanes.h"

enum {
	GAP = 24, /* these as NEAR() has them: a test compares what is found */
	BLANKS = 3,
	FAR_BLANKS = 2,            /* and this as GIVEN_BLANKS */
	BEFORE = GAP + 1 + BLANKS, /* between a word and its sign, at most */
	SEEN = 2 * LANES,
	SHORT = 8,
};
_Static_assert((int)SEEN > (int)BEFORE, "all of a gap is seen at once");
_Static_assert((int)NEARNAMES_LONG == (int)NEARNAMES_VALUE + (int)LANES, "one load tells");
_Static_assert(BEFORE + NEARNAMES_WORD < 64, "and what may begin there");
_Static_assert(BEFORE + NEARNAMES_WORD < NEARNAMES_BEFORE, "and where it may be");

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

/* 0xff for each letter of words and NEAR_GAP. */
static inline lanes letters_in(lanes v)
{
	return (lanes)((lanes)((v | 0x20) - 'a') <= 'z' - 'a') | (lanes)(v == '_');
}

/* The same of all that is in NEAR_GAP. */
static inline lanes gaps_in(lanes v)
{
	return letters_in(v) | (lanes)((lanes)(v - '0') <= 9) | (lanes)((lanes)(v - '-') <= 1) |
	       (lanes)(v == ' ');
}

/* Which of the SEEN bytes before text[end] are NEAR_GAP, the last of them as the highest bit; none
 * before text[from]. */
static inline uint32_t read_gaps(const struct nearlook *l, size_t from, size_t end)
{
	const struct nearnames *n = l->names;
	const char *text = l->in.text + end;
	size_t len = end - from < SEEN ? end - from : SEEN;
	uint32_t gaps = 0;

	if (end >= SEEN && len > 0)
		gaps = (lanes_bits(gaps_in(lanes_load(text - SEEN))) |
			lanes_bits(gaps_in(lanes_load(text - LANES))) << LANES) &
		       ~0u << (SEEN - len);
	for (size_t i = 1; i <= len && end < SEEN; i++)
		gaps |= (uint32_t)(n->sets.of[(unsigned char)text[-(ptrdiff_t)i]] >> n->gap & 1)
			<< (SEEN - i);
	return gaps;
}

/* How many of them are there, but for the last few? */
static inline size_t gap_len(uint32_t gaps, size_t few)
{
	size_t len = (size_t)__builtin_clz(~(gaps << few) | 1);

	return len < GAP ? len : GAP;
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
	const char *text = l->in.text + end;
	uint32_t gaps = read_gaps(l, from, end), ends = 0;

	for (size_t i = 0;; i++) {
		ends |= bits_between(i, i + gap_len(gaps, i));
		if (end - i == from)
			return ends;
		if (text[-(ptrdiff_t)i - 1] == '"' || text[-(ptrdiff_t)i - 1] == '\'')
			ends |= bits_between(i + 1, i + 1 + gap_len(gaps, i + 1));
		if (i == BLANKS || !is_blank(text[-(ptrdiff_t)i - 1]))
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

/* Of a word in text[at .. at + len); as many bytes as LANES, and two, can be read behind each. */
static bool has_three(const struct nearnames *n, const char *text, size_t len)
{
	lanes any = {0};

	for (const char *p = text; p < text + len; p += LANES) {
		lanes first = lanes_load(p) | 0x20, second = lanes_load(p + 1) | 0x20;
		lanes third = lanes_load(p + 2) | 0x20;

		for (size_t i = 0; i < n->n_threes; i++) {
			const unsigned char *three = (const unsigned char *)n->equals_threes[i];

			any |= (lanes)(first == three[0]) & (lanes)(second == three[1]) &
			       (lanes)(third == three[2]);
		}
	}
	return lanes_bits(any) != 0;
}

bool nearnames_may_equal(struct nearlook *l, size_t at, size_t len)
{
	size_t from = at - NEARNAMES_BEFORE;

	/* What was read for the text before it is not read again. */
	if (from < l->threes_from || from > l->threes_to) {
		l->threes_from = l->threes_to = from;
		l->threes = 0;
	}
	if (at + len > l->threes_to) {
		if (has_three(l->names, l->in.text + l->threes_to, at + len - l->threes_to))
			l->threes = at + len;
		l->threes_to = at + len;
	}
	return l->threes > from;
}

/* Sixteen bytes at once, of which only its letters count: no more than fourteen are behind the
 * end of what is before a sign. */
static inline bool is_there(const struct nearword *w, const char *at)
{
	lanes v = lanes_load(at), capital = (lanes)((lanes)(v - 'A') <= 'Z' - 'A');
	uint32_t same = lanes_bits((lanes)((v ^ (capital & 0x20)) == lanes_load(w->text)));

	if (~same & ((1u << (w->len < LANES ? w->len : LANES)) - 1))
		return false;
	for (size_t i = LANES; i < w->len; i++)
		if (small(at[i]) != (unsigned char)w->text[i])
			return false;
	return true;
}

static inline void tell(struct nearlook *l, size_t bytes)
{
	l->told = bytes > l->told ? bytes : l->told;
}

static bool has_shape(struct nearlook *l, const struct nearword *w, size_t value)
{
	for (size_t i = w->first; i < w->behind; i++) {
		const struct shape *s = &l->names->shapes[i];

		tell(l, s->len + 1u); /* a word may end there */
		if (shape_fits(s, &l->names->sets, &l->in, value))
			return true;
	}
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
		l->named = true;
		if (has_shape(l, w, s->value) && !l->hit(l->context, at, w->entry))
			return false;
	}
	return true;
}

/* May a word of the table begin so, by three letters? */
static inline bool has_bit(const struct nearnames *n, const char *text)
{
	uint32_t bit = nearnames_bit(text);

	return n->bits[bit / 32] >> bit % 32 & 1;
}

/* The same by two, and by the kinds of its values. */
static inline bool has_row(const struct nearnames *n, const char *text, uint64_t kinds)
{
	size_t row = n->row[nearnames_row(text)];

	return row && (n->words[row - 1].kinds & kinds);
}

/* Where the first two letters of a word may be, among less than 64 bytes with sixteen behind them.
 */
static inline uint64_t may_be_words(const char *text, size_t len)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < len; i += LANES)
		letters |= (uint64_t)lanes_bits(letters_in(lanes_load(text + i))) << i;
	return letters & letters >> 1 & (((uint64_t)1 << (len - 1)) - 1);
}

#ifdef __SSE2__
/* The same with the third letter, and only those that a word of the table may begin with. */
__attribute__((target("ssse3"))) static uint64_t may_be_own_words(const struct nearnames *n,
								  const char *text, size_t len)
{
	uint64_t some = 0;

	for (size_t i = 0; i < len; i += LANES) {
		lanes all = nibbles_of(&n->first, lanes_load(text + i) | 0x20) &
			    nibbles_of(&n->second, lanes_load(text + i + 1) | 0x20) &
			    nibbles_of(&n->third, lanes_load(text + i + 2) | 0x20);

		some |= (uint64_t)lanes_bits((lanes)(all != 0)) << i;
	}
	return some & (((uint64_t)1 << (len - 1)) - 1);
}
#endif

/* Of these places those where a word of the table may begin.  Names are drawn from anything: there
 * is no branch. */
static inline uint64_t may_begin(const struct nearlook *l, const char *text, size_t len)
{
	const struct nearnames *n = l->names;
	uint64_t found = 0, some;

	/* A short text is read faster than it is looked at. */
	if (len <= SHORT)
		some = ((uint64_t)1 << (len - 1)) - 1;
#ifdef __SSE2__
	else if (l->shuffles)
		some = may_be_own_words(n, text, len);
#endif
	else
		some = may_be_words(text, len);
	for (; some; some &= some - 1) {
		unsigned i = (unsigned)__builtin_ctzll(some);

		found |= (uint64_t)has_bit(n, text + i) << i;
	}
	return found;
}

/* Of kinds of values those that can be so long as the one at text[value], of which NEARNAMES_VALUE
 * bytes are known. */
static inline uint64_t long_enough(const struct nearlook *l, size_t value)
{
	uint32_t ends;
	lanes v;

	if (l->in.high - value < NEARNAMES_LONG)
		return ~(uint64_t)0;
	v = lanes_load(l->in.text + value + LANES);
	ends = lanes_bits((lanes)NEARNAMES_ENDS(v)) | 1u << LANES;
	return l->names->long_kinds[LANES + (size_t)__builtin_ctz(ends)];
}

/* In text that says the same again and again it is enough to look once. */
static inline bool is_dull(const struct nearlook *l, size_t at, size_t value, uint64_t kinds)
{
	return value - at + 1 == l->dull_len && !(kinds & ~l->dull_kinds) && at > 0 &&
	       memcmp(l->in.text + at - 1, l->in.text + l->dull, l->dull_len) == 0;
}

static inline struct nearnothing *nothing_of(struct nearlook *l, size_t name, size_t value)
{
	return &l->nothings[(name ^ (unsigned char)l->in.text[value]) % NEARNAMES_NOTHINGS];
}

/* Was nothing found where the same was said before?  Most often it was not said, which one branch
 * tells. */
static inline bool is_known(struct nearlook *l, size_t name, size_t value)
{
	const struct nearnothing *n = nothing_of(l, name, value);
	const char *text = l->in.text + value, *other = l->in.text + n->value;
	uint32_t same = lanes_bits((lanes)(lanes_load(text) == lanes_load(other)));

	return ((same == 0xffff) & (name == n->name) & (value >= n->before) &
		(l->in.high - value >= n->behind)) &&
	       memcmp(text - n->before, other - n->before, n->before + n->behind) == 0;
}

/* Nothing was found, because of so many bytes before a value and of it. */
static inline void keep(struct nearlook *l, size_t name, size_t value, size_t before, size_t behind)
{
	if (behind <= l->in.high - value)
		*nothing_of(l, name, value) = (struct nearnothing){value, name, before, behind};
}

/* From text[at] on. */
static inline bool look_for_words(struct nearlook *l, struct looked *s, size_t at)
{
	const struct nearnames *n = l->names;
	const char *text = l->in.text;

	l->named = false;
	for (uint64_t some = may_begin(l, text + at, s->end - at); some; some &= some - 1) {
		size_t i = at + (size_t)__builtin_ctzll(some);

		if (has_row(n, text + i, s->kinds) && !look_at_row(l, i, s))
			return false;
	}
	if (!l->named && at > 0) {
		l->dull = at - 1;
		l->dull_len = s->value - at + 1;
		l->dull_kinds = s->kinds;
	}
	return true;
}

bool nearnames_look(struct nearlook *l, size_t last, size_t sign, size_t value, uint64_t kinds)
{
	const struct nearnames *n = l->names;
	const char *text = l->in.text;
	/* ":=" is one sign. */
	size_t end = text[sign] == '=' && sign > 0 && text[sign - 1] == ':' ? sign - 1 : sign;
	size_t most, at;
	struct looked looked;

	/* No sign is in a word, or between one and its sign. */
	last = last > l->low ? last : l->low;
	if (is_known(l, value - last, value))
		return true;
	kinds &= long_enough(l, value);
	if (end < last + NEARNAMES_LEAST || !kinds)
		return true;
	most = kinds & n->gap_kinds ? BEFORE + NEARNAMES_WORD : n->given_len + FAR_BLANKS;
	at = end - last > most ? end - most : last;
	looked = (struct looked){last, sign, end, value, kinds, 0};
	l->told = NEARNAMES_LONG;
	if (!is_dull(l, at, value, kinds) && !look_for_words(l, &looked, at))
		return false;
	if (at > 0)
		keep(l, value - last, value, value - at + 1, l->told);
	return true;
}

size_t nearnames_value_end(struct nearlook *l, size_t most)
{
	const struct shape_run *known = &l->in.runs[l->open - 1];
	size_t limit = l->in.high - l->value < most ? l->in.high : l->value + most;
	/* Its shape was read just now. */
	size_t end = l->value >= known->begin && l->value < known->end ? known->end : l->value;

	end = end < limit ? end : limit;
	while (end < limit &&
	       (l->names->sets.of[(unsigned char)l->in.text[end]] >> (l->open - 1) & 1))
		end++;
	tell(l, end - l->value + 1);
	return end;
}
