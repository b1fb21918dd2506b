/* SPDX-License-Identifier: Apache-2.0 */
/* signname.c - the name before a sign: does it say that a secret follows?
 *
 * Names are read once, from their end on, because what counts is there: "_token", "apiKey2".  The
 * letters in which a secret's word ends are noted on the way, so that words are compared only
 * where one can be.
 */
#include "redact/signname.h"

#include <string.h>

#include "base/own.h"
#include "redact/lanes.h"
#include "redact/signblock.h"

enum {
	TRAIL_MAX = 12, /* "token_value": so much may follow the word */
	BLANKS = 3,
	ENDS = 0x80,
	JOINT = 1, /* "_" and "-" */
};

/* What a byte is in a name: itself in small letters, or JOINT; 0: no part of one.  ENDS: a word
 * that means a secret ends in this letter. */
static const unsigned char letters[256] = {
	['0'] = '0', ['1'] = '1',        ['2'] = '2',        ['3'] = '3',        ['4'] = '4',
	['5'] = '5', ['6'] = '6',        ['7'] = '7',        ['8'] = '8',        ['9'] = '9',
	['a'] = 'a', ['A'] = 'a',        ['b'] = 'b',        ['B'] = 'b',        ['c'] = 'c',
	['C'] = 'c', ['d'] = 'd',        ['D'] = 'd',        ['e'] = 'e',        ['E'] = 'e',
	['f'] = 'f', ['F'] = 'f',        ['g'] = 'g',        ['G'] = 'g',        ['h'] = 'h',
	['H'] = 'h', ['i'] = 'i',        ['I'] = 'i',        ['j'] = 'j',        ['J'] = 'j',
	['k'] = 'k', ['K'] = 'k',        ['l'] = 'l' | ENDS, ['L'] = 'l' | ENDS, ['m'] = 'm',
	['M'] = 'm', ['n'] = 'n' | ENDS, ['N'] = 'n' | ENDS, ['o'] = 'o',        ['O'] = 'o',
	['p'] = 'p', ['P'] = 'p',        ['q'] = 'q',        ['Q'] = 'q',        ['r'] = 'r',
	['R'] = 'r', ['s'] = 's',        ['S'] = 's',        ['t'] = 't' | ENDS, ['T'] = 't' | ENDS,
	['u'] = 'u', ['U'] = 'u',        ['v'] = 'v',        ['V'] = 'v',        ['w'] = 'w',
	['W'] = 'w', ['x'] = 'x',        ['X'] = 'x',        ['y'] = 'y' | ENDS, ['Y'] = 'y' | ENDS,
	['z'] = 'z', ['Z'] = 'z',        ['_'] = JOINT,      ['-'] = JOINT,
};

static bool begins_word(const char *text, size_t i)
{
	return i == 0 || !letters[(unsigned char)text[i - 1]] || text[i - 1] == '-';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_closing(char c)
{
	return c == '"' || c == '\'' || c == ']';
}

static inline size_t name_end(const char *text, size_t end)
{
	if (end > 0 && letters[(unsigned char)text[end - 1]])
		return end;
	for (size_t n = 0; end > 0 && n < BLANKS && is_blank(text[end - 1]); n++)
		end--;
	for (size_t n = 0; end > 0 && n < 2 && is_closing(text[end - 1]); n++)
		end--;
	return end;
}

bool signname_read(const char *text, size_t sign, struct signname *ret)
{
	size_t end = name_end(text, sign), i = end, at = SIGNNAME_MAX;
	size_t least = end < SIGNNAME_MAX ? 0 : end - SIGNNAME_MAX;
	uint32_t ends = 0, three = 0;
	bool number = true, key = false;

	for (; i > least; i--) {
		unsigned char c = letters[(unsigned char)text[i - 1]];

		if (!c)
			break;
		number = number && c >= '0' && c <= '9';
		three = (three << 8 | (c & ~(unsigned)ENDS)) & 0xffffff;
		if (three == ('y' << 16 | 'e' << 8 | 'k') && end - i <= TRAIL_MAX + 2)
			key = key || begins_word(text, i - 1);
		/* A joint is written, too, and its place then taken by what is before it. */
		ret->text[at - 1] = (char)(c & ~(unsigned)ENDS);
		ends |= (uint32_t)(c >> 7) << (at - 1);
		at -= c != JOINT;
	}
	ret->len = SIGNNAME_MAX - at;
	ret->from = i;
	ret->end = end;
	ret->ends = ends >> (SIGNNAME_MAX - 1 - TRAIL_MAX) << (SIGNNAME_MAX - 1 - TRAIL_MAX);
	ret->key = key;
	return ret->len > 0 && !number; /* a number is no name: "10:20" */
}

const unsigned char signname_firsts[256] = {
	['r'] = SIGNNAME_RW_D, ['R'] = SIGNNAME_RW_D, ['w'] = SIGNNAME_RW_D, ['W'] = SIGNNAME_RW_D,
	['s'] = SIGNNAME_S_SE, ['S'] = SIGNNAME_S_SE, ['_'] = SIGNNAME_ANY,  ['-'] = SIGNNAME_ANY,
};

const unsigned char signname_lasts[256] = {
	['d'] = SIGNNAME_RW_D, ['D'] = SIGNNAME_RW_D, ['s'] = SIGNNAME_S_SE, ['S'] = SIGNNAME_S_SE,
	['e'] = SIGNNAME_S_SE, ['E'] = SIGNNAME_S_SE, ['_'] = SIGNNAME_ANY,  ['-'] = SIGNNAME_ANY,
	[' '] = SIGNNAME_ANY,  ['\t'] = SIGNNAME_ANY, ['"'] = SIGNNAME_ANY,  ['\''] = SIGNNAME_ANY,
	[']'] = SIGNNAME_ANY,  [':'] = SIGNNAME_ANY,
};

static bool is_joint(char c)
{
	return c == '_' || c == '-';
}

/* Letters as last_letters() has them. */
static inline uint32_t letters_of(const char *word)
{
	return (uint32_t)(unsigned char)word[0] | (uint32_t)(unsigned char)word[1] << 8 |
	       (uint32_t)(unsigned char)word[2] << 16 | (uint32_t)(unsigned char)word[3] << 24;
}

/* The last four bytes before text[end] that are no joints, in small letters; 0: there are not so
 * many. */
static uint32_t last_letters(const char *text, size_t end)
{
	size_t least = end < SIGNNAME_MAX ? 0 : end - SIGNNAME_MAX, n = 0;
	uint32_t four = 0;

	for (size_t i = end; i > least && n < 4; i--) {
		unsigned char c = (unsigned char)text[i - 1];

		if (is_joint((char)c))
			continue;
		if (!letters[c]) /* no word goes on there */
			return four | 0x20202020u >> 8 * n;
		four |= (uint32_t)(c | 0x20) << (24 - 8 * n);
		n++;
	}
	return n == 4 ? four : 0;
}

/* "pass" and "pwd" alone, or "db_pass" and "pgpass": text[begin] is their first letter. */
static inline bool begins_pass(const char *text, size_t begin)
{
	return begins_word(text, begin) || text[begin - 1] == '_' ||
	       (text[begin - 1] | 0x20) == 'g';
}

/* The end of "password", "passwd", "pass", "passphrase", "pwd". */
static inline bool ends_password(uint32_t four)
{
	return (four == letters_of("word")) || (four == letters_of("sswd")) ||
	       (four == letters_of("pass")) || (four == letters_of("rase")) ||
	       (four >> 8 == letters_of("?pwd") >> 8);
}

bool signname_near_password(const char *text, size_t sign)
{
	size_t end = name_end(text, sign);
	const char *last = text + end;
	uint32_t four;

	/* Most have no joint there. */
	if (end >= 4 && !(is_joint(last[-1]) || is_joint(last[-2]) || is_joint(last[-3]) ||
			  is_joint(last[-4]))) {
		four = letters_of(last - 4) | 0x20202020u;
		if (four == letters_of("pass"))
			return begins_pass(text, end - 4);
		return ends_password(four);
	}
	four = last_letters(text, end);
	return four == 0 || ends_password(four);
}

/* Where a word begins that ends in text[at]; a joint may stand between any two of its letters.
 * NOWHERE: it does not. */
static const size_t NOWHERE = SIZE_MAX;

static size_t word_begin(const char *text, size_t at, const char *word, size_t len)
{
	size_t least = at < SIGNNAME_MAX ? 0 : at - SIGNNAME_MAX;

	for (;; at--) {
		if ((text[at] | 0x20) == word[len - 1])
			len--;
		else if (!is_joint(text[at]))
			return NOWHERE;
		if (len == 0)
			return at;
		if (at == least)
			return NOWHERE;
	}
}

struct keyword {
	const char *word;
	size_t len;
};

/* What makes a "key" a secret's, by its last letter. */
static const struct keyword key_words[32] = {
	['i' & 31] = {"api", 3},         ['s' & 31] = {"access", 6},  ['h' & 31] = {"auth", 4},
	['n' & 31] = {"encryption", 10}, ['r' & 31] = {"master", 6},  ['e' & 31] = {"private", 7},
	['t' & 31] = {"secret", 6},      ['g' & 31] = {"signing", 7},
};

/* A "key" begins at text[key]. */
static bool may_be_key(const char *text, size_t key)
{
	const struct keyword *k;

	if (begins_word(text, key))
		return true;
	while (key > 0 && is_joint(text[key - 1]))
		key--;
	if (key == 0)
		return false;
	k = &key_words[text[key - 1] & 31];
	return k->word && word_begin(text, key - 1, k->word, k->len) != NOWHERE;
}

/* Does the word that ends in text[at] mean a secret?  It ends in "n", "t", "l" or "y". */
static bool may_end(const char *text, size_t at)
{
	size_t key;

	switch (text[at] | 0x20) {
	case 'n':
		return word_begin(text, at, "token", 5) != NOWHERE;
	case 't':
		return word_begin(text, at, "secret", 6) != NOWHERE;
	case 'l':
		return word_begin(text, at, "credential", 10) != NOWHERE;
	default:
		key = word_begin(text, at, "key", 3);
		return key != NOWHERE && may_be_key(text, key);
	}
}

/* Does a word end behind text[at]? */
static inline bool is_at(const struct signname *n, size_t at, const char *word, size_t len)
{
	return n->len + at >= SIGNNAME_MAX + len - 1 &&
	       memcmp(n->text + at + 1 - len, word, len) == 0;
}

static inline bool ends_in(const struct signname *n, const char *word, size_t len)
{
	return is_at(n, SIGNNAME_MAX - 1, word, len);
}

/* "pass" alone, "db_pass", but not "bypass" or "compass". */
static bool ends_in_pass(const char *text, const struct signname *n)
{
	if (ends_in(n, "pgpass", 6))
		return true;
	if (ends_in(n, "pass", 4))
		return n->end < 5 || text[n->end - 5] == '_' || begins_word(text, n->end - 4);
	return ends_in(n, "pwd", 3) && begins_word(text, n->end - 3);
}

bool signname_password(const char *text, const struct signname *n)
{
	switch (n->text[SIGNNAME_MAX - 1]) {
	case 'd':
		if (ends_in(n, "password", 8) || ends_in(n, "passwd", 6))
			return true;
		return ends_in_pass(text, n);
	case 'e':
		return ends_in(n, "passphrase", 10);
	case 's':
		return ends_in_pass(text, n);
	default:
		return false;
	}
}

/* "key", of which text[at] is the end, with what makes it a secret's before it. */
static bool is_secret_key(const struct signname *n, size_t at)
{
	static const struct {
		const char *word;
		size_t len;
	} keys[] = {
		{"accesskey", 9}, {"apikey", 6},      {"authkey", 7},   {"encryptionkey", 13},
		{"masterkey", 9}, {"privatekey", 10}, {"secretkey", 9}, {"signingkey", 10},
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (is_at(n, at, keys[i].word, keys[i].len))
			return true;
	return false;
}

static bool is_secret_word(const struct signname *n, size_t at)
{
	switch (n->text[at]) {
	case 'n':
		return is_at(n, at, "token", 5);
	case 't':
		return is_at(n, at, "secret", 6);
	case 'l':
		return is_at(n, at, "credential", 10);
	default:
		return n->text[at - 2] == 'k' && is_secret_key(n, at);
	}
}

bool signname_secret(const struct signname *n)
{
	if (n->key)
		return true;
	for (uint32_t ends = n->ends; ends; ends &= ends - 1)
		if (is_secret_word(n, (size_t)__builtin_ctz(ends)))
			return true;
	return false;
}

static bool reads_secret(const char *text, size_t sign)
{
	struct signname n;

	return signname_read(text, sign - (text[sign - 1] == ':'), &n) && signname_secret(&n);
}

/* 0xff for each byte that is part of a name. */
static inline lanes names_in(lanes v)
{
	return (lanes)((lanes)((v | 0x20) - 'a') <= 'z' - 'a') | (lanes)((lanes)(v - '0') <= 9) |
	       (lanes)(v == '_') | (lanes)(v == '-');
}

/* Every word of signname_secret() ends in "en", "et", "ey" or "al", with at most TRAIL_MAX letters
 * behind it.  A joint may stand between any two letters. */
bool signname_maybe_secret(const char *text, size_t sign)
{
	size_t end = name_end(text, sign - (text[sign - 1] == ':'));
	uint32_t joints, name, others, lasts;
	lanes v;

	if (end < LANES + 2)
		return reads_secret(text, sign);
	v = lanes_load(text + end - LANES);
	joints = lanes_bits((lanes)(v == '_') | (lanes)(v == '-'));
	name = lanes_bits(names_in(v));
	/* It begins behind the last byte that is no part of one; if there is none here, two joints
	 * still leave all of it to be seen. */
	others = (~name & 0xffff) << 1 | 1;
	lasts = lanes_bits(word_ends_in(text + end - LANES)) & ~0u << (31 - __builtin_clz(others));
	for (uint32_t some = lasts; some; some &= some - 1) {
		unsigned i = (unsigned)__builtin_ctz(some);

		if (may_end(text, end - LANES + i))
			return true;
	}
	joints &= joints - 1;
	if (others != 1 || !(joints & (joints - 1)))
		return false;
	/* With more joints it may end in what is before that, and nowhere else. */
	if (end >= 2 * LANES + 2 && !lanes_bits(word_ends_in(text + end - (size_t)(2 * LANES))))
		return false;
	return reads_secret(text, sign);
}

void signname_tell(struct signname_told *told, const char *text, size_t sign, unsigned what)
{
	struct signname_told *t = &told[signname_told_row(text, sign)];
	uint32_t others = ~lanes_bits(names_in(lanes_load(text + sign - LANES))) & 0xffff;

	/* It began before these bytes, or something may stand between it and the sign. */
	if (!others || others >> (LANES - 1))
		return;
	what |= signname_what(told, text, sign);
	/* It begins behind the last of those that are no part of one. */
	*t = (struct signname_told){sign - LANES, (1u << (31 - __builtin_clz(others))) - 1, what};
}
