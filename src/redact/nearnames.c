/* SPDX-License-Identifier: Apache-2.0 */
/* nearnames.c - words before a sign that say whose the value behind it is: "okta_token = 00...".
 *
 * Names of vendors are in every text that speaks of them, values of sixteen characters behind a
 * sign are in few.  So the value is looked at first, then the words before its sign, and last
 * whether the value looks as that vendor's do.  Every byte is searched for words once, whatever
 * the text: what was seen is kept.
 */
#include "redact/nearnames.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redact/lanes.h"

enum {
	BITS = 8192,
	WORDS_MAX = 192,
	RULES_MAX = 128,
	WORD_LEAST = 2,
	WORD_MOST = 20,
	PARTS = 12,
	CLASSES = 16,
	GAP = 40, /* between a word and its sign: 24 characters, "_api" or "search", blanks, a quote */
};

/* So many characters of a class, or one that is given. */
struct part {
	uint16_t class; /* one bit; 0: literal */
	char literal;
	uint8_t count;
};

struct shape {
	struct part parts[PARTS];
	size_t n;
	bool ends;    /* no letter or digit follows the last part */
	bool checked; /* its rule has a check, and the last part is all of the value */
};

struct nearrule {
	size_t entry;
	const struct redact_rule *rule;
	struct shape shape;
};

struct nearword {
	char text[WORD_MOST];
	uint8_t len;
	bool begins; /* a word, and not only a part of one */
	uint16_t rule;
	uint16_t next; /* with the same first letters, plus one; 0: none */
};

struct nearnames {
	uint16_t row[BITS]; /* by the first two letters: its first word, plus one */
	struct nearword words[WORDS_MAX];
	size_t n_words;
	struct nearrule rules[RULES_MAX];
	size_t n_rules;
	uint16_t classes[256]; /* which ones a byte is in */
	char sets[CLASSES][64];
	size_t n_classes;
};

struct nearnames *nearnames_new(struct error *err)
{
	struct nearnames *n = calloc(1, sizeof(*n));

	if (!n)
		(void)fail_sys(err, "keep names");
	return n;
}

void nearnames_free(struct nearnames *n)
{
	free(n);
}

static inline unsigned char small(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static inline size_t row_of(const char *word)
{
	return ((size_t)(word[0] & 0x1f) << 8 | (size_t)(unsigned char)(word[1] | 0x20)) % BITS;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Shapes: what a pattern says about the value, as far as it is simple. */

/* "[a-z0-9_-]": both cases, because patterns are told apart by neither. */
static uint16_t class_of(struct nearnames *n, const char *set, size_t len)
{
	size_t i = 0;

	for (; i < n->n_classes; i++)
		if (strlen(n->sets[i]) == len && memcmp(n->sets[i], set, len) == 0)
			return (uint16_t)(1u << i);
	if (i == CLASSES || len >= sizeof(n->sets[i]))
		return 0;
	memcpy(n->sets[i], set, len);
	n->n_classes++;
	for (size_t at = 0; at < len; at++) {
		unsigned char first = (unsigned char)set[at], last = first;

		if (at + 2 < len && set[at + 1] == '-') {
			last = (unsigned char)set[at + 2];
			at += 2;
		}
		for (unsigned c = first; c <= last; c++) {
			n->classes[tolower((int)c)] |= (uint16_t)(1u << i);
			n->classes[toupper((int)c)] |= (uint16_t)(1u << i);
		}
	}
	return (uint16_t)(1u << i);
}

/* "{n}", "{n,}", "{n,m}" or nothing; false: what follows may begin at several places. */
static bool read_count(const char **pattern, uint8_t *ret)
{
	char *end;
	bool fixed;

	*ret = 1;
	if (**pattern != '{')
		return true;
	*ret = (uint8_t)strtoul(*pattern + 1, &end, 10);
	fixed = *end == '}';
	*pattern = end + strcspn(end, "}") + 1;
	return fixed;
}

static int read_shape(struct nearnames *n, const char *value, struct shape *ret, struct error *err)
{
	bool fixed = true;

	while (fixed && ret->n < PARTS && *value && !strchr("()\\|?*+", *value)) {
		struct part *p = &ret->parts[ret->n];
		size_t len = strcspn(value, "]");

		p->literal = *value == '[' ? 0 : *value;
		p->class = *value == '[' ? class_of(n, value + 1, len - 1) : 0;
		if (!p->literal && !p->class)
			return fail(err, ERR_INTERNAL, "too many classes of characters");
		value += p->literal ? 1 : len + 1;
		fixed = read_count(&value, &p->count);
		if (p->count == 0)
			break;
		ret->n++;
	}
	ret->ends = fixed && strncmp(value, ")\\b", 3) == 0;
	ret->ends = ret->ends || (fixed && strncmp(value, "\\b)", 3) == 0);
	ret->checked = !fixed && ret->n == 1 && strcmp(value, ")") == 0;
	return 0;
}

/* The first group that is kept. */
static const char *value_in(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '(' && pattern[1] != '?')
			return pattern + 1;
	}
	return NULL;
}

static size_t least_of(const struct shape *s)
{
	size_t len = 0;

	for (size_t i = 0; i < s->n; i++)
		len += s->parts[i].count;
	return len;
}

static int add_word(struct nearnames *n, const char *word, size_t len, struct error *err)
{
	bool begins = strncmp(word, "\\b", 2) == 0;
	struct nearword *w = &n->words[n->n_words];
	uint16_t *row;

	word += begins ? 2 : 0;
	len -= begins ? 2 : 0;
	if (len < WORD_LEAST || len > WORD_MOST || n->n_words + 1 >= WORDS_MAX)
		return fail(err, ERR_INTERNAL, "name '%.*s': too short, long or many", (int)len,
			    word);
	row = &n->row[row_of(word)];
	*w = (struct nearword){.len = (uint8_t)len,
			       .begins = begins,
			       .rule = (uint16_t)(n->n_rules - 1),
			       .next = *row};
	memcpy(w->text, word, len);
	*row = (uint16_t)++n->n_words;
	return 0;
}

int nearnames_add(struct nearnames *n, const struct redact_rule *rule, size_t entry,
		  struct error *err)
{
	const char *value = value_in(rule->pattern), *word = rule->names;
	struct nearrule *r = &n->rules[n->n_rules];

	if (n->n_rules == RULES_MAX || !value || strncmp(rule->pattern, "(?i)", 4) != 0)
		return fail(err, ERR_INTERNAL, "rule %s: not one with names", rule->id);
	*r = (struct nearrule){.entry = entry, .rule = rule};
	if (read_shape(n, value, &r->shape, err) < 0)
		return -1;
	if (least_of(&r->shape) < NEARNAMES_VALUE)
		return fail(err, ERR_INTERNAL, "rule %s: its value is too short", rule->id);
	n->n_rules++;
	while (*word) {
		size_t len = strcspn(word, " ");

		if (add_word(n, word, len, err) < 0)
			return -1;
		word += len;
		word += strspn(word, " ");
	}
	return 0;
}

/* Searching */

bool nearnames_value(const char *text)
{
	lanes v = lanes_load(text), letter = (v | 0x20) - 'a', other = v - '+';

	/* Some that are in no value are among them: ",". */
	return lanes_bits((lanes)(letter <= 'z' - 'a') | (lanes)(other <= '9' - '+') |
			  (lanes)(v == '_') | (lanes)(v == '=') | (lanes)(v == '%') |
			  (lanes)(v == '~')) == 0xffff;
}

static const bool in_gap[256] = {
	['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true,
	['.'] = true,         [' '] = true,         ['-'] = true,         ['\t'] = true,
	['"'] = true,         ['\''] = true,
};

static bool is_there(const struct nearword *w, const char *at)
{
	for (size_t i = 0; i < w->len; i++)
		if (small(at[i]) != (unsigned char)w->text[i])
			return false;
	return true;
}

static bool keep(struct nearlook *l, size_t at, size_t word, size_t least)
{
	size_t old = 0;

	if (l->n == NEARNAMES_SEEN) {
		while (old < l->n && l->words[old].at < least)
			old++;
		l->n -= old;
		memmove(l->words, l->words + old, l->n * sizeof(*l->words));
	}
	if (l->n == NEARNAMES_SEEN)
		return false;
	l->words[l->n].at = at;
	l->words[l->n++].word = (uint16_t)word;
	return true;
}

/* A row that is not empty: out of the way of the loop that finds them. */
__attribute__((noinline)) static bool look_at_row(struct nearlook *l, size_t at, size_t end,
						  size_t least)
{
	const struct nearnames *n = l->names;

	for (size_t i = n->row[row_of(l->text + at)]; i; i = n->words[i - 1].next) {
		const struct nearword *w = &n->words[i - 1];

		if (end - at < w->len || !is_there(w, l->text + at) ||
		    (w->begins && at > 0 && is_word(l->text[at - 1])))
			continue;
		if (!keep(l, at, i - 1, least))
			return false;
	}
	return true;
}

/* Words that begin in text[from .. end) and end there, too. */
static bool find_words(struct nearlook *l, size_t from, size_t end)
{
	size_t at = from > l->seen ? from : l->seen;

	for (; at + WORD_LEAST <= end; at++)
		if (l->names->row[row_of(l->text + at)] && !look_at_row(l, at, end, from))
			return false;
	/* One that begins before the end and goes on behind it may not be whole: no sign is in a
	 * word. */
	l->seen = end > l->seen ? end : l->seen;
	return true;
}

/* The value at text[at], up to its end if it is checked. */
static bool has_shape(const struct nearlook *l, const struct nearrule *r, size_t sign, size_t at)
{
	const uint16_t *classes = l->names->classes;
	size_t begin = at, end;
	struct found f;

	for (size_t i = 0; i < r->shape.n; i++) {
		const struct part *p = &r->shape.parts[i];

		if (l->high - at < p->count)
			return false;
		for (end = at + p->count; at < end; at++)
			if (p->class ? !(classes[(unsigned char)l->text[at]] & p->class)
				     : small(l->text[at]) != small(p->literal))
				return false;
	}
	if (r->shape.ends)
		return at == l->high || is_word(l->text[at]) != is_word(l->text[at - 1]);
	if (!r->shape.checked || !r->rule->check)
		return true;
	while (at < l->high && classes[(unsigned char)l->text[at]] & r->shape.parts[0].class)
		at++;
	f = (struct found){l->text, sign, at, begin, at, l->high};
	return r->rule->check(&f);
}

bool nearnames_look(struct nearlook *l, size_t sign, size_t value)
{
	size_t gap = sign, from, first;
	size_t judged = RULES_MAX;
	bool fits = false;

	if (gap > 0 && l->text[sign] == '=' && l->text[gap - 1] == ':')
		gap--;
	while (gap > l->low && sign - gap < GAP && in_gap[(unsigned char)l->text[gap - 1]])
		gap--;
	from = gap - l->low > WORD_MOST ? gap - WORD_MOST : l->low;
	if (!find_words(l, from, sign))
		return false;
	first = l->n;
	while (first > 0 && l->words[first - 1].at >= from)
		first--;
	for (size_t i = first; i < l->n; i++) {
		const struct nearword *w = &l->names->words[l->words[i].word];

		if (l->words[i].at + w->len < gap)
			continue;
		if (judged != w->rule)
			fits = has_shape(l, &l->names->rules[w->rule], sign, value);
		judged = w->rule;
		if (fits && !l->hit(l->context, l->words[i].at, l->names->rules[w->rule].entry))
			return false;
	}
	return true;
}
