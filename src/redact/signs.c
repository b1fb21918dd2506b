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

#include "base/own.h"

enum {
	LANES = 16,
	ADDRESS_MAX = 46,  /* of IPv6 with IPv4 at its end */
	NAME_MAX_LEN = 32, /* bytes of a name that are looked at: its end */
	TRAIL_MAX = 12,    /* "token_value": so much may follow the word */
	BLANKS = 3,
	PASSWORD_LEAST = 6,
	QUOTED_MOST = 128,
	SECRET_LEAST = 10,
};

typedef unsigned char lanes __attribute__((vector_size(LANES)));

enum { DIGIT = 1, HEX = 2, DOT = 4, COLON = 8, NAME = 16, NO_VALUE = 32 };

static const unsigned char kinds[256] = {
	['0' ... '9'] = DIGIT | HEX | NAME,
	['a' ... 'f'] = HEX | NAME,
	['A' ... 'F'] = HEX | NAME,
	['g' ... 'z'] = NAME,
	['G' ... 'Z'] = NAME,
	['_'] = NAME,
	['-'] = NAME,
	['.'] = DOT,
	[':'] = COLON,
	['\n'] = NO_VALUE,
	[' '] = NO_VALUE,
	['\t'] = NO_VALUE,
	['"'] = NO_VALUE,
	['\''] = NO_VALUE,
	['`'] = NO_VALUE,
	['<'] = NO_VALUE,
	['>'] = NO_VALUE,
	[','] = NO_VALUE,
	[';'] = NO_VALUE,
	['('] = NO_VALUE,
	[')'] = NO_VALUE,
	['{'] = NO_VALUE,
	['}'] = NO_VALUE,
	['['] = NO_VALUE,
	[']'] = NO_VALUE,
	['&'] = NO_VALUE,
	['|'] = NO_VALUE,
};

struct looking {
	const struct redact_set *set;
	const char *text; /* from the floor on */
	size_t low, high; /* what may be found begins and ends here */
	size_t dots;      /* runs of digits and dots are done up to here */
	size_t colons;    /* and those of hex digits and colons */
	size_t value;     /* where the last run of a value begins */
	size_t value_end; /* and ends */
	size_t taken;     /* what is before this was found already */
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

	if (!l->set->entries[rule].rule->check(f))
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

/* The end of a name, in small letters without "_" and "-"; whole: nothing stands before it. */
struct name {
	char text[NAME_MAX_LEN];
	size_t len, from;
	bool whole;
	size_t key; /* bytes of text behind a "key" that begins the name or follows a "-"; 99: none
		     */
};

static bool begins_word(const struct looking *l, size_t i)
{
	return i == 0 || !(kind(l, i - 1) & NAME) || l->text[i - 1] == '-';
}

static bool is_closing(char c)
{
	return c == '"' || c == '\'' || c == ']';
}

/* What stands before a sign that begins at text[end]. */
static bool read_name(const struct looking *l, size_t end, struct name *ret)
{
	size_t blanks = 0, quotes = 0, begin;

	for (; end > 0 && blanks < BLANKS && (l->text[end - 1] == ' ' || l->text[end - 1] == '\t');
	     blanks++)
		end--;
	for (; end > 0 && quotes < 2 && is_closing(l->text[end - 1]); quotes++)
		end--;
	begin = end;
	while (begin > 0 && end - begin < NAME_MAX_LEN && (kind(l, begin - 1) & DIGIT))
		begin--;
	if (begin == 0 || !(kind(l, begin - 1) & NAME))
		return false; /* a number is no name: "10:20" */
	while (begin > 0 && end - begin < NAME_MAX_LEN && (kind(l, begin - 1) & NAME))
		begin--;
	ret->len = 0;
	ret->from = begin;
	ret->key = NAME_MAX_LEN;
	for (size_t i = begin; i < end; i++) {
		char c = l->text[i];

		if (c != '_' && c != '-')
			ret->text[ret->len++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	ret->whole = begins_word(l, begin);
	for (size_t i = begin; i + 3 <= end; i++)
		if ((l->text[i] | 0x20) == 'k' && (l->text[i + 1] | 0x20) == 'e' &&
		    (l->text[i + 2] | 0x20) == 'y' && begins_word(l, i))
			ret->key = end - i - 3;
	return ret->len > 0;
}

static bool ends_in(const struct name *n, const char *word)
{
	size_t len = strlen(word);

	return n->len >= len && memcmp(n->text + n->len - len, word, len) == 0;
}

/* "pass" alone, "db_pass", but not "bypass" or "compass". */
static bool ends_in_pass(const struct looking *l, const struct name *n, size_t end)
{
	size_t i = end;

	while (i > 0 && !(kind(l, i - 1) & NAME))
		i--;
	if (ends_in(n, "pgpass"))
		return true;
	if (ends_in(n, "pass"))
		return i < 5 || l->text[i - 5] == '_' || begins_word(l, i - 4);
	return ends_in(n, "pwd") && begins_word(l, i - 3);
}

static bool names_password(const struct looking *l, const struct name *n, size_t sign)
{
	static const char *const words[] = {"password", "passwd", "passphrase"};
	char last = n->text[n->len - 1];

	if (last != 'd' && last != 'e' && last != 's')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (ends_in(n, words[i]))
			return true;
	return ends_in_pass(l, n, sign);
}

/* By first letter, so that a name is read once. */
static const struct {
	const char *word;
	size_t len;
} secret_words[] = {
	{"accesskey", 9},   {"apikey", 6},         {"authkey", 7},
	{"credential", 10}, {"encryptionkey", 13}, /* */
	{"masterkey", 9},   {"privatekey", 10},    {"secret", 6},
	{"signingkey", 10}, {"token", 5}, /* */
};

static const struct {
	unsigned char first, n;
} secret_letters[26] = {
	['a' - 'a'] = {0, 3}, ['c' - 'a'] = {3, 1}, ['e' - 'a'] = {4, 1}, ['m' - 'a'] = {5, 1},
	['p' - 'a'] = {6, 1}, ['s' - 'a'] = {7, 2}, ['t' - 'a'] = {9, 1},
};

static bool names_secret(const struct name *n)
{
	if (n->key <= TRAIL_MAX)
		return true;
	for (size_t at = 0; at + 5 <= n->len; at++) {
		unsigned letter = (unsigned char)n->text[at] - (unsigned)'a';
		size_t first = letter < 26 ? secret_letters[letter].first : 0;
		size_t count = letter < 26 ? secret_letters[letter].n : 0;

		for (size_t i = first; i < first + count; i++) {
			size_t len = secret_words[i].len;

			if (at + len <= n->len && n->len - at - len <= TRAIL_MAX &&
			    memcmp(n->text + at, secret_words[i].word, len) == 0)
				return true;
		}
	}
	return false;
}

/* Behind the value that begins at text[at]. */
static size_t value_end(struct looking *l, size_t at)
{
	if (at < l->value || at >= l->value_end) {
		l->value = l->value_end = at;
		while (l->value_end < l->high && !(kind(l, l->value_end) & NO_VALUE))
			l->value_end++;
	}
	return l->value_end;
}

/* "...": behind its last character; 0: it has no end in this line. */
static size_t quoted_end(const struct looking *l, size_t at, char quote)
{
	for (size_t i = at; i < l->high && i - at <= QUOTED_MOST && l->text[i] != '\n'; i++)
		if (l->text[i] == quote)
			return i;
	return 0;
}

static bool try_password(struct looking *l, const struct name *n, size_t at)
{
	char quote = l->text[at];
	size_t end = 0;
	struct found f;

	if (quote == '"' || quote == '\'')
		end = quoted_end(l, at + 1, quote);
	if (end)
		at++;
	else
		end = value_end(l, at);
	if (end < at + PASSWORD_LEAST)
		return false;
	f = (struct found){l->text, n->from, end, at, end, l->high};
	if (!take(l, HAND_PASSWORD, &f))
		return false;
	l->taken = f.end;
	return true;
}

static void try_secret(struct looking *l, const struct name *n, size_t at)
{
	struct found f;
	size_t end;

	if (strchr("\"'`", l->text[at]))
		at++;
	end = at < l->high ? value_end(l, at) : at;
	if (end < at + SECRET_LEAST)
		return;
	f = (struct found){l->text, n->from, end, at, end, l->high};
	if (take(l, HAND_SECRET, &f))
		l->taken = f.end;
}

/* "name = value", "name: value", "name := value", "name => value" */
static void try_assignment(struct looking *l, size_t sign)
{
	size_t at = sign + 1, name_end = sign;
	struct name n;

	if (sign < l->taken)
		return;
	if (l->text[sign] == '=' && at < l->high && l->text[at] == '>')
		at++;
	else if (l->text[sign] == ':' && at < l->high && l->text[at] == '=')
		return; /* the "=" has its turn */
	if (l->text[sign] == '=' && sign > 0 && l->text[sign - 1] == ':')
		name_end--;
	for (size_t blanks = 0;
	     at < l->high && blanks < BLANKS && (l->text[at] == ' ' || l->text[at] == '\t');
	     blanks++)
		at++;
	if (at + PASSWORD_LEAST > l->high || !read_name(l, name_end, &n))
		return;
	if (wanted(l, HAND_PASSWORD) && names_password(l, &n, name_end) && try_password(l, &n, at))
		return;
	if (wanted(l, HAND_SECRET) && names_secret(&n))
		try_secret(l, &n, at);
}

static inline void look_at(struct looking *l, size_t at)
{
	if (l->text[at] == '.') {
		/* Most dots end a sentence, or stand before a suffix. */
		if (at > 0 && at + 1 < l->high && (kind(l, at - 1) & kind(l, at + 1) & DIGIT) &&
		    wanted(l, HAND_IPV4))
			try_ipv4(l, at);
		return;
	}
	if (l->text[at] == ':' && wanted(l, HAND_IPV6))
		try_ipv6(l, at);
	if (wanted(l, HAND_PASSWORD) || wanted(l, HAND_SECRET))
		try_assignment(l, at);
}

static bool is_sign(char c)
{
	return c == '.' || c == ':' || c == '=';
}

/* Eight bytes of a comparison: 0xff where it was true. */
static void look_at_marked(struct looking *l, uint64_t marked, size_t at)
{
	marked &= 0x0101010101010101u;
	while (marked) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		size_t i = (size_t)__builtin_ctzll(marked) / 8;

		marked &= marked - 1;
#else
		size_t i = (size_t)__builtin_clzll(marked) / 8;

		marked &= ~((uint64_t)0xff << ((7 - i) * 8));
#endif
		look_at(l, at + i);
	}
}

void signs_find(const struct redact_set *set, const struct stretch *in, struct spans *ret)
{
	struct looking l = {.set = set,
			    .text = in->text + in->floor,
			    .low = in->low - in->floor,
			    .high = in->high - in->floor,
			    .ret = ret};
	size_t first = ret->n, i = l.low;
	bool any = false;

	for (enum redact_hand hand = HAND_IPV4; hand < HAND_COUNT; hand++)
		any = any || wanted(&l, hand);
	for (; any && i + LANES <= l.high; i += LANES) {
		uint64_t half[2];
		lanes v, signs;

		memcpy(&v, l.text + i, sizeof(v));
		signs = (lanes)(v == '.') | (lanes)(v == ':') | (lanes)(v == '=');
		memcpy(half, &signs, sizeof(half));
		look_at_marked(&l, half[0], i);
		look_at_marked(&l, half[1], i + LANES / 2);
	}
	for (; any && i < l.high; i++)
		if (is_sign(l.text[i]))
			look_at(&l, i);
	/* They were found from the floor on. */
	for (size_t s = first; s < ret->n; s++) {
		ret->span[s].from += in->floor;
		ret->span[s].begin += in->floor;
		ret->span[s].end += in->floor;
	}
}
