/* SPDX-License-Identifier: Apache-2.0 */
/* near_build.c - part of the build: reads words and values from patterns of NEAR(). */
#include "redact/near_build.h"

#include <ctype.h>
#include <string.h>

#include "redact/flatforms.h"
#include "redact/shape_build.h"

enum { THREE_AT = 2 }; /* the first letters of a word are those of many others */

/* Behind a word of two letters anything may stand. */
static void set_bits(uint32_t bits[static NEARNAMES_BITS / 32], const struct nearword *w)
{
	char three[4] = {w->text[0], w->text[1], w->text[2]};

	for (int c = 0; c < 256; c++) {
		uint32_t bit;

		if (w->len == NEARNAMES_LEAST)
			three[2] = (char)c;
		bit = nearnames_bit(three);
		bits[bit / 32] |= 1u << bit % 32;
	}
}

/* The same for sixteen bytes at once, of which all are as small letters. */
static void add_nibbles(struct nearnames *n, const struct nearword *w)
{
	unsigned set = (unsigned)(w->text[0] & 0x1f) / 4;

	nibbles_add(&n->first, (char)(w->text[0] | 0x20), set);
	nibbles_add(&n->second, (char)(w->text[1] | 0x20), set);
	for (int c = 0; c < 256; c++)
		if (w->len == NEARNAMES_LEAST || (char)c == w->text[2])
			nibbles_add(&n->third, (char)(c | 0x20), set);
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
	/* nearnames.c looks for these first. */
	if (w->len < NEARNAMES_LEAST || isdigit((unsigned char)w->text[0]) || w->text[0] == '-' ||
	    isdigit((unsigned char)w->text[1]) || w->text[1] == '-')
		return false;
	row = &n->row[nearnames_row(w->text)];
	w->next = *row;
	*row = (uint16_t)++n->n_words;
	set_bits(n->bits, w);
	add_nibbles(n, w);
	return true;
}

static bool can_be(const struct nearnames *n, const struct shape_part *p, int c)
{
	if (p->kind == SHAPE_SET)
		return n->sets.of[c] >> p->what & 1;
	return p->kind != SHAPE_BORDER && lower((char)c) == (char)p->what;
}

/* The characters that can be among the first ones of values that look so. */
static void add_firsts(const struct nearnames *n, const struct shape *s, bool firsts[static 256])
{
	for (const struct shape_part *p = s->parts; p < s->parts + s->n; p++)
		for (int c = 0; c < 256 && p->at < NEARNAMES_VALUE; c++)
			firsts[c] = firsts[c] || can_be(n, p, c);
}

/* signs.c looks at values that are so long, without blanks and ":". */
static bool is_value(const struct nearnames *n, const struct shape *s)
{
	bool firsts[256] = {false};

	add_firsts(n, s, firsts);
	for (int c = 0; c <= ' '; c++)
		if (firsts[c])
			return false;
	return s->len >= NEARNAMES_VALUE && !firsts[':'];
}

/* How long a value is at least, before what NEARNAMES_ENDS() has; more than NEARNAMES_LONG are not
 * told apart. */
static size_t long_len(const struct nearnames *n, const struct shape *s)
{
	size_t len = s->len < NEARNAMES_LONG ? s->len : NEARNAMES_LONG;

	for (const struct shape_part *p = s->parts; p < s->parts + s->n; p++)
		for (int c = 0; c < 256; c++)
			if (NEARNAMES_ENDS(c) && p->at < len && can_be(n, p, c))
				len = p->at;
	return len;
}

/* The number of the kind that has these, and is so long; NEARNAMES_KINDS: there is no room. */
static size_t kind_of(struct nearnames *n, const bool firsts[static 256], size_t len)
{
	size_t kind;

	for (kind = 0; kind < n->n_kinds; kind++) {
		int c = 0;

		while (n->kind_len[kind] == len && c < 256 &&
		       (n->value_kinds[c] >> kind & 1) == firsts[c])
			c++;
		if (c == 256)
			return kind;
	}
	if (kind == NEARNAMES_KINDS)
		return kind;
	for (int c = 0; c < 256; c++)
		n->value_kinds[c] |= (uint64_t)firsts[c] << kind;
	n->kind_len[kind] = (uint8_t)len;
	for (; len <= NEARNAMES_LONG; len++)
		n->long_kinds[len] |= (uint64_t)1 << kind;
	return n->n_kinds++;
}

/* nearnames_before() must say that it may be one. */
static void allow_kind(struct nearnames *n, const struct nearword *w)
{
	uint64_t kind = (uint64_t)1 << w->kind;

	for (size_t len = w->len; len <= NEARNAMES_WORD && w->joint == NEARJOINT_NEAR; len++)
		n->near_kinds[len] |= kind;
	if (w->joint != NEARJOINT_NEAR)
		n->last_kinds[nearnames_pair(w->text + w->len)] |= kind;
	/* Blanks may stand between. */
	for (int c = 0; c < 256 && w->joint == NEARJOINT_FAR; c++)
		n->last_kinds[nearnames_pair((const char[]){(char)c, ' '} + 2)] |= kind;
}

/* nearnames_look() must look for its word where that may be. */
static void allow_long(struct nearnames *n, const struct nearword *w)
{
	uint64_t kind = (uint64_t)1 << w->kind;

	if (w->joint == NEARJOINT_NEAR)
		n->gap_kinds |= kind;
	else if (w->len > n->given_len)
		n->given_len = w->len;
}

/* How long a value is at least, without a blank or a ":". */
static size_t plain_len(const struct nearnames *n, const struct shape *s)
{
	for (const struct shape_part *p = s->parts; p < s->parts + s->n; p++)
		for (int c = 0; c <= ':'; c++)
			if ((c <= ' ' || c == ':') &&
			    (p->kind == SHAPE_SET ? n->sets.of[c] >> p->what & 1
						  : p->kind == SHAPE_CHAR && p->what == c))
				return NEARNAMES_VALUE;
	return s->len;
}

/* nearnames_ends_equals() must know its end.  false: there is no room. */
static bool add_end(struct nearnames *n, const char *text, size_t len)
{
	char bytes[NEARNAMES_END] = {0};
	struct nearend one = {0};
	size_t most = len < sizeof(bytes) ? len : sizeof(bytes);

	memcpy(bytes + sizeof(bytes) - most, text + len - most, most);
	memset((char *)&one.mask + sizeof(one.mask) - most, 0xff, most);
	one.bytes = nearnames_end(bytes + sizeof(bytes));
	n->equals_lasts |= 1u << (text[len - 1] & 0x1f);
	for (size_t i = 0; i < n->n_equals; i++)
		if (memcmp(&n->equals_ends[i], &one, sizeof(one)) == 0)
			return true;
	if (n->n_equals == NEARNAMES_EQUALS)
		return false;
	n->equals_ends[n->n_equals++] = one;
	return true;
}

/* nearnames_may_equal() must know it.  false: there is no room, or it is too short. */
static bool add_three(struct nearnames *n, const struct nearword *w)
{
	char three[sizeof(n->equals_threes[0])];
	size_t i = 0;

	if (w->len < THREE_AT + sizeof(three))
		return false;
	for (; i < sizeof(three); i++)
		three[i] = (char)(w->text[THREE_AT + i] | 0x20);
	for (i = 0; i < n->n_threes; i++)
		if (memcmp(n->equals_threes[i], three, sizeof(three)) == 0)
			return true;
	if (n->n_threes == NEARNAMES_THREES)
		return false;
	memcpy(n->equals_threes[n->n_threes++], three, sizeof(three));
	return true;
}

/* The same for nearnames_equals().  false: there is no room. */
static bool allow_equals(struct nearnames *n, const struct nearword *w)
{
	if (!(n->value_kinds['='] >> w->kind & 1))
		return true;
	if (w->joint == NEARJOINT_NEAR && (n->equals_len == 0 || w->len < n->equals_len))
		n->equals_len = w->len;
	if (w->joint == NEARJOINT_NEAR && !add_three(n, w))
		return false;
	for (size_t i = w->first; i < w->behind && w->joint == NEARJOINT_NEAR; i++) {
		size_t len = plain_len(n, &n->shapes[i]);

		if (n->equals_least == 0 || len < n->equals_least)
			n->equals_least = len;
	}
	if (w->joint != NEARJOINT_NEAR && !add_end(n, w->text, w->len))
		return false;
	/* Blanks may stand between. */
	return w->joint != NEARJOINT_FAR || add_end(n, " ", 1);
}

static bool add_shape(void *context, const char *form)
{
	struct nearnames *n = context;
	struct shape *s = &n->shapes[n->n_shapes];

	if (n->n_shapes == NEARNAMES_SHAPES || !shape_read(form, true, &n->sets, s) ||
	    !is_value(n, s))
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

/* The set of values that are "[...]{n,}" and nothing else, plus one; 0: they are more than that. */
static uint8_t open_set(const struct nearnames *n, size_t first, const char *value)
{
	const struct shape *s = &n->shapes[first];
	size_t len = strlen(value);

	if (n->n_shapes != first + 1 || s->n != 1 || s->parts[0].kind != SHAPE_SET || len < 3 ||
	    strcmp(value + len - 3, ",})") != 0)
		return 0;
	return (uint8_t)(s->parts[0].what + 1);
}

bool near_build(struct nearnames *n, const struct redact_rule *rule, size_t entry)
{
	size_t words = n->n_words, shapes = n->n_shapes, len = 0, kind;
	size_t least = NEARNAMES_LONG;
	bool firsts[256] = {false};
	enum nearjoint joint = NEARJOINT_NEAR;
	const char *at = find_joint(rule->pattern, &joint, &len), *value;

	n->gap = shape_set(NEAR_GAP, true, &n->sets);
	if (!at || strncmp(rule->pattern, "(?i)", 4) != 0)
		return false;
	value = at + len;
	if (!flatforms_each(rule->pattern + 4, (size_t)(at - rule->pattern) - 4, add_word, n) ||
	    !flatforms_each(value, strlen(value), add_shape, n))
		return false;
	for (size_t i = shapes; i < n->n_shapes; i++) {
		size_t here = long_len(n, &n->shapes[i]);

		add_firsts(n, &n->shapes[i], firsts);
		least = here < least ? here : least;
	}
	kind = kind_of(n, firsts, least);
	if (kind == NEARNAMES_KINDS)
		return false;
	for (size_t i = words; i < n->n_words; i++) {
		struct nearword *w = &n->words[i];

		w->entry = (uint16_t)entry;
		w->joint = (uint8_t)joint;
		w->kind = (uint8_t)kind;
		w->open = open_set(n, shapes, value);
		w->kinds = (uint64_t)1 << kind | (w->next ? n->words[w->next - 1].kinds : 0);
		w->first = (uint16_t)shapes;
		w->behind = (uint16_t)n->n_shapes;
		allow_kind(n, w);
		allow_long(n, w);
		if (!allow_equals(n, w))
			return false;
	}
	return true;
}
