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

#include "redact/lanes.h"
#include "redact/nearnames.h"
#include "redact/signaddr.h"
#include "redact/signforms.h"
#include "redact/signname.h"
#include "redact/valuerun.h"

enum {
	BLOCK = 64,
	BOT_DOTS = 7,     /* from one to the other in a bot's token */
	BLANKS = 3,
	PASSWORD_LEAST = 6,
	PASSWORD_BITS = (1 << PASSWORD_LEAST) - 1,
	SECRET_BITS = (1 << 10) - 1,
	QUOTED_MOST = 128,
	AHEAD = 8 + VALUERUN_GLANCE, /* bytes from a sign on that are looked at without asking */
};

/* NAME_END: before a sign, it may be the end of a name, or stand between that and the sign.  APART:
 * behind one, it may stand before a value. */
enum { OPENING = 1, NAME_END = 2, BLANK = 4, DIGIT = 8, ARROW = 16, APART = OPENING | BLANK | ARROW };

static const unsigned char kinds[256] = {
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

struct looking {
	const struct redact_set *set;
	const char *text; /* from the floor on */
	size_t low, high; /* what may be found begins and ends here */
	size_t dots;      /* runs of digits and dots are done up to here */
	size_t colons;    /* and those of hex digits and colons */
	struct valuerun value;
	struct nearlook near;
	bool passwords, secrets; /* are wanted */
	bool enough;
	size_t last;  /* behind the last sign */
	size_t taken; /* what is before this was found already */
	struct spans *ret;
};

static unsigned char kind(const struct looking *l, size_t i)
{
	return kinds[(unsigned char)l->text[i]];
}

static bool wanted(const struct looking *l, enum redact_hand hand)
{
	return l->set->hand[hand] < l->set->n;
}

static bool take(struct looking *l, enum redact_hand hand, struct found *f)
{
	size_t rule = l->set->hand[hand];
	bool (*check)(struct found *) = l->set->entries[rule].rule->check;

	if (check && !check(f))
		return false;
	spans_add(l->ret, (struct span){f->from, f->begin, f->end, rule});
	return true;
}

/* "...": behind its last character; 0: it has no end in this line. */
static size_t quoted_end(const struct looking *l, size_t at, char quote)
{
	for (size_t i = at; i < l->high && i - at <= QUOTED_MOST && l->text[i] != '\n'; i++)
		if (l->text[i] == quote)
			return i;
	return 0;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool try_password(struct looking *l, const struct signname *n, size_t at)
{
	size_t end = is_quote(l->text[at]) ? quoted_end(l, at + 1, l->text[at]) : 0;
	bool quoted = end > 0;
	struct found f;

	if (quoted)
		at++;
	else
		end = valuerun_end(&l->value, at);
	if (end < at + PASSWORD_LEAST || (!quoted && !valuerun_password(&l->value, at)))
		return false;
	f = (struct found){l->text, n->from, end, at, end, l->high};
	if (!take(l, HAND_PASSWORD, &f))
		return false;
	l->taken = f.end;
	return true;
}

static void try_secret(struct looking *l, const struct signname *n, size_t at)
{
	struct found f;

	if (!valuerun_secret(&l->value, at))
		return;
	f = (struct found){l->text, n->from, l->value.end, at, l->value.end, l->high};
	if (take(l, HAND_SECRET, &f))
		l->taken = f.end;
}

/* Where the value behind a sign begins, and what is in its quotes. */
struct place {
	size_t sign, at, inner;
};

static struct place place_of(const struct looking *l, size_t sign)
{
	size_t at = sign + 1;

	if (l->text[sign] == '=' && at < l->high && l->text[at] == '>')
		at++;
	for (size_t n = 0; at < l->high && n < BLANKS && kind(l, at) & BLANK; n++)
		at++;
	return (struct place){sign, at, at + (at < l->high && kind(l, at) & OPENING)};
}

/* A value that may be one: is it called so? */
static void judge_value(struct looking *l, size_t name_end, const struct place *p, bool password)
{
	bool secret = l->secrets && !valuerun_dull(&l->value, p->inner);
	struct signname n;

	password = password && signname_near_password(l->text, name_end);
	if ((!password && !secret) || !signname_read(l->text, name_end, &n))
		return;
	if (password && signname_password(l->text, &n) && try_password(l, &n, p->at))
		return;
	if (secret && signname_secret(&n)) {
		(void)valuerun_end(&l->value, p->inner);
		try_secret(l, &n, p->inner);
	}
}

/* "name = value", "name: value", "name := value", "name => value".  Values are looked at before
 * names: in text that is full of both, most values tell at once that they are no secret. */
static void try_assignment(struct looking *l, const struct place *p, bool password)
{
	const char *sign = l->text + p->sign;

	if (p->at + PASSWORD_LEAST > l->high || (sign[0] == ':' && sign[1] == '='))
		return; /* the "=" has its turn */
	judge_value(l, sign[-1] == ':' ? p->sign - 1 : p->sign, p, password);
}

static inline bool has_name(const struct looking *l, size_t sign)
{
	return (kind(l, sign - 1) & NAME_END) |
	       ((l->text[sign - 1] == ':') & (l->text[sign] == '='));
}

static void try_name(struct looking *l, size_t last, const struct place *p)
{
	if (!nearnames_look(&l->near, last, p->sign, p->inner))
		l->enough = true;
}

/* Near the end of the text, or its begin. */
__attribute__((noinline)) static void look_slowly(struct looking *l, size_t last, size_t sign)
{
	struct place p = place_of(l, sign);

	if (sign == 0 || p.inner >= l->high || !has_name(l, sign))
		return;
	if (l->near.names && p.inner + NEARNAMES_VALUE <= l->high)
		try_name(l, last, &p);
	if (sign >= l->taken)
		try_assignment(l, &p, l->passwords);
}

/* Something that is long enough may be there: its first sixteen bytes are dark. */
__attribute__((noinline)) static void look_closely(struct looking *l, size_t last, struct place p,
						   bool password, bool named)
{
	bool assigned = p.sign >= l->taken;

	if (named && nearnames_maybe(&l->near, last, p.sign, p.inner))
		try_name(l, last, &p);
	password = password && assigned;
	if (password ||
	    (assigned && l->secrets && !valuerun_dull_at_once(&l->value, p.inner)))
		try_assignment(l, &p, password);
}

/* A name and a value around a sign.  Most values are too short. */
static inline void look_at_sign(struct looking *l, size_t sign)
{
	struct place p = {sign, sign + 1, sign + 1};
	size_t last = l->last;
	uint32_t dark;
	bool password;

	/* ":=" is one sign. */
	l->last = l->text[sign] == ':' && sign + 1 < l->high && l->text[sign + 1] == '=' ? last
											 : sign + 1;
	if (sign < 2 || l->high - sign < AHEAD) {
		look_slowly(l, last, sign);
		return;
	}
	if (kind(l, sign + 1) & APART)
		p = place_of(l, sign);
	dark = lanes_bits((lanes)(lanes_load(l->text + p.inner) > ' '));
	password = (((dark & PASSWORD_BITS) == PASSWORD_BITS) | (p.inner > p.at)) &
		   signname_maybe_password(l->text, sign) & l->passwords;
	if ((password | ((dark & SECRET_BITS) == SECRET_BITS)) & has_name(l, sign))
		look_closely(l, last, p, password, dark == 0xffff);
}

static void look_at_dot(struct looking *l, size_t at)
{
	struct found f;

	/* Most dots end a sentence, or stand before a suffix. */
	if (at > 0 && at + 1 < l->high && (kind(l, at - 1) & kind(l, at + 1) & DIGIT) &&
	    wanted(l, HAND_IPV4) && signaddr_ipv4(l->text, l->high, at, &l->dots, &f))
		(void)take(l, HAND_IPV4, &f);
	if (at + BOT_DOTS < l->high && l->text[at + BOT_DOTS] == '.' && wanted(l, HAND_BOT) &&
	    signforms_bot(l->text, l->high, at, &f))
		(void)take(l, HAND_BOT, &f);
}

static void look_at_url(struct looking *l, size_t at)
{
	struct found f;

	if (l->high - at <= 3 || l->text[at + 1] != '/' || l->text[at + 2] != '/')
		return;
	if (wanted(l, HAND_URL_PASSWORD) && signforms_url_password(l->text, l->high, at, &f))
		(void)take(l, HAND_URL_PASSWORD, &f);
	if (wanted(l, HAND_URL_TOKEN) && signforms_url_token(l->text, l->high, at, &f))
		(void)take(l, HAND_URL_TOKEN, &f);
}

static void look_at_colon(struct looking *l, size_t at)
{
	struct found f;

	if (wanted(l, HAND_IPV6) && signaddr_ipv6(l->text, l->high, at, &l->colons, &f))
		(void)take(l, HAND_IPV6, &f);
}

/* x, n bytes on; what is beyond its end is not known and may be anything. */
static inline uint64_t later(uint64_t x, unsigned n)
{
	return x >> n | ~(~(uint64_t)0 >> n);
}

/* 64 bytes. */
static inline void look_at_block(struct looking *l, size_t at)
{
	uint64_t dots = 0, colons = 0, equals = 0, digits = 0, slashes = 0, some;

	for (unsigned i = 0; i < BLOCK; i += LANES) {
		lanes v = lanes_load(l->text + at + i);

		dots |= (uint64_t)lanes_bits((lanes)(v == '.')) << i;
		colons |= (uint64_t)lanes_bits((lanes)(v == ':')) << i;
		equals |= (uint64_t)lanes_bits((lanes)(v == '=')) << i;
		digits |= (uint64_t)lanes_bits((lanes)((v >= '0') & (v <= '9'))) << i;
		slashes |= (uint64_t)lanes_bits((lanes)(v == '/')) << i;
	}
	/* Between digits, or with another near. */
	dots &= ((digits << 1 | 1) & later(digits, 1)) | later(dots, BOT_DOTS);
	for (; dots; dots &= dots - 1)
		look_at_dot(l, at + (size_t)__builtin_ctzll(dots));
	for (some = signaddr_colons(colons); some; some &= some - 1)
		look_at_colon(l, at + (size_t)__builtin_ctzll(some));
	some = colons & later(slashes, 1) & later(slashes, 2);
	for (; some; some &= some - 1)
		look_at_url(l, at + (size_t)__builtin_ctzll(some));
	for (some = colons | equals; some; some &= some - 1)
		look_at_sign(l, at + (size_t)__builtin_ctzll(some));
}

/* The same one by one, for what is less than a block. */
static void look_at_rest(struct looking *l, size_t at)
{
	for (; at < l->high && !l->enough; at++) {
		if (l->text[at] == '.')
			look_at_dot(l, at);
		if (l->text[at] == ':') {
			look_at_colon(l, at);
			look_at_url(l, at);
		}
		if (l->text[at] == ':' || l->text[at] == '=')
			look_at_sign(l, at);
	}
}

bool signs_find(const struct redact_set *set, const struct stretch *in, signs_named *named,
		void *context, struct spans *ret)
{
	struct looking l = {.set = set,
			    .text = in->text + in->floor,
			    .low = in->low - in->floor,
			    .high = in->high - in->floor,
			    .ret = ret};
	size_t first = ret->n, i = l.low;
	bool any = set->names != NULL;

	l.passwords = wanted(&l, HAND_PASSWORD);
	l.secrets = wanted(&l, HAND_SECRET);
	l.value = (struct valuerun){.text = l.text, .high = l.high};
	l.near = (struct nearlook){.names = set->names,
				   .low = l.low,
				   .hit = named,
				   .context = context,
				   .in = {.text = l.text, .high = l.high}};
	for (enum redact_hand hand = HAND_IPV4; hand < HAND_COUNT; hand++)
		any = any || wanted(&l, hand);
	for (; any && !l.enough && i + BLOCK <= l.high; i += BLOCK)
		look_at_block(&l, i);
	if (any)
		look_at_rest(&l, i);
	/* They were found from the floor on. */
	for (size_t s = first; s < ret->n; s++) {
		ret->span[s].from += in->floor;
		ret->span[s].begin += in->floor;
		ret->span[s].end += in->floor;
	}
	return !l.enough;
}
