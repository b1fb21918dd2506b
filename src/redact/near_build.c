/* SPDX-License-Identifier: Apache-2.0 */
/* near_build.c - part of the build: reads words and values from patterns of NEAR(). */
#include "redact/near_build.h"

#include <ctype.h>
#include <string.h>

#include "redact/flatforms.h"
#include "redact/shape_build.h"

/* Behind a word of two letters anything may stand. */
static void set_bits(uint8_t bits[static NEARNAMES_BITS / 8], const struct nearword *w)
{
	char three[3] = {w->text[0], w->text[1], w->text[2]};

	for (int c = 0; c < 256; c++) {
		uint32_t bit;

		if (w->len == NEARNAMES_LEAST)
			three[2] = (char)c;
		bit = nearnames_bit(three);
		bits[bit / 8] |= (uint8_t)(1u << bit % 8);
	}
}

static char lower(char c)
{
	return (char)tolower((unsigned char)c);
}

/* Letters, digits, "_" and "-", perhaps with \b before them: no sign, nothing that is repeated. */
static bool add_word(void *context, const char *form)
{
	struct nearnames *n = context;
	struct nearword *w = &n->words[n->n_words];
	uint16_t *row;

	if (n->n_words + 1 >= NEARNAMES_WORDS)
		return false;
	w->begins = strncmp(form, "\\b", 2) == 0;
	form += w->begins ? 2 : 0;
	for (w->len = 0; form[w->len]; w->len++) {
		if (w->len == NEARNAMES_WORD || !(shape_word(form[w->len]) || form[w->len] == '-'))
			return false;
		w->text[w->len] = lower(form[w->len]);
	}
	if (w->len < NEARNAMES_LEAST)
		return false;
	row = &n->row[nearnames_row(w->text)];
	w->next = *row;
	*row = (uint16_t)++n->n_words;
	set_bits(n->bits, w);
	return true;
}

static bool can_be(const struct nearnames *n, const struct shape_part *p, int c)
{
	if (p->kind == SHAPE_SET)
		return n->sets.of[c] >> p->what & 1;
	return p->kind != SHAPE_BORDER && lower((char)c) == (char)p->what;
}

/* What nearnames_value() says of the first bytes of values that look so, all together. */
static unsigned value_of(const struct nearnames *n, const struct shape *s, size_t len)
{
	unsigned all = 0;

	if (s->len < NEARNAMES_VALUE)
		return NEAR_NONE;
	for (const struct shape_part *p = s->parts; p < s->parts + s->n; p++) {
		if (p->at >= len)
			continue;
		for (int c = 0; c < 256; c++) {
			char sixteen[NEARNAMES_VALUE];

			memset(sixteen, c, sizeof(sixteen));
			all |= can_be(n, p, c) ? nearnames_value(sixteen) : 0;
		}
	}
	return all;
}

/* nearnames_odd() must say yes to it. */
static void allow_odd(struct nearnames *n, const struct nearword *w, const struct shape *s)
{
	uint8_t odd = (uint8_t)value_of(n, s, NEARNAMES_VALUE);

	set_bits(n->odd_bits, w);
	if (w->joint == NEARJOINT_NEAR) {
		n->odd_near |= (uint8_t)value_of(n, s, s->len);
		if (n->odd_word == 0 || w->len < n->odd_word)
			n->odd_word = w->len;
		if (n->odd_least == 0 || s->len < n->odd_least)
			n->odd_least = s->len;
		return;
	}
	n->odd_last[nearnames_pair(w->text + w->len)] |= odd;
	/* Blanks may stand between. */
	for (int c = 0; c < 256 && w->joint == NEARJOINT_FAR; c++)
		n->odd_last[nearnames_pair((const char[]){(char)c, ' '} + 2)] |= odd;
}

static bool add_shape(void *context, const char *form)
{
	struct nearnames *n = context;
	struct shape *s = &n->shapes[n->n_shapes];

	if (n->n_shapes == NEARNAMES_SHAPES || !shape_read(form, true, &n->sets, s) ||
	    value_of(n, s, NEARNAMES_VALUE) >= NEAR_NONE)
		return false;
	shape_order(s, 0, 0);
	n->n_shapes++;
	return true;
}

/* Where what is between word and value begins; NULL: nothing is that we know. */
static const char *find_joint(const char *pattern, enum nearjoint *ret_joint, size_t *ret_len)
{
	static const char *const joints[NEARJOINT_COUNT] = {
		[NEARJOINT_NEAR] = NEAR_GAP ASSIGN,
		[NEARJOINT_FAR] = GIVEN_BLANKS,
		[NEARJOINT_GIVEN] = "=(",
	};
	static const enum nearjoint order[] = {NEARJOINT_NEAR, NEARJOINT_FAR, NEARJOINT_GIVEN};

	for (size_t i = 0; i < NEARJOINT_COUNT; i++) {
		const char *at = strstr(pattern, joints[order[i]]);

		if (!at)
			continue;
		*ret_joint = order[i];
		*ret_len = strcspn(at + 1, "(") + 1;
		if (order[i] == NEARJOINT_NEAR)
			*ret_len = strlen(joints[NEARJOINT_NEAR]);
		return at;
	}
	return NULL;
}

bool near_build(struct nearnames *n, const struct redact_rule *rule, size_t entry)
{
	size_t words = n->n_words, shapes = n->n_shapes, len = 0;
	enum nearjoint joint = NEARJOINT_NEAR;
	const char *at = find_joint(rule->pattern, &joint, &len), *value;

	n->gap = shape_set(NEAR_GAP, true, &n->sets);
	if (!at || strncmp(rule->pattern, "(?i)", 4) != 0)
		return false;
	value = at + len;
	if (!flatforms_each(rule->pattern + 4, (size_t)(at - rule->pattern) - 4, add_word, n) ||
	    !flatforms_each(value, strlen(value), add_shape, n))
		return false;
	for (size_t i = words; i < n->n_words; i++) {
		n->words[i].entry = (uint16_t)entry;
		n->words[i].joint = (uint8_t)joint;
		n->words[i].first = (uint16_t)shapes;
		n->words[i].behind = (uint16_t)n->n_shapes;
		for (size_t j = shapes; j < n->n_shapes; j++)
			if (value_of(n, &n->shapes[j], NEARNAMES_VALUE) != 0)
				allow_odd(n, &n->words[i], &n->shapes[j]);
	}
	return true;
}
