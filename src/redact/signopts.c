/* SPDX-License-Identifier: Apache-2.0 */
/* signopts.c - "curl ... -u me:pw", found at the option.
 *
 * The option is looked at before the command: a pattern would begin at every "curl", or try every
 * "-u".  The text before an option is read once, whatever follows it.
 */
#include "redact/signopts.h"

#include <stdint.h>
#include <string.h>

#include "redact/lanes.h"

enum {
	COMMAND = 5,   /* bytes of "curl " */
	BETWEEN = 200, /* and, at most, of what is between it and the option's blank */
	LOOK_BACK = COMMAND + BETWEEN + 2,
	USER_MOST = 64,
	PASSWORD_LEAST = 4,
};

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Does anything end here: a value, a name? */
static bool is_end(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || is_quote(c);
}

static bool ends_command(char c)
{
	return c == '\n' || c == '|' || c == ';' || c == '&';
}

/* Where the user's name begins; 0: it is another option. */
static size_t user_begin(const char *text, size_t high, size_t at)
{
	static const char *const options[] = {"-u", "--user"};

	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(options[i]), next = at + len;

		if (high - at < len + 2 || memcmp(text + at, options[i], len) != 0 ||
		    (text[next] != ' ' && text[next] != '='))
			continue;
		return next + 1 + is_quote(text[next + 1]);
	}
	return 0;
}

/* One byte of it after the other. */
static void read_byte(struct signopts *o, const char *text, size_t i)
{
	if (ends_command(text[i]))
		o->from = 0;
	if (text[i] == ' ' && i + 1 >= COMMAND &&
	    memcmp(text + i + 1 - COMMAND, "curl ", COMMAND) == 0 &&
	    (i < COMMAND || !is_word(text[i - COMMAND])))
		o->from = i + 1;
}

/* Which of sixteen bytes read_byte() has something to say about; one is before them. */
static inline uint32_t told_by(const char *text)
{
	lanes v = lanes_load(text), before = lanes_load(text - 1);

	return lanes_bits((lanes)(v == '\n') | (lanes)(v == '|') | (lanes)(v == ';') |
			  (lanes)(v == '&') | ((lanes)(v == ' ') & (lanes)(before == 'l')));
}

/* Reads on, up to the option at text[at]: is it one of a curl that is near enough? */
static bool is_curl(struct signopts *o, const char *text, size_t at)
{
	size_t i = at - o->read > LOOK_BACK ? at - LOOK_BACK : o->read;

	for (; i > 0 && at - i >= LANES; i += LANES)
		for (uint32_t some = told_by(text + i); some; some &= some - 1)
			read_byte(o, text, i + (size_t)__builtin_ctz(some));
	for (; i < at; i++)
		read_byte(o, text, i);
	o->read = at;
	return o->from > 0 && (o->from == at || at - 1 - o->from <= BETWEEN);
}

/* Behind what is_end() says no to, from text[at] on; also: another byte that ends it. */
static size_t find_end(const char *text, size_t high, size_t at, char also)
{
	for (; high - at >= LANES; at += LANES) {
		lanes v = lanes_load(text + at);
		uint32_t ends = lanes_bits((lanes)(v == ' ') | (lanes)(v == '\t') |
					   (lanes)(v == '\n') | (lanes)(v == '"') |
					   (lanes)(v == '\'') | (lanes)(v == (unsigned char)also));

		if (ends)
			return at + (size_t)__builtin_ctz(ends);
	}
	while (at < high && !is_end(text[at]) && text[at] != also)
		at++;
	return at;
}

bool signopts_curl(struct signopts *o, const char *text, size_t high, size_t at, struct found *ret)
{
	size_t user = user_begin(text, high, at), end, begin;

	if (user == 0)
		return false;
	end = find_end(text, high - user > USER_MOST ? user + USER_MOST + 1 : high, user, ':');
	if (end == user || end >= high || text[end] != ':')
		return false;
	begin = end + 1;
	end = find_end(text, high, begin, ' ');
	if (end - begin < PASSWORD_LEAST || !is_curl(o, text, at))
		return false;
	*ret = (struct found){text, o->from - COMMAND, end, begin, end, high};
	return true;
}
