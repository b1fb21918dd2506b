/* SPDX-License-Identifier: Apache-2.0 */
/* checks.c - what a pattern cannot ask: is this number an address, this word random?
 *
 * A check that says no may move f->to: the search goes on from there.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "redact/redact_rule.h"
#include "redact/valuebits.h"
#include "redact/valueletters.h"

_Static_assert((int)CHECK_ENOUGH <= (int)VALUEBITS_MOST, "what is looked at can be counted");

static unsigned char at(const struct found *f, size_t i)
{
	return i < f->len ? (unsigned char)f->text[i] : 0;
}

static unsigned char before(const struct found *f, size_t i)
{
	return i > 0 ? (unsigned char)f->text[i - 1] : 0;
}

static bool is_word(unsigned char c)
{
	return isalnum(c) || c == '_';
}

/* Bits per byte: 0 for "aaaa", 4 for random hex digits, under 3 for most words. */
static double entropy(const struct valuebits *counted, size_t len)
{
	double bits = 0;

	for (size_t i = 0; i < ARRAY_LEN(counted->of); i++) {
		double share = (double)counted->of[i] / (double)len;

		if (counted->of[i])
			bits -= share * log2(share);
	}
	return bits;
}

enum { BITS_LEAST = 28 }; /* tenths, of anything random */

/* How often the byte in its middle is in a text, which is where one that is nearly all of it is. */
static size_t count_middle(const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[len / 2];
	size_t n = 0, i = 0;

	for (; len - i >= LANES; i += LANES)
		n += letterbits_count(lanes_bits((lanes)(lanes_load(text + i) == c)));
	for (; i < len; i++)
		n += (unsigned char)text[i] == c;
	return n;
}

/* At least so many tenths of them? */
static bool has_bits(const char *text, size_t len, uint32_t tenths)
{
	struct valuebits counted = {0};
	uint32_t order = 0;

	for (size_t i = 0; i < len; i++)
		order += valuebits_add(&counted, (unsigned char)text[i]);
	counted.order = order;
	if (valuebits_less(&counted, len, tenths))
		return false;
	return valuebits_more(&counted, len, tenths) || entropy(&counted, len) >= tenths / 10.0;
}

/* Drawn by a machine?  least: changes, in a value of letters and digits. */
static bool looks_random(const struct found *f, size_t least)
{
	const char *text = f->text + f->begin;
	size_t len = f->end - f->begin < CHECK_ENOUGH ? f->end - f->begin : CHECK_ENOUGH;
	struct valueletters seen;

	/* What costs least is asked first: nearly all the same? */
	if (len > 0 && valuebits_same_less(count_middle(text, len), len, BITS_LEAST))
		return false;
	seen = valueletters_of(text, len, f->len - f->begin);
	if (seen.digits == 0 || seen.letters == 0)
		return seen.letters >= 20 && seen.changes >= 5 && has_bits(text, len, 35);
	return seen.changes >= least && seen.changes >= len / 12 && has_bits(text, len, BITS_LEAST);
}

static bool begins(const char *text, size_t len, const char *with)
{
	size_t n;

	/* Most differ in the first one. */
	if (len == 0 || (text[0] | 0x20) != (with[0] | 0x20))
		return false;
	n = strlen(with);
	return len >= n && strncasecmp(text, with, n) == 0;
}

static bool holds(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	/* Two letters at a time: one alone is in every value. */
	for (size_t i = 0; i + n <= len; i++)
		if (((text[i] | 0x20) == (word[0] | 0x20)) &
			    ((text[i + 1] | 0x20) == (word[1] | 0x20)) &&
		    strncasecmp(text + i, word, n) == 0)
			return true;
	return false;
}

/* A reference to a value, a hole for one, or a value that was masked already. */
bool check_begins_placeholder(const char *text, size_t len)
{
	/* Of most values the first byte tells; '\0' is as "$". */
	static const unsigned char first[256] = {
		['\0'] = 1, ['$'] = 1, ['%'] = 1, ['<'] = 1, ['{'] = 1, ['*'] = 1,
		['x'] = 2,  ['X'] = 2, ['y'] = 2, ['Y'] = 2, ['['] = 2,
	};
	unsigned char how = first[(unsigned char)text[0]];

	return how == 1 || (how == 2 && (begins(text, len, "xxx") || begins(text, len, "your") ||
					 begins(text, len, "[redact")));
}

bool check_placeholder(const char *text, size_t len)
{
	size_t same = 1;

	if (check_begins_placeholder(text, len))
		return true;
	while (same < len && text[same] == text[0])
		same++;
	return same == len;
}

bool check_begins_path(const char *text, size_t len)
{
	return (text[0] == '/' || text[0] == '.' || text[0] == '~') &&
	       (text[0] == '/' || begins(text, len, "./") || begins(text, len, "~/") ||
		begins(text, len, "../"));
}

static bool is_path(const char *text, size_t len)
{
	return check_begins_path(text, len) || memmem(text, len, "://", 3) != NULL;
}

/* What stands behind the value says that it is code: a call, an index, a path of names. */
bool check_is_call(char next)
{
	return next == '(' || next == '[' || next == '{';
}

static bool is_code(const struct found *f)
{
	return check_is_call((char)at(f, f->end));
}

/* What ends a sentence, and no value. */
bool check_is_trail(char c)
{
	return c == '.' || c == ':' || c == '!' || c == '?' || c == '\\' || c == '\0';
}

const char *const check_fillers[] = {"example",   "placeholder", "changeme", "lambda", "redacted",
				     "undefined", "process.env", "environ",  "self.",  "config.",
				     "request.",  "->",          NULL};

bool check_random(struct found *f)
{
	return !check_placeholder(f->text + f->begin, f->end - f->begin) && looks_random(f, 2);
}

bool check_assigned(struct found *f)
{
	const char *value = f->text + f->begin;
	size_t len = f->end - f->begin;

	while (len > 0 && check_is_trail(value[len - 1]))
		len--;
	f->end = f->begin + len;
	if (len < 10 || is_code(f) || !looks_random(f, 3))
		return false;
	len = len < CHECK_ENOUGH ? len : CHECK_ENOUGH;
	if (check_placeholder(value, len) || is_path(value, len))
		return false;
	for (size_t i = 0; check_fillers[i]; i++)
		if (holds(value, len, check_fillers[i]))
			return false;
	return true;
}

/* Words that stand where a password would. */
static bool is_password_word(const char *text, size_t len)
{
	/* By length, a blank around each. */
	static const char *const words[] = {
		[4] = " none null ",
		[6] = " passwd string prompt hidden masked object ",
		[7] = (" default example invalid missing expired changed unknown enabled boolean "
		       "varchar "),
		[8] = " password required optional redacted rejected accepted disabled ",
		[9] = " undefined incorrect ",
		[14] = " authentication ",
	};

	if (len >= ARRAY_LEN(words) || !words[len])
		return false;
	for (const char *word = words[len] + 1; *word; word += len + 1)
		if (strncasecmp(word, text, len) == 0)
			return true;
	return false;
}

/* NAME=letters, as in a file of settings: no spaces, capitals. */
static bool is_setting(const struct found *f)
{
	return f->begin > f->from + 1 && before(f, f->begin) == '=' &&
	       isupper(before(f, f->begin - 1));
}

/* What names of a program are made of. */
static bool is_plain(unsigned char c)
{
	static const bool plain[256] = {
		['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true,
		['.'] = true,         ['-'] = true,         ['\0'] = true,
	};

	return plain[c];
}

static bool is_quoted(const struct found *f)
{
	return before(f, f->begin) == '"' || before(f, f->begin) == '\'';
}

bool check_password_rest(struct found *f)
{
	const char *value = f->text + f->begin;
	size_t len = f->end - f->begin, plain = 0;

	if (check_placeholder(value, len) || is_password_word(value, len))
		return false;
	if (is_quoted(f))
		return true;
	if (check_begins_path(value, len))
		return false;
	while (plain < len && is_plain((unsigned char)value[plain]))
		plain++;
	return plain < len || is_setting(f);
}

bool check_password(struct found *f)
{
	const char *value = f->text + f->begin;
	size_t len = f->end - f->begin;

	if (!is_quoted(f) && (is_code(f) || is_path(value, len) || holds(value, len, "environ")))
		return false;
	return check_password_rest(f);
}

/* Behind an option there are words, too: "--password is wanted", "--password PASSWORD". */
bool check_option(struct found *f)
{
	const char *value = f->text + f->begin;
	size_t plain = 0, len;

	while (f->end > f->begin && check_is_trail(f->text[f->end - 1]))
		f->end--;
	len = f->end - f->begin;
	while (plain < len && is_plain((unsigned char)value[plain]))
		plain++;
	return len >= 6 && plain < len && value[0] != '-' && !is_code(f) &&
	       !check_placeholder(value, len) && !is_path(value, len);
}

bool check_option_secret(struct found *f)
{
	return f->text[f->begin] != '-' && check_assigned(f);
}

bool check_url_password(struct found *f)
{
	const char *value = f->text + f->begin;

	return !strchr("${<*[", value[0]) && !begins(value, f->end - f->begin, "%s");
}

bool check_user(struct found *f)
{
	static const char *const nobody[] = {"Shared", "Public", "Default", "..", "."};

	for (size_t i = 0; i < ARRAY_LEN(nobody); i++)
		if (strlen(nobody[i]) == f->end - f->begin &&
		    strncmp(nobody[i], f->text + f->begin, f->end - f->begin) == 0)
			return false;
	while (f->end > f->begin + 1 && f->text[f->end - 1] == '.')
		f->end--;
	return true;
}

enum { ADDRESS = 1, ADDRESS4 = 2 };

static const unsigned char address_kinds[256] = {
	['0' ... '9'] = ADDRESS | ADDRESS4, ['a' ... 'f'] = ADDRESS, ['A' ... 'F'] = ADDRESS,
	['.'] = ADDRESS | ADDRESS4,         [':'] = ADDRESS,
};

static size_t run_end(const struct found *f, size_t i, unsigned kind)
{
	while (i < f->len && (address_kinds[(unsigned char)f->text[i]] & kind))
		i++;
	return i;
}

/* As inet_pton() reads it: four numbers up to 255, none with a zero before it. */
static bool read_ipv4(const char *text, size_t len, uint32_t *ret)
{
	uint32_t all = 0, number = 0;
	size_t digits = 0, dots = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '.') {
			if (digits == 0 || ++dots == 4)
				return false;
			all = all << 8 | number;
			number = 0;
			digits = 0;
			continue;
		}
		if (digits++ > 0 && number == 0)
			return false;
		number = number * 10 + (uint32_t)(text[i] - '0');
		if (number > 255)
			return false;
	}
	*ret = all << 8 | number;
	return dots == 3 && digits > 0;
}

bool check_ipv4(struct found *f)
{
	uint32_t address;
	size_t end = run_end(f, f->begin, ADDRESS4);
	unsigned char prev = before(f, f->begin);

	f->to = end;
	/* The dot at the end of a sentence is not part of it. */
	if (end > f->begin && f->text[end - 1] == '.')
		end--;
	if (is_word(prev) || prev == '.' || is_word(at(f, end)) || end != f->end ||
	    !read_ipv4(f->text + f->begin, end - f->begin, &address))
		return false;
	/* Every machine has these. */
	return address >> 24 != 127 && address != 0 && address != INADDR_NONE;
}

bool check_ipv6(struct found *f)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr address;
	size_t end = run_end(f, f->begin, ADDRESS);
	unsigned char prev = before(f, f->begin);

	f->to = end;
	while (end > f->begin &&
	       (f->text[end - 1] == '.' || (f->text[end - 1] == ':' && before(f, end - 1) != ':')))
		end--;
	if (is_word(prev) || prev == ':' || prev == '.' || is_word(at(f, end)) ||
	    end - f->begin < 4 || end - f->begin >= sizeof(text))
		return false;
	memcpy(text, f->text + f->begin, end - f->begin);
	/* Letters alone are names of a program: "dead::beef". */
	if (!strpbrk(text, "0123456789") || inet_pton(AF_INET6, text, &address) != 1)
		return false;
	f->end = end;
	return !IN6_IS_ADDR_LOOPBACK(&address) && !IN6_IS_ADDR_UNSPECIFIED(&address);
}

static size_t digits_of(const struct found *f, char *ret, size_t room)
{
	size_t n = 0;

	for (size_t i = f->begin; i < f->end; i++)
		if (isdigit((unsigned char)f->text[i]) && n < room)
			ret[n++] = f->text[i];
	return n;
}

static bool stands_alone(const struct found *f)
{
	unsigned char prev = before(f, f->begin), next = at(f, f->end);

	return !is_word(prev) && prev != '.' && prev != '-' && !is_word(next) &&
	       !((next == '.' || next == '-') && isdigit(at(f, f->end + 1)));
}

bool check_phone(struct found *f)
{
	char digits[24];
	size_t n = digits_of(f, digits, sizeof(digits));

	return n >= 9 && n <= 15 && stands_alone(f);
}

bool check_card(struct found *f)
{
	char digits[24];
	size_t n = digits_of(f, digits, sizeof(digits));
	unsigned sum = 0;

	if (n < 13 || n > 19 || !stands_alone(f))
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)(digits[n - 1 - i] - '0');

		/* Luhn: every second digit counts double, its digits added. */
		sum += i % 2 ? d * 2 / 10 + d * 2 % 10 : d;
	}
	return sum % 10 == 0 && strspn(digits, "0") < n;
}
