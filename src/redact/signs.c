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
#include "redact/signforms.h"
#include "redact/signname.h"
#include "redact/valuerun.h"

enum {
	BLOCK = 64,
	BOT_DOTS = 7,     /* from one to the other in a bot's token */
	ADDRESS_MAX = 46, /* of IPv6 with IPv4 at its end */
	BLANKS = 3,
	PASSWORD_LEAST = 6,
	QUOTED_MOST = 128,
};

/* NAME_END: before a sign, it may be the end of a name, or stand between that and the sign. */
enum { DIGIT = 1, HEX = 2, DOT = 4, COLON = 8, NAME_END = 16, BLANK = 32 };

static const unsigned char kinds[256] = {
	['0' ... '9'] = DIGIT | HEX | NAME_END,
	['a' ... 'f'] = HEX | NAME_END,
	['A' ... 'F'] = HEX | NAME_END,
	['g' ... 'z'] = NAME_END,
	['G' ... 'Z'] = NAME_END,
	['_'] = NAME_END,
	['-'] = NAME_END,
	['"'] = NAME_END,
	['\''] = NAME_END,
	[']'] = NAME_END,
	[' '] = BLANK | NAME_END,
	['\t'] = BLANK | NAME_END,
	['.'] = DOT,
	[':'] = COLON,
};

struct looking {
	const struct redact_set *set;
	const char *text; /* from the floor on */
	size_t low, high; /* what may be found begins and ends here */
	size_t dots;      /* runs of digits and dots are done up to here */
	size_t colons;    /* and those of hex digits and colons */
	struct valuerun value;
	struct nearlook near;
	size_t last; /* behind the last sign */
	bool enough;
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

static void try_ipv4(struct looking *l, size_t at)
{
	size_t begin = at, end = at;
	unsigned dots = 0;
	struct found f;

	if (at < l->dots)
		return;
	while (begin > 0 && at - begin < 4 && (kind(l, begin - 1) & (DIGIT | DOT)))
		begin--;
	for (; end < l->high && (kind(l, end) & (DIGIT | DOT)); end++)
		dots += l->text[end] == '.';
	l->dots = end;
	if (l->text[end - 1] == '.') {
		end--;
		dots--;
	}
	if (dots != 3 || end - begin > 15)
		return;
	f = (struct found){l->text, begin, end, begin, end, l->high};
	(void)take(l, HAND_IPV4, &f);
}

static void try_ipv6(struct looking *l, size_t at)
{
	static const unsigned char part = HEX | COLON | DOT;
	size_t begin = at, end = at, colons = 0;
	bool gap = false;
	struct found f;

	if (at < l->colons || at + 1 >= l->high || !(kind(l, at + 1) & (HEX | COLON)))
		return;
	while (begin > 0 && at - begin < 5 && (kind(l, begin - 1) & part))
		begin--;
	for (; end < l->high && (kind(l, end) & part); end++) {
		bool colon = l->text[end] == ':';

		colons += colon;
		gap = gap || (colon && end + 1 < l->high && l->text[end + 1] == ':');
	}
	l->colons = end;
	if (!(gap || colons >= 7) || end - begin > ADDRESS_MAX + 2)
		return;
	f = (struct found){l->text, begin, end, begin, end, l->high};
	(void)take(l, HAND_IPV6, &f);
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

static bool is_opening(char c)
{
	return is_quote(c) || c == '`';
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

/* Behind a sign, and blanks. */
static size_t value_begin(const struct looking *l, size_t sign)
{
	size_t at = sign + 1;

	if (l->text[sign] == '=' && at < l->high && l->text[at] == '>')
		at++;
	for (size_t n = 0; at < l->high && n < BLANKS && kind(l, at) & BLANK; n++)
		at++;
	return at;
}

/* A value that may be one: is it called so?  Out of the way of those that are not. */
__attribute__((noinline)) static void judge_value(struct looking *l, size_t name_end, size_t at,
						  bool password, bool secret)
{
	size_t inner = at + is_opening(l->text[at]);
	struct signname n;

	if (!signname_read(l->text, name_end, &n))
		return;
	if (password && signname_password(l->text, &n) && try_password(l, &n, at))
		return;
	if (secret && signname_secret(&n)) {
		(void)valuerun_end(&l->value, inner);
		try_secret(l, &n, inner);
	}
}

/* "name = value", "name: value", "name := value", "name => value".  Values are looked at before
 * names: in text that is full of both, most values tell at once that they are no secret. */
static inline void try_assignment(struct looking *l, size_t sign, size_t at)
{
	size_t name_end = sign;
	bool password, secret;

	if (l->text[sign + 1] == '=' && l->text[sign] == ':')
		return; /* the "=" has its turn */
	if (l->text[sign - 1] == ':')
		name_end--;
	password = wanted(l, HAND_PASSWORD) && signname_maybe_password(l->text, name_end);
	secret = wanted(l, HAND_SECRET) && !valuerun_dull(&l->value, at + is_opening(l->text[at]));
	if (password || secret)
		judge_value(l, name_end, at, password, secret);
}

static void look_at_dot(struct looking *l, size_t at)
{
	struct found f;

	/* Most dots end a sentence, or stand before a suffix. */
	if (at > 0 && at + 1 < l->high && (kind(l, at - 1) & kind(l, at + 1) & DIGIT) &&
	    wanted(l, HAND_IPV4))
		try_ipv4(l, at);
	if (at + BOT_DOTS < l->high && l->text[at + BOT_DOTS] == '.' && wanted(l, HAND_BOT) &&
	    signforms_bot(l->text, l->high, at, &f))
		(void)take(l, HAND_BOT, &f);
}

static void look_at_url(struct looking *l, size_t at)
{
	struct found f;

	if (wanted(l, HAND_URL_PASSWORD) && signforms_url_password(l->text, l->high, at, &f))
		(void)take(l, HAND_URL_PASSWORD, &f);
	if (wanted(l, HAND_URL_TOKEN) && signforms_url_token(l->text, l->high, at, &f))
		(void)take(l, HAND_URL_TOKEN, &f);
}

/* A value that is long enough to be somebody's: whose? */
static inline void try_name(struct looking *l, size_t last, size_t sign, size_t at)
{
	at += is_opening(l->text[at]);
	if (at + NEARNAMES_VALUE <= l->high && nearnames_value(l->text + at) && l->near.names &&
	    !nearnames_look(&l->near, last, sign, at))
		l->enough = true;
}

/* What may be a name before a sign, and the value behind it. */
static inline void look_beside(struct looking *l, size_t sign)
{
	size_t last = l->last, at;

	/* ":=" is one sign. */
	if (l->text[sign] != ':' || sign + 1 == l->high || l->text[sign + 1] != '=')
		l->last = sign + 1;
	at = value_begin(l, sign);
	if (at + PASSWORD_LEAST > l->high)
		return;
	try_name(l, last, sign, at);
	if (sign > 0 && sign >= l->taken &&
	    ((kind(l, sign - 1) & NAME_END) ||
	     (l->text[sign - 1] == ':' && l->text[sign] == '=')) &&
	    (wanted(l, HAND_PASSWORD) || wanted(l, HAND_SECRET)))
		try_assignment(l, sign, at);
}

static inline void look_at_sign(struct looking *l, size_t at)
{
	if (l->text[at] == ':') {
		if (l->high - at > 3 && l->text[at + 1] == '/' && l->text[at + 2] == '/')
			look_at_url(l, at);
		else if (wanted(l, HAND_IPV6))
			try_ipv6(l, at);
	}
	look_beside(l, at);
}

/* 64 bytes. */
static inline void look_at_block(struct looking *l, size_t at)
{
	uint64_t dots = 0, signs = 0, digits = 0;

	for (unsigned i = 0; i < BLOCK; i += LANES) {
		lanes v = lanes_load(l->text + at + i);

		dots |= (uint64_t)lanes_bits((lanes)(v == '.')) << i;
		signs |= (uint64_t)lanes_bits((lanes)(v == ':') | (lanes)(v == '=')) << i;
		digits |= (uint64_t)lanes_bits((lanes)((v >= '0') & (v <= '9'))) << i;
	}
	/* Between digits, or with another near; what is beyond the block may be anything. */
	dots &= ((digits << 1 | 1) & (digits >> 1 | 1ull << (BLOCK - 1))) |
		(dots >> BOT_DOTS | ~0ull << (BLOCK - BOT_DOTS));
	for (; dots; dots &= dots - 1)
		look_at_dot(l, at + (size_t)__builtin_ctzll(dots));
	for (; signs; signs &= signs - 1)
		look_at_sign(l, at + (size_t)__builtin_ctzll(signs));
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
	for (; any && !l.enough && i < l.high; i++) {
		if (l.text[i] == '.')
			look_at_dot(&l, i);
		else if (l.text[i] == ':' || l.text[i] == '=')
			look_at_sign(&l, i);
	}
	/* They were found from the floor on. */
	for (size_t s = first; s < ret->n; s++) {
		ret->span[s].from += in->floor;
		ret->span[s].begin += in->floor;
		ret->span[s].end += in->floor;
	}
	return !l.enough;
}
