/* SPDX-License-Identifier: Apache-2.0 */
/* anchor_build.c - part of the build: reads anchors, and what is around them, from patterns. */
#include "redact/anchor_build.h"

#include <string.h>

#include "redact/flatforms.h"
#include "redact/shape_build.h"

/* The longest row of single characters; of some, the first. */
static void find_letters(const struct shape *s, struct anchor *ret)
{
	size_t len = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct shape_part *p = &s->parts[i];

		len = p->kind == SHAPE_CHAR && p->count == 1 ? len + 1 : 0;
		if (len <= ret->len || len > ANCHORS_LETTERS)
			continue;
		ret->len = (uint8_t)len;
		ret->n_prev = ret->n_after = 0;
		if (i >= len && s->parts[i - len].kind == SHAPE_SET) {
			ret->prev = s->parts[i - len].what;
			ret->n_prev = s->parts[i - len].count;
		}
		if (i + 1 < s->n && s->parts[i + 1].kind == SHAPE_SET) {
			ret->after = s->parts[i + 1].what;
			ret->n_after = s->parts[i + 1].count;
		}
		ret->before = (uint16_t)(p->at + 1 - len);
		for (size_t j = 0; j < len; j++)
			ret->letters[j] = (char)s->parts[i + 1 + j - len].what;
	}
}

/* No blank is in a run. */
static bool is_dark(const struct anchors *a, const struct shape *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct shape_part *p = &s->parts[i];

		for (int c = 0; c <= ' '; c++)
			if (p->kind == SHAPE_SET ? a->sets.of[c] >> p->what & 1
						 : p->kind == SHAPE_CHAR && p->what == c)
				return false;
	}
	return true;
}

static void set_bit(uint32_t *bits, size_t i)
{
	bits[i / 32] |= 1u << i % 32;
}

static void add_pair(struct anchors *a, char first, char second)
{
	set_bit(a->pairs, anchors_row((const char[]){first, second}));
}

/* Its first two letters, or, where it begins at the second byte of a pair, what is then a pair. */
static void add_pairs(struct anchors *a, const struct anchor *one)
{
	add_pair(a, one->letters[0], one->letters[1]);
	for (int c = 0; c < 256; c++)
		if (one->len == ANCHORS_LEAST)
			add_pair(a, (char)c, one->letters[0]);
	if (one->len > ANCHORS_LEAST)
		add_pair(a, one->letters[1], one->letters[2]);
}

/* One set for each letter that anchors begin with, as long as there are some left. */
static void add_sets(struct anchors *a, const struct anchor *one)
{
	unsigned set = 0;
	size_t i = 0;

	for (; a->anchors[i].letters[0] != one->letters[0]; i++) {
		size_t same = 0;

		while (a->anchors[same].letters[0] != a->anchors[i].letters[0])
			same++;
		set += same == i;
	}
	set = set < ANCHORS_SETS ? set : ANCHORS_SETS - 1;
	nibbles_add(&a->first, one->letters[0], set);
	nibbles_add(&a->second, one->letters[1], set);
	if (one->len > ANCHORS_LEAST)
		nibbles_add(&a->third, one->letters[2], set);
	for (int c = 0; one->len == ANCHORS_LEAST && c < 256; c++)
		nibbles_add(&a->third, (char)c, set);
}

static bool add_form(void *context, const char *form)
{
	struct anchors *a = context;
	struct anchor *one = &a->anchors[a->n];
	uint16_t *row;

	if (a->n == ANCHORS_FORMS)
		return false;
	*one = (struct anchor){0};
	if (!shape_read(form, false, &a->sets, &one->shape) || !is_dark(a, &one->shape))
		return false;
	find_letters(&one->shape, one);
	if (one->len < ANCHORS_LEAST || one->shape.len < ANCHORS_RUN)
		return false;
	shape_order(&one->shape, one->before, (size_t)one->before + one->len);
	memset(&one->mask, 0xff, one->len);
	add_pairs(a, one);
	add_sets(a, one);
	row = &a->row[anchors_row(one->letters)];
	set_bit(a->firsts, anchors_row(one->letters));
	one->next = *row;
	one->prevs = one->n_prev ? (uint64_t)1 << one->prev : UINT64_MAX;
	if (one->next)
		one->prevs |= a->anchors[one->next - 1].prevs;
	*row = (uint16_t)++a->n;
	return true;
}

bool anchor_build(struct anchors *a, const struct redact_rule *rule, size_t entry)
{
	size_t first = a->n;

	if (strstr(rule->pattern, "(?i)") ||
	    !flatforms_each(rule->pattern, strlen(rule->pattern), add_form, a))
		return false;
	for (size_t i = first; i < a->n; i++)
		a->anchors[i].entry = (uint16_t)entry;
	return true;
}
