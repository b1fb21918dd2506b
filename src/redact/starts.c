/* SPDX-License-Identifier: Apache-2.0 */
/* starts.c - words that begin with what a credential begins with: "ghp_", "AKIA".
 *
 * Only where a word begins, and what follows may be a value, is looked at: sixteen bytes at a time
 * tell that.
 * The first three bytes choose a row of a table, which is nearly always empty.  What is in the row
 * must fit and be followed by characters of a value: text that is full of beginnings costs little
 * more than any other.
 */
#include "redact/starts.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "redact/lanes.h"

enum {
	BLOCK = 64,
	ROWS = 4096,
	ENTRIES_MAX = 1024,
	WORD_LEAST = 3,
	WORD_MOST = 12,
	VALUE_LEAST = 8, /* characters behind the beginning that can be part of a value */
	COLON_FIRST = 4, /* where in a beginning a ":" may be: "http://", "oauth:" */
	COLON_LAST = 5,
};
_Static_assert((int)COLON_LAST + 2 + 4 == (int)WORD_LEAST + (int)VALUE_LEAST, "see long_words()");

struct entry_of {
	char word[WORD_MOST];
	uint64_t eight; /* all bits of its bytes among the first eight */
	uint32_t four;  /* and of those behind them */
	uint32_t three; /* its first bytes */
	uint8_t len;
	uint16_t next; /* in the same row, plus one; 0: none */
	uint16_t rule;
};

struct starts {
	uint16_t row[ROWS]; /* its first entry, plus one */
	struct entry_of entries[ENTRIES_MAX];
	size_t n;
};

/* Sixteen bytes, of which the first VALUE_LEAST count: the same characters as in_value[]. */
static inline bool begins_value(const char *text)
{
	lanes v = lanes_load(text), letter = (v | 0x20) - 'a', other = v - '-';

	return (lanes_bits((lanes)(letter <= 'z' - 'a') | (lanes)(other <= '9' - '-') |
			   (lanes)(v == '_') | (lanes)(v == '+') | (lanes)(v == '=') |
			   (lanes)(v == '~') | (lanes)(v == '%') | (lanes)(v == '$')) &
		((1u << VALUE_LEAST) - 1)) == (1u << VALUE_LEAST) - 1;
}

static const bool in_value[256] = {
	['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true,
	['-'] = true,         ['+'] = true,         ['/'] = true,         ['='] = true,
	['.'] = true,         ['~'] = true,         ['%'] = true,         ['$'] = true,
};

struct starts *starts_new(struct error *err)
{
	struct starts *s = calloc(1, sizeof(*s));

	if (!s)
		(void)fail_sys(err, "keep beginnings");
	return s;
}

void starts_free(struct starts *s)
{
	free(s);
}

static inline uint32_t three_of(const char *word)
{
	return (uint32_t)(unsigned char)word[0] | (uint32_t)(unsigned char)word[1] << 8 |
	       (uint32_t)(unsigned char)word[2] << 16;
}

static inline size_t row_of(uint32_t three)
{
	return (three * 2654435761u) >> 20;
}

/* Only such words are found: long_words(). */
static bool is_value(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!in_value[(unsigned char)word[i]] &&
		    (word[i] != ':' || (i != COLON_FIRST && i != COLON_LAST)))
			return false;
	return true;
}

int starts_add(struct starts *s, const char *begins, size_t rule, struct error *err)
{
	while (*begins) {
		size_t len = strcspn(begins, " ");
		struct entry_of *e = &s->entries[s->n];
		uint16_t *row;

		if (len < WORD_LEAST || len > WORD_MOST || s->n + 1 >= ENTRIES_MAX)
			return fail(err, ERR_INTERNAL, "beginning '%.*s': too short, long or many",
				    (int)len, begins);
		if (!is_value(begins, len))
			return fail(err, ERR_INTERNAL, "beginning '%.*s': odd characters in it",
				    (int)len, begins);
		row = &s->row[row_of(three_of(begins))];
		*e = (struct entry_of){.three = three_of(begins),
				       .len = (uint8_t)len,
				       .next = *row,
				       .rule = (uint16_t)rule};
		memcpy(e->word, begins, len);
		memset(&e->eight, 0xff, len < sizeof(e->eight) ? len : sizeof(e->eight));
		memset(&e->four, 0xff, len > sizeof(e->eight) ? len - sizeof(e->eight) : 0);
		*row = (uint16_t)++s->n;
		begins += len;
		begins += strspn(begins, " ");
	}
	return 0;
}

/* Eight bytes and four, of which only those of the word count. */
static inline bool is_word_at(const struct entry_of *e, const char *at)
{
	uint64_t eight, mine;
	uint32_t four, my_four;

	memcpy(&eight, at, sizeof(eight));
	memcpy(&four, at + sizeof(eight), sizeof(four));
	memcpy(&mine, e->word, sizeof(mine));
	memcpy(&my_four, e->word + sizeof(mine), sizeof(my_four));
	return (((eight ^ mine) & e->eight) | ((four ^ my_four) & e->four)) == 0;
}

static bool fits(const struct entry_of *e, const char *at, size_t left)
{
	if (left < (size_t)e->len + VALUE_LEAST)
		return false;
	if (left < WORD_MOST ? memcmp(at, e->word, e->len) != 0 : !is_word_at(e, at))
		return false;
	if (left >= (size_t)e->len + LANES)
		return begins_value(at + e->len);
	for (size_t i = 0; i < VALUE_LEAST; i++)
		if (!in_value[(unsigned char)at[e->len + i]])
			return false;
	return true;
}

struct looking {
	const struct starts *starts;
	const char *text;
	size_t floor, high;
	starts_hit *hit;
	void *context;
};

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

/* A row that is not empty: out of the way of the loop that finds them. */
__attribute__((noinline)) static bool look_at_row(const struct looking *l, size_t at, size_t row,
						  uint32_t three)
{
	const struct starts *s = l->starts;

	if (at > l->floor && is_word(l->text[at - 1]) && !behind_escape(l, at))
		return true;
	for (size_t i = row; i; i = s->entries[i - 1].next) {
		const struct entry_of *e = &s->entries[i - 1];

		if (e->three == three && fits(e, l->text + at, l->high - at) &&
		    !l->hit(l->context, at, e->rule))
			return false;
	}
	return true;
}

static inline bool look_at(const struct looking *l, size_t at)
{
	uint32_t three;
	size_t row;

	if (l->high - at < WORD_LEAST + VALUE_LEAST)
		return true;
	three = three_of(l->text + at);
	row = l->starts->row[row_of(three)];
	return row == 0 || look_at_row(l, at, row, three);
}

#ifdef __SSE2__
/* The same for all places of a block that have a bit.  Which of them have a row cannot be foretold
 * in a text that is full of beginnings: so none is asked before all are known. */
static inline bool look_at_bits(const struct looking *l, size_t at, uint64_t bits)
{
	uint64_t rows = 0;

	for (; bits; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctzll(bits);

		rows |= (uint64_t)(l->starts->row[row_of(three_of(l->text + at + i))] != 0) << i;
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

/* Those of in_value[] that are no part of a word. */
static inline lanes joints_in(lanes v)
{
	lanes other = v - '-';

	return (lanes)(other <= '/' - '-') | (lanes)(v == '+') | (lanes)(v == '=') |
	       (lanes)(v == '~') | (lanes)((v | 1) == '%');
}

/* One bit for each of 64 bytes. */
struct block {
	uint64_t words;    /* parts of words */
	uint64_t values;   /* in_value[] */
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
	const struct looking l = {s, in->text, in->floor, in->high, hit, context};
	bool before = in->low > in->floor && is_word(in->text[in->low - 1]);
	size_t i = in->low;
#ifdef __SSE2__
	struct before b = {before, 0, 0};
#endif

	if (s->n == 0)
		return true;
#ifdef __SSE2__
	/* Of the last byte of a block two more are read. */
	for (; in->high - i >= BLOCK + WORD_LEAST; i += BLOCK) {
		if (!look_at_bits(&l, i, long_words(in->text + i, &b)))
			return false;
	}
	if (i > in->low)
		before = b.word;
#endif
	for (; i < in->high; i++) {
		bool word = is_word(in->text[i]);

		if (word && (!before || behind_escape(&l, i)) && !look_at(&l, i))
			return false;
		before = word;
	}
	return true;
}
