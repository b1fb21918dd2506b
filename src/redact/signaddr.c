/* SPDX-License-Identifier: Apache-2.0 */
/* signaddr.c - addresses, found at a "." or ":" in them. */
#include "redact/signaddr.h"

#include <string.h>

enum {
	IPV4_MAX = 15,
	IPV6_LEAST = 4,
	IPV6_MAX = 46 + 2, /* with IPv4 at its end, and what ends a sentence */
	GROUP = 5,         /* from one ":" to the next, at most */
};

enum { DIGIT = 1, HEX = 2, DOT = 4, COLON = 8 };

static const unsigned char kinds[256] = {
	['0' ... '9'] = DIGIT | HEX,
	['a' ... 'f'] = HEX,
	['A' ... 'F'] = HEX,
	['.'] = DOT,
	[':'] = COLON,
};

static bool is(const char *text, size_t i, unsigned kind)
{
	return kinds[(unsigned char)text[i]] & kind;
}

bool signaddr_ipv4(const char *text, size_t high, size_t at, size_t *done, struct found *ret)
{
	size_t begin = at, end = at;
	unsigned dots = 0;

	if (at < *done)
		return false;
	while (begin > 0 && at - begin < 4 && is(text, begin - 1, DIGIT | DOT))
		begin--;
	for (; end < high && is(text, end, DIGIT | DOT); end++)
		dots += text[end] == '.';
	*done = end;
	if (text[end - 1] == '.') {
		end--;
		dots--;
	}
	/* Every machine has 127.0.0.1: its check says so, too. */
	if (dots != 3 || end - begin > IPV4_MAX || memcmp(text + begin, "127.", 4) == 0)
		return false;
	*ret = (struct found){text, begin, end, begin, end, high};
	return true;
}

bool signaddr_ipv6(const char *text, size_t high, size_t at, size_t *done, struct found *ret)
{
	size_t begin = at, end, colons = 0, gaps = 0;
	bool digit = false;

	if (at < *done)
		return false;
	while (begin > 0 && at - begin <= IPV6_MAX && is(text, begin - 1, HEX | COLON | DOT))
		begin--;
	for (end = begin; end < high && is(text, end, HEX | COLON | DOT); end++) {
		bool colon = text[end] == ':';

		colons += colon;
		gaps += colon & (end + 1 < high && text[end + 1] == ':');
		digit |= is(text, end, DIGIT);
	}
	*done = end;
	/* Dots behind it, however many, are no part of it. */
	while (text[end - 1] == '.')
		end--;
	if ((gaps != 1 && colons < 7) || gaps > 1 || !digit || end - begin < IPV6_LEAST ||
	    end - begin > IPV6_MAX)
		return false;
	*ret = (struct found){text, begin, end, begin, end, high};
	return true;
}

/* x, n bytes on; what is beyond its end is not known and may be anything. */
static inline uint64_t later(uint64_t x, unsigned n)
{
	return x >> n | ~(~(uint64_t)0 >> n);
}

/* Those of x with another one behind them, so near that a group of digits is between them. */
static inline uint64_t followed(uint64_t x)
{
	uint64_t near = later(x, 1) | later(x, 2); /* 1 and 2, then 3 and 4, then 5 */

	return x & (near | later(near, 2) | later(x, GROUP));
}

/* The same, with nothing but digits between them. */
static uint64_t followed_by_group(uint64_t x, uint64_t hex)
{
	uint64_t near = later(x, GROUP);

	for (unsigned n = GROUP - 1; n > 0; n--)
		near = later(x, n) | (later(hex, n) & near);
	return x & near;
}

uint64_t signaddr_colons(uint64_t colons, uint64_t hex)
{
	uint64_t inner = colons & later(colons | hex, 1); /* with more of an address behind them */
	/* One of an address has a group before it or behind it. */
	uint64_t two = colons & later(colons, 1) & (hex << 1 | 1 | later(hex, 2));
	uint64_t seven = followed(followed(followed(inner)));

	/* Two in a row, or seven: of four, "10:20:30" has not so many. */
	if (seven)
		seven = followed_by_group(followed_by_group(followed_by_group(inner, hex), hex),
					  hex);
	return two | seven;
}
