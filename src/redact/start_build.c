/* SPDX-License-Identifier: Apache-2.0 */
/* start_build.c - part of the build: the words that patterns begin with, and what may follow them.
 */
#include "redact/start_build.h"

#include <ctype.h>
#include <string.h>

/* The number of a set among n; -1: there is no room. */
static int number_of(struct nextchars_set *sets, size_t *n, size_t room,
		     const struct nextchars_set *set)
{
	for (size_t i = 0; i < *n; i++)
		if (memcmp(&sets[i], set, sizeof(*set)) == 0)
			return (int)i;
	if (*n == room)
		return -1;
	sets[*n] = *set;
	return (int)(*n)++;
}

/* Only such words are found: long_words() of starts.c. */
static bool is_value(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!starts_in_value(word[i]) &&
		    (word[i] != ':' || (i != STARTS_COLON_FIRST && i != STARTS_COLON_LAST)))
			return false;
	return true;
}

/* What is behind a beginning is looked for as a value, before anybody asks whose it is. */
static bool are_values(const struct nextchars_set *set)
{
	for (int c = 0; c < 256; c++)
		if (nextchars_in(set, (unsigned char)c) && !starts_in_value((char)c))
			return false;
	return true;
}

/* The number of a set among those of long parts; -1: there is no room. */
static int run_number_of(struct starts *s, const struct nextchars_set *set)
{
	for (size_t i = 0; i < s->n_run_sets; i++) {
		unsigned c = 0;

		while (c < 256 && nextchars_in(set, (unsigned char)c) == (s->run_sets[c] >> i & 1))
			c++;
		if (c == 256)
			return (int)i;
	}
	if (s->n_run_sets == STARTS_RUNS)
		return -1;
	for (unsigned c = 0; c < 256; c++)
		s->run_sets[c] |= (uint32_t)nextchars_in(set, (unsigned char)c) << s->n_run_sets;
	return (int)s->n_run_sets++;
}

static bool is_same(const struct nextchars_set *one, const struct nextchars_set *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

/* Adds a part that is long, or one that is not; true: there was room for it. */
static bool add_part(struct starts *s, const struct nextchars_set *set, struct start_part part,
		     struct start *ret)
{
	int number = part.len < STARTS_RUN ? number_of(s->sets, &s->n_sets, STARTS_SETS, set)
					   : run_number_of(s, set);

	if (number < 0)
		return false;
	if (ret->n_parts < STARTS_PARTS) {
		part.set = (uint8_t)number;
		ret->parts[ret->n_parts++] = part;
	}
	return true;
}

/* Other words cannot begin in what is only that. */
static bool are_words(const struct nextchars_set *set)
{
	for (unsigned c = 0; c < 256; c++)
		if (nextchars_in(set, (unsigned char)c) && c != '_' && !isalnum((int)c))
			return false;
	return true;
}

/* What is behind the bytes that are known one by one.  Short parts first: they are read at once,
 * and a single character tells most. */
static bool read_parts(struct starts *s, const struct nextchars_set *next, int n, struct start *ret)
{
	ret->n_all = (uint8_t)n;
	for (int longer = 0; longer < 2; longer++) {
		for (int i = 0, len; i < n; i += len) {
			for (len = 1; i + len < n && is_same(&next[i], &next[i + len]);)
				len++;
			if (i + len > STARTS_NEXT && (len >= STARTS_RUN) == longer &&
			    !add_part(s, &next[i],
				      (struct start_part){.at = (uint8_t)i, .len = (uint8_t)len},
				      ret))
				return false;
		}
	}
	/* A little more of the same, in text that is full of it: a pattern is as fast. */
	if (ret->n_parts == 1 && n < STARTS_NEXT + STARTS_MORE && !are_words(&next[n - 1]))
		ret->n_parts = 0;
	return true;
}

/* Has one set all that another has? */
static bool has_all(const struct nextchars_set *set, const struct nextchars_set *other)
{
	for (size_t i = 0; i < sizeof(set->in) / sizeof(set->in[0]); i++)
		if (other->in[i] & ~set->in[i])
			return false;
	return true;
}

static unsigned char kind_of(unsigned char c)
{
	return starts_kinds((lanes){c})[0];
}

/* Kinds of the bytes of a set. */
static unsigned char kinds_of(const struct nextchars_set *set)
{
	unsigned char kinds = 0;

	for (unsigned c = 0; c < 256; c++)
		if (nextchars_in(set, (unsigned char)c))
			kinds |= kind_of((unsigned char)c);
	return kinds;
}

/* What a word has, and what follows it, is not what its group never has. */
static int add_to_group(struct starts *s, const struct start *one, const struct nextchars_set *next,
			int n, struct error *err)
{
	uint8_t *group = &s->group[starts_row(starts_three(one->word))];

	if (s->n_groups == 0) /* where there is none nothing fits */
		memset(s->never, 0xff, sizeof(s->never));
	if (!*group && s->n_groups + 1 == STARTS_GROUPS)
		return fail(err, ERR_INTERNAL, "too many groups of beginnings");
	*group = *group ? *group : (uint8_t)++s->n_groups;
	for (size_t i = 0; i < LANES; i++) {
		size_t at = STARTS_WORD_LEAST + i;
		uint8_t *never = &s->never[*group][i];

		if (at < one->len)
			*never &= (uint8_t)~kind_of((unsigned char)one->word[at]);
		else if (at - one->len < (size_t)n)
			*never &= (uint8_t)~kinds_of(&next[at - one->len]);
		else
			*never = 0;
	}
	return 0;
}

static int read_next(struct starts *s, const char *pattern, struct start *ret, struct error *err)
{
	struct nextchars_set next[STARTS_ALL];
	int all = nextchars_read(pattern, ret->word, ret->len, next, STARTS_ALL);
	int n = all < STARTS_NEXT ? all : STARTS_NEXT;

	for (int i = 0; i < n; i++) {
		int set = number_of(s->sets, &s->n_sets, STARTS_SETS, &next[i]);

		if (set < 0)
			return fail(err, ERR_INTERNAL, "too many sets of characters");
		if (i < STARTS_VALUE && !are_values(&next[i]))
			n = -1;
		ret->next[i] = (uint8_t)set;
	}
	if (n < STARTS_VALUE)
		return fail(err, ERR_INTERNAL, "no value follows '%.*s' in %s", (int)ret->len,
			    ret->word, pattern);
	if (!read_parts(s, next, all, ret))
		return fail(err, ERR_INTERNAL, "too many sets of characters");
	ret->n_next = (uint8_t)n;
	ret->grows = true;
	for (int i = 1; i < n; i++)
		ret->grows = ret->grows && has_all(&next[i], &next[0]);
	for (ret->n_same = 1; ret->n_same < n && ret->next[ret->n_same] == ret->next[0];)
		ret->n_same++;
	return add_to_group(s, ret, next, all, err);
}

/* Its place among those that begin like it. */
static void add_to_row(struct starts *s, struct start *one)
{
	uint16_t *row = &s->row[starts_row(starts_three(one->word))];

	one->first = starts_three(one->word);
	if (one->len > STARTS_WORD_LEAST) {
		*row = *row ? *row : STARTS_LONGER;
		one->first = starts_four(one->word);
		row = &s->longer[starts_row(one->first)];
	}
	one->more = *row == STARTS_LONGER ? 0 : *row;
	*row = (uint16_t)++s->n;
}

static void set_bit(uint8_t *bits, size_t i)
{
	bits[i / 8] |= (uint8_t)(1u << i % 8);
}

/* What the byte behind its first three may be, and for longer ones behind four. */
static void add_glance(struct starts *s, const struct start *one)
{
	size_t len = one->len > STARTS_WORD_LEAST ? STARTS_WORD_LEAST + 1 : STARTS_WORD_LEAST;
	const struct nextchars_set *next = &s->sets[one->next[0]];

	if (len > STARTS_WORD_LEAST)
		set_bit(s->glance, starts_glance(one->first));
	for (unsigned c = 0; c < 256; c++) {
		char four[] = {one->word[0], one->word[1], one->word[2], (char)c};

		if (one->len > len ? one->word[len] != (char)c
				   : !nextchars_in(next, (unsigned char)c))
			continue;
		if (len > STARTS_WORD_LEAST)
			set_bit(s->longer_glance, starts_longer_glance(one->first, (char)c));
		else
			set_bit(s->glance, starts_glance(starts_four(four)));
	}
}

static int add_word(struct starts *s, const char *word, size_t len, const char *pattern,
		    struct error *err)
{
	struct start *one = &s->words[s->n];

	if (len < STARTS_WORD_LEAST || len > STARTS_WORD || s->n + 1 >= STARTS_WORDS ||
	    !is_value(word, len))
		return fail(err, ERR_INTERNAL, "beginning '%.*s': too short, long, many or odd",
			    (int)len, word);
	*one = (struct start){.len = (uint8_t)len};
	memcpy(one->word, word, len);
	memset(&one->eight, 0xff, len < sizeof(one->eight) ? len : sizeof(one->eight));
	memset(&one->four, 0xff, len > sizeof(one->eight) ? len - sizeof(one->eight) : 0);
	add_to_row(s, one);
	if (read_next(s, pattern, one, err) < 0)
		return -1;
	add_glance(s, one);
	return 0;
}

int start_build(struct starts *s, const struct redact_rule *rule, size_t entry, struct error *err)
{
	for (const char *word = rule->begins; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");

		if (add_word(s, word, len, rule->pattern, err) < 0)
			return fail_in(err, "%s", rule->id);
		s->words[s->n - 1].entry = (uint16_t)entry;
		word += len;
	}
	return 0;
}
