/* SPDX-License-Identifier: Apache-2.0 */
/* signs.c - what a "." a ":" or a "=" may be part of: addresses, and names with values.
 *
 * These signs are in every line.  A search for patterns pays for each of them (100 to 300 ns);
 * looking at what stands around a sign costs a few.  Every byte is looked at a bounded number of
 * times, whatever the text: runs of digits and values are remembered up to their end.
 */
#include "redact/signs.h"

#include <stdint.h>
#include <string.h>

#include "base/processor.h"
#include "redact/lanes.h"
#include "redact/phrases.h"
#include "redact/signaddr.h"
#include "redact/signblock.h"
#include "redact/signlook.h"
#include "redact/signname.h"

enum {
	BLOCK = SIGNBLOCK,
	FEW_SIGNS = 5, /* in a block */
	MANY_SIGNS = 6,
	BOT_DOTS = 7, /* from one to the other in a bot's token */
	BLANKS = 3,
	PASSWORD_LEAST = 6,
	SECRET_NAME = 3, /* letters: "key" */
	PASSWORD_BITS = (1 << PASSWORD_LEAST) - 1,
	SECRET_BITS = (1 << 10) - 1,
	AHEAD = 8 + VALUERUN_GLANCE, /* bytes from a sign on that are looked at without asking */
};

const unsigned char signlook_kinds[256] = {
	['0' ... '9'] = NAME_END | DIGIT,
	['a' ... 'z'] = NAME_END,
	['A' ... 'Z'] = NAME_END,
	['_'] = NAME_END,
	['-'] = NAME_END,
	['.'] = NAME_END, /* of those that nearnames.h knows */
	['"'] = NAME_END | OPENING,
	['\''] = NAME_END | OPENING,
	['`'] = OPENING,
	['>'] = ARROW,
	[']'] = NAME_END,
	[' '] = NAME_END | BLANK,
	['\t'] = NAME_END | BLANK,
};

/* Where the value behind a sign begins: behind "=>", and blanks. */
static size_t value_begin(const struct signlook *l, size_t sign)
{
	size_t at = sign + 1;

	if (l->text[sign] == '=' && at < l->high && l->text[at] == '>')
		at++;
	for (size_t n = 0; at < l->high && n < BLANKS && signlook_kind(l, at) & BLANK; n++)
		at++;
	return at;
}

/* Two bytes are there. */
static inline bool has_name(const struct signlook *l, size_t sign)
{
	return (signlook_kind(l, sign - 1) & NAME_END) |
	       ((l->text[sign - 1] == ':') & (l->text[sign] == '=') &
		((signlook_kind(l, sign - 2) & NAME_END) != 0));
}

/* Does the name before a sign end as a password's does? */
static inline bool is_password(struct signlook *l, size_t sign)
{
	if (!(l->passwords & signname_maybe_password(l->text, sign)))
		return false;
	if (signname_near_password(l->text, sign - (l->text[sign - 1] == ':')))
		return true;
	signlook_tell(l, sign, SIGNNAME_NO_PASSWORD);
	return false;
}

/* What was found has this value in it.  If it ends before that, the value of one name is another
 * name. */
static inline bool is_taken(const struct signlook *l, size_t value)
{
	return value < l->taken;
}

/* Near the end of the text, or its begin. */
__attribute__((noinline)) static void look_slowly(struct signlook *l, size_t last, size_t sign)
{
	size_t at = value_begin(l, sign);

	if (sign == 0 || at >= l->high || (sign > 1 && !has_name(l, sign)))
		return;
	if (l->text[at] == '\\')
		signescape_try(l, sign, at);
	if (sign > 1 && signlook_inner(l, at) + NEARNAMES_VALUE <= l->high &&
	    !nearnames_try(&l->near, last, sign, signlook_inner(l, at)))
		l->enough = true;
	if (!is_taken(l, signlook_inner(l, at)))
		signassign_try(l, sign, at, l->passwords && (sign < 2 || is_password(l, sign)));
}

/* What a sign may have behind it. */
struct maybe {
	bool near, password, secret;
};

/* A name and a value that is long enough for one of them. */
static inline void look_closely(struct signlook *l, size_t last, size_t sign, size_t at,
				struct maybe m)
{
	if (m.near && !nearnames_try(&l->near, last, sign, signlook_inner(l, at)))
		l->enough = true;
	if (is_taken(l, signlook_inner(l, at)))
		return;
	if (m.password)
		signassign_try(l, sign, at, true);
	else if (m.secret)
		signassign_secret(l, sign, at);
}

/* signname_maybe_secret() by no more than sixteen bytes; true: perhaps. */
static inline bool may_end_secret(const struct signlook *l, size_t sign)
{
	uint32_t joints, words;
	lanes v;

	if (sign < LANES + 2)
		return true;
	v = lanes_load(l->text + sign - LANES);
	words = lanes_bits(word_ends_in(l->text + sign - LANES));
	joints = lanes_bits((lanes)(v == '_') | (lanes)(v == '-'));
	joints &= joints - 1;
	joints &= joints - 1; /* of three or more it says nothing */
	return (words | joints) || signlook_kind(l, sign - 1) & (BLANK | OPENING) ||
	       l->text[sign - 1] == ']' || l->text[sign - 1] == ':';
}

/* A sign at the i-th byte of a block, with a value right behind it.  What is asked first is asked
 * without a branch: in text of words drawn at random none can be foretold. */
static inline void look_direct(struct signlook *l, const struct block *b, size_t i, size_t last,
			       size_t sign)
{
	/* What is in the first sixteen bytes of the value, as far as the block tells. */
	bool colons = b->colons >> i >> 1 & 0xffff, equals = b->equals >> i >> 1 & 0xffff;
	bool enough = b->long_values >> i & 1;
	struct maybe m = {
		.near = enough & l->names & (b->near >> i & 1) & !colons &
			(!equals | nearnames_equals(&l->near, last, sign)),
		.password = l->passwords & (b->passwords >> i & 1) &
			    signname_maybe_password(l->text, sign),
		.secret = enough & l->secrets & (sign - last >= SECRET_NAME) &
			  may_mean_secret(b, i, last, sign) & may_have(b->ten, i + 1),
	};

	if (!((m.near | m.password | m.secret) & has_name(l, sign)))
		return;
	/* The block does not tell of what is behind it. */
	m.near = m.near && !lanes_bits((lanes)(lanes_load(l->text + sign + 1) <= ' '));
	m.password = m.password && is_password(l, sign);
	m.secret = m.secret && !valuerun_known_dull(&l->value, sign + 1) && may_end_secret(l, sign);
	look_closely(l, last, sign, sign + 1, m);
}

/* The same with more than a value behind it: blanks, a quote. */
static void look_apart(struct signlook *l, const struct block *b, size_t i, size_t last,
		       size_t sign)
{
	size_t at = value_begin(l, sign), inner = signlook_inner(l, at);
	uint32_t dark = lanes_bits((lanes)(lanes_load(l->text + inner) > ' '));
	struct maybe m = {
		.near = l->names && ((dark == 0xffff) & nearnames_may_be_value(&l->near, inner)),
		.password = (((dark & PASSWORD_BITS) == PASSWORD_BITS &&
			      may_have(b->six, i + inner - sign)) ||
			     inner > at) &&
			    (b->passwords >> i & 1) && is_password(l, sign),
		.secret = l->secrets && sign - last >= SECRET_NAME &&
			  (dark & SECRET_BITS) == SECRET_BITS && may_have(b->ten, i + inner - sign),
	};

	if (l->text[at] == '\\' && signlook_maybe_escape(l, sign, at))
		signescape_try(l, sign, at);
	if (m.near || m.password || m.secret)
		look_closely(l, last, sign, at, m);
}

/* One of many signs, of either kind. */
struct candidate {
	size_t last, sign, at;
	bool whole; /* it is not the ":" of ":=" */
	bool escaped;
	struct maybe m;
};

/* value_begin() and inner_of(), at once. */
static inline size_t value_begin_at_once(const struct signlook *l, size_t sign)
{
	const char *text = l->text + sign + 1;
	unsigned arrow = (text[-1] == '=') & (text[0] == '>');
	lanes v = lanes_load(text + arrow);
	uint32_t others = ~lanes_bits((lanes)(v == ' ') | (lanes)(v == '\t'));

	return sign + 1 + arrow + (size_t)__builtin_ctz(others | 1u << BLANKS);
}

/* Is there anything to look at closely?  Where signs are many nothing can be foretold: there is no
 * branch.  direct: a value is right behind the sign. */
static inline bool may_be_any(const struct signlook *l, const struct block *b, size_t i,
			      struct candidate *c, bool direct)
{
	size_t at = direct ? c->sign + 1 : value_begin_at_once(l, c->sign);
	size_t inner = direct ? at : signlook_inner(l, at);
	lanes v = lanes_load(l->text + inner);
	uint32_t dark = lanes_bits((lanes)(v > ' ')), colons = lanes_bits((lanes)(v == ':'));
	uint32_t equals = lanes_bits((lanes)(v == '='));
	bool name = has_name(l, c->sign);

	c->at = at;
	c->escaped = !direct & name & (l->text[at] == '\\');
	c->m.near = name & l->names & (b->near >> i & 1) & (dark == 0xffff) & (colons == 0) &
		    ((equals == 0) | nearnames_equals(&l->near, c->last, c->sign));
	name &= c->whole;
	c->m.password = name & l->passwords & (b->passwords >> i & 1) &
			signname_maybe_password(l->text, c->sign) &
			((((dark & PASSWORD_BITS) == PASSWORD_BITS) &
			  may_have(b->six, i + inner - c->sign)) |
			 (inner > at));
	c->m.secret = name & l->secrets & ((dark & SECRET_BITS) == SECRET_BITS) &
		      (c->sign - c->last >= SECRET_NAME) & (l->text[inner] != '/') &
		      may_mean_secret(b, i, c->last, c->sign) &
		      may_have(b->ten, i + inner - c->sign);
	return c->m.near | c->m.password | c->m.secret | c->escaped;
}

/* Behind the last sign before the i-th byte of a block. */
static inline size_t behind_last(const struct signlook *l, size_t at, uint64_t ends, size_t i)
{
	uint64_t before = ends & (((uint64_t)1 << i) - 1);

	return before ? at + BLOCK - (size_t)__builtin_clzll(before) : l->last;
}

/* How many characters of a value are where.  Those of a run that was read need not be read again.
 */
static inline void read_lengths(const struct signlook *l, size_t at, struct block *b)
{
	bool known = at >= l->value.begin && at + BLOCK <= l->value.end;
	uint64_t values = known ? ~(uint64_t)0 : read_values(l->text + at),
		 two = values & later(values, 1);
	uint64_t four = two & later(two, 2), eight = four & later(four, 4);

	b->values = values;
	b->six = four & later(two, 4);
	b->ten = eight & later(two, 8);
	/* Without a digit it is none that is shorter than twenty. */
	if (b->ten)
		b->ten &=
			(eight & later(eight, 8) & later(four, 16)) | runs_up_to(values, b->digits);
}

/* Are all values of a block none, by the run that the first of some signs has behind it?  It is
 * read once, if it goes on behind the block, and then most often for many. */
static inline bool is_dull_block(struct signlook *l, size_t at, const struct block *b,
				 uint64_t signs)
{
	uint64_t behind = ~((signs & -signs) - 1);

	if (!signs || (b->values | ~behind) != ~(uint64_t)0)
		return false;
	(void)valuerun_end(&l->value, at + (size_t)__builtin_ctzll(signs) + 1);
	return valuerun_all_dull(&l->value, at + 1, at + BLOCK + 1);
}

/* Of some signs those before which nearnames_equals() may be true, if the value behind them is long
 * enough, and perhaps others; one: what may be in such a value. */
static inline uint64_t may_have_equals(struct signlook *l, size_t at, uint64_t some, uint64_t ends,
				       uint64_t one)
{
	const struct nearnames *n = l->near.names;
	uint64_t near = ends, names = 0;

	if (!some || !n)
		return 0;
	/* A word is not longer than what is between two signs; the first may have begun before. */
	for (size_t len = 1; len < n->equals_len; len++)
		near |= near << 1;
	if (n->equals_len > 0)
		names = (~(near << 1) | (((uint64_t)1 << n->equals_len) - 1)) & some &
			later(in_a_row(one, n->equals_least), 1);
	if (names && at >= NEARNAMES_BEFORE && !nearnames_may_equal(&l->near, at, BLOCK))
		names = 0;
	/* Which letter is before a sign cannot be foretold: it is asked of all of them first. */
	for (uint64_t all = some &= ~names; all; all &= all - 1) {
		size_t i = (size_t)__builtin_ctzll(all);

		some ^= (uint64_t)!nearnames_maybe_equals(n, l->text + at + i) << i;
	}
	for (; some; some &= some - 1) {
		size_t i = (size_t)__builtin_ctzll(some);

		names |= (uint64_t)(at + i < NEARNAMES_END ||
				    nearnames_ends_equals(n, l->text + at + i))
			 << i;
	}
	return names;
}

/* Of some signs those before which there is a name that was told to be none of a secret, or of a
 * password. */
struct told {
	uint64_t no_secret, no_password;
};

static inline struct told what_was_told(const struct signlook *l, size_t at, uint64_t some)
{
	struct told ret = {0, 0};

	for (; at >= LANES && some; some &= some - 1) {
		size_t i = (size_t)__builtin_ctzll(some);
		unsigned what = signname_what(l->told, l->text, at + i);

		ret.no_secret |= (uint64_t)(what & SIGNNAME_NO_SECRET) << i;
		ret.no_password |= (uint64_t)((what & SIGNNAME_NO_PASSWORD) != 0) << i;
	}
	return ret;
}

/* More than a few signs in a block: those that cannot be one of what may_be_any() looks for are
 * dropped, by what can be told of all of them at once. */
static __attribute__((noinline)) uint64_t drop_some(struct signlook *l, size_t at, struct block *b,
						    uint64_t signs, uint64_t ends)
{
	uint64_t direct = (b->dark & ~b->openings) >> 1, one = b->dark & ~b->colons;
	uint64_t near = later(sixteen_of(one & ~b->equals), 1), odd = later(sixteen_of(one), 1);
	uint64_t names = ~ends, secrets = 0;
	struct told told;
	uint64_t passwords = read_password_ends(l->text + at) << 1 | 1;

	b->passwords = passwords;
	/* 0: no value right behind a sign is a secret. */
	b->word_ends = 0;
	if (signs & (b->long_values | ~direct) &&
	    !valuerun_all_dull(&l->value, at + 1, at + BLOCK + 1)) {
		b->word_ends = read_word_ends(l->text + at);
		/* From a word's end a carry runs to the next sign.  Up to the first sign the name
		 * may have begun before. */
		secrets = (((b->word_ends & names) + names) & ends) | (ends ^ (ends - 1));
	}
	if (signs & (~direct | secrets | passwords))
		read_lengths(l, at, b);
	secrets &= later(b->ten, 1);
	if (is_dull_block(l, at, b, signs & direct & secrets))
		secrets = b->word_ends = 0;
	b->near = ~direct | near;
	b->near |= may_have_equals(l, at, signs & odd & ~b->near, ends, one);
	passwords &= later(b->six, 1);
	told = what_was_told(l, at, signs & ~b->near & (secrets | passwords));
	return signs & (b->near | (secrets & ~told.no_secret) | (passwords & ~told.no_password));
}

/* The signs of a block, a bit for each. */
struct signbits {
	uint64_t some, ends; /* those that are looked at; where a sign ends */
};

static inline size_t pick(const struct signlook *l, size_t at, const struct block *b,
			  struct signbits s, bool direct, struct candidate *ret)
{
	size_t n = 0;

	for (; s.some; s.some &= s.some - 1) {
		size_t i = (size_t)__builtin_ctzll(s.some);
		struct candidate *c = &ret[n];

		c->sign = at + i;
		c->whole = s.ends >> i & 1;
		c->last = behind_last(l, at, s.ends, i);
		n += may_be_any(l, b, i, c, direct);
	}
	return n;
}

/* Those that count are picked out first; where all values are right behind their signs, with less
 * to do. */
static __attribute__((noinline)) void look_at_many(struct signlook *l, size_t at,
						   const struct block *b, struct signbits s)
{
	struct candidate all[BLOCK];
	bool direct = !(s.some & ~((b->dark & ~b->openings) >> 1));
	size_t n = direct ? pick(l, at, b, s, true, all) : pick(l, at, b, s, false, all);

	for (size_t k = 0; k < n; k++) {
		struct candidate *c = &all[k];

		if (c->escaped && signlook_maybe_escape(l, c->sign, c->at))
			signescape_try(l, c->sign, c->at);
		c->m.password = c->m.password && is_password(l, c->sign);
		c->m.secret =
			c->m.secret && !valuerun_known_dull(&l->value, signlook_inner(l, c->at));
		look_closely(l, c->last, c->sign, c->at, c->m);
	}
}

/* Signs, with AHEAD bytes behind the block.  Most values are too short: those are not looked at. */
static inline void look_at_signs(struct signlook *l, size_t at, struct block *b)
{
	uint64_t two = b->dark & later(b->dark, 1), four = two & later(two, 2);
	uint64_t six = later(four & later(two, 4), 1), ten = later(four & later(four, 4), 1);
	uint64_t direct = (b->dark & ~b->openings) >> 1, signs = b->colons | b->equals;
	/* ":=" is one sign. */
	uint64_t next = (uint64_t)(l->text[at + BLOCK] == '=') << (BLOCK - 1);
	uint64_t ends = b->equals | (b->colons & ~(b->equals >> 1 | next));

	b->long_values = ten & later(two, 9);
	signs &= (six | ~direct) & may_have_names(b);
	b->word_ends = b->passwords = b->near = b->six = b->ten = ~(uint64_t)0;
	l->tells = has_more(signs, FEW_SIGNS);
	if (l->tells) {
		signs = drop_some(l, at, b, signs, ends);
		/* Text that has more of them says the same again and again: what a branch does can
		 * be foretold. */
		if (!has_more(signs, MANY_SIGNS)) {
			look_at_many(l, at, b, (struct signbits){signs, ends});
			signs = 0;
		}
	}
	for (uint64_t some = signs; some; some &= some - 1) {
		uint64_t bit = some & -some, before = ends & (bit - 1);
		size_t i = (size_t)__builtin_ctzll(some), sign = at + i;
		size_t last = before ? at + BLOCK - (size_t)__builtin_clzll(before) : l->last;

		if (direct & bit)
			look_direct(l, b, i, last, sign);
		else if (has_name(l, sign))
			look_apart(l, b, i, last, sign);
	}
	if (ends)
		l->last = at + BLOCK - (size_t)__builtin_clzll(ends);
}

/* Phrases, by what is around their blanks. */
static inline void look_at_phrases(struct signlook *l, size_t at, const struct block *b)
{
	uint64_t dashes = b->dashes & later(b->dashes, 1), two = b->dark & later(b->dark, 1);
	uint64_t four = two & later(two, 2), eight = four & later(four, 4);
	uint64_t begins = eight & ~(b->dark << 1 | ((unsigned char)l->text[at - 1] > ' '));
	/* Shorter values count behind "basic" only; before its blank there may be another. */
	uint64_t some = begins & (later(eight, 8) | (b->cs | ~b->dark) << 2 | 3);

	for (; some; some &= some - 1) {
		size_t i = at + (size_t)__builtin_ctzll(some);

		if (i > PHRASES_BEFORE && phrases_maybe(l->text, i))
			signpoints_value(l, i);
	}
	some = dashes & later(dashes, 2) & ~(b->dashes << 1 | (l->text[at - 1] == '-'));
	for (; some; some &= some - 1)
		signpoints_dashes(l, at + (size_t)__builtin_ctzll(some));
	some = b->colons & ~(b->dark >> 1) & later(b->digits, 2);
	for (; some; some &= some - 1)
		signpoints_number(l, at + (size_t)__builtin_ctzll(some));
}

static inline void look_at_block(struct signlook *l, size_t at)
{
	struct block b = read_block(l->text + at);
	uint64_t some = b.dots & (b.digits << 1 | 1) & later(b.digits, 1);
	uint64_t bots = b.dots & later(b.dots, BOT_DOTS);

	if (bots)
		bots &= may_be_bots(&b);
	/* Between digits, with two more near, or one of another kind. */
	some = (some ? may_be_ipv4(some) : 0) | bots;
	for (; some; some &= some - 1) {
		size_t i = (size_t)__builtin_ctzll(some);

		/* Most are in an address that was looked at. */
		if (at + i >= l->dots || (bots >> i & 1))
			signpoints_dot(l, at + i);
	}
	for (some = signaddr_colons(b.colons, b.hex | b.digits); some; some &= some - 1)
		signpoints_colon(l, at + (size_t)__builtin_ctzll(some));
	some = b.colons & later(b.slashes, 1) & later(b.slashes, 2);
	for (; some; some &= some - 1)
		signpoints_url(l, at + (size_t)__builtin_ctzll(some));
	/* Behind a blank or a quote, or at the begin of a line. */
	some = b.dashes & later(b.dark, 1) &
	       ((~b.dark | b.openings) << 1 | (signlook_kind(l, at - 1) & OPENING) |
		((unsigned char)l->text[at - 1] <= ' '));
	for (; some; some &= some - 1)
		signpoints_option(l, at + (size_t)__builtin_ctzll(some));
	look_at_phrases(l, at, &b);
	look_at_signs(l, at, &b);
}

/* The same one by one, for the begin and the end. */
static size_t look_at_some(struct signlook *l, size_t at, size_t end)
{
	for (; at < end && !l->enough; at++) {
		size_t last = l->last;

		if (l->text[at] == '.')
			signpoints_dot(l, at);
		if (at > 0)
			signpoints_value(l, at);
		if (l->text[at] == '-' && at > 0 && at + 1 < l->high)
			signpoints_option(l, at);
		else if (l->text[at] == '-' && at == 0)
			signflags_try(l, at);
		if (l->text[at] == '-' && (at == 0 || l->text[at - 1] != '-') &&
		    l->high - at >= PHRASES_DASHES &&
		    memcmp(l->text + at, "----", PHRASES_DASHES) == 0)
			signpoints_dashes(l, at);
		if (l->text[at] == ':') {
			signpoints_colon(l, at);
			signpoints_url(l, at);
			signpoints_number(l, at);
		}
		if (l->text[at] != ':' && l->text[at] != '=')
			continue;
		if (l->text[at] == '=' || at + 1 >= l->high || l->text[at + 1] != '=')
			l->last = at + 1;
		look_slowly(l, last, at);
	}
	return at;
}

/* Is the value behind a name random?  Of its first bytes, because the check does not read more.  In
 * text that says the same again and again one answer is enough. */
static bool is_random(struct signlook *l)
{
	size_t begin = l->near.value, end = nearnames_value_end(&l->near, CHECK_ENOUGH);
	struct found f = {l->text, begin, end, begin, end, l->high};

	if (l->refused_len == end - begin &&
	    memcmp(l->text + l->refused, l->text + begin, end - begin) == 0)
		return false;
	if (check_random(&f))
		return true;
	l->refused = begin;
	l->refused_len = end - begin;
	return false;
}

/* A name, and a value that looks as it must.  What else it must be is asked here if that is known:
 * a pattern costs more. */
static bool on_near(void *context, size_t at, size_t entry)
{
	struct signlook *l = context;

	if (l->near.open && l->set->entries[entry].rule->check == check_random && !is_random(l))
		return true;
	l->near.told = SIZE_MAX;
	return l->named(l->context, at, entry);
}

bool signs_find(const struct redact_set *set, const struct stretch *in, signs_named *named,
		void *context, struct spans *ret)
{
	struct signlook l = {.set = set,
			     .text = in->text + in->floor,
			     .low = in->low - in->floor,
			     .high = in->high - in->floor,
			     .named = named,
			     .context = context,
			     .ret = ret};
	size_t first = ret->n, i = l.low, stop = stretch_stop(in) - in->floor;
	bool any = set->names != NULL;

	l.passwords = signlook_wanted(&l, HAND_PASSWORD);
	l.secrets = signlook_wanted(&l, HAND_SECRET);
	l.names = set->names != NULL;
	l.value = (struct valuerun){.text = l.text, .high = l.high};
	l.near = (struct nearlook){.names = set->names,
				   .low = l.low,
#ifdef __SSE2__
				   .shuffles = processor_has(PROCESSOR_SSSE3),
#endif
				   .hit = on_near,
				   .context = &l,
				   .in = {.text = l.text, .high = l.high}};
	for (enum redact_hand hand = HAND_IPV4; hand < HAND_COUNT; hand++)
		any = any || signlook_wanted(&l, hand);
	if (!any)
		return true;
	/* A sign that is looked at has two bytes before it. */
	i = look_at_some(&l, i, l.high - i < 2 ? l.high : i + 2);
	for (; !l.enough && i < stop && l.high - i >= BLOCK + AHEAD; i += BLOCK)
		look_at_block(&l, i);
	(void)look_at_some(&l, i, stop);
	/* They were found from the floor on. */
	for (size_t s = first; s < ret->n; s++) {
		ret->span[s].from += in->floor;
		ret->span[s].begin += in->floor;
		ret->span[s].end += in->floor;
	}
	return !l.enough;
}
