/* SPDX-License-Identifier: Apache-2.0 */
/* keyblock.c - a private key from its BEGIN line on, also if its END never comes.
 *
 * A key may be cut off, indented, quoted, or have the name of a program before each line.  So a
 * block goes on while lines look like parts of a key, and ends behind END or before the first one
 * that does not.
 */
#include "redact/keyblock.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"

enum {
	LINES_MAX = 4096, /* the longest real ones have some hundred */
	RUN_LEAST = 28,   /* base64 within other words */
};

void keyblock_begin(struct keyblock *k)
{
	*k = (struct keyblock){.open = true, .in_line = true};
}

/* Behind the END mark that begins in text[from .. to); 0: there is none. */
static size_t find_end(const char *text, size_t from, size_t to, size_t end)
{
	static const char *const marks[] = {"--END ", "-- END ", "Private-MAC:"};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		size_t len = strlen(marks[i]), stop = to + len < end ? to + len : end;
		const char *found =
			stop > from ? memmem(text + from, stop - from, marks[i], len) : NULL;
		size_t at;

		if (!found)
			continue;
		at = (size_t)(found - text) + len;
		while (at < end && text[at] &&
		       (isupper((unsigned char)text[at]) || isxdigit((unsigned char)text[at]) ||
			strchr(" -", text[at])))
			at++;
		return at;
	}
	return 0;
}

static bool is_base64(char c)
{
	return isalnum((unsigned char)c) || c == '+' || c == '/' || c == '=';
}

static bool is_header(const char *line, size_t len)
{
	static const char *const names[] = {
		"Proc-Type:", "DEK-Info:",  "Version:", "Comment:", "Hash:",
		"Charset:",   "MessageID:", "Subject:", "x-gpg",    "Key-Type:"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (len >= strlen(names[i]) && strncasecmp(line, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_key_line(const char *line, size_t len)
{
	size_t run = 0, longest = 0, other = 0;

	while (len > 0 && line[0] && strchr(" \t>|\"'`", line[0])) {
		line++;
		len--;
	}
	/* What a string in a program has behind its text: \n", + \ */
	while (len > 0 && line[len - 1] && strchr(" \t\"'`,;+\\|", line[len - 1]))
		len--;
	if (len >= 2 && line[len - 2] == '\\' && line[len - 1] == 'n')
		len -= 2;
	if (len == 0 || is_header(line, len))
		return true;
	for (size_t i = 0; i < len; i++) {
		bool part = is_base64(line[i]);

		run = part ? run + 1 : 0;
		longest = run > longest ? run : longest;
		other += !part;
	}
	return other == 0 || longest >= RUN_LEAST;
}

size_t keyblock_run(struct keyblock *k, const char *text, size_t from, size_t limit, size_t end,
		    bool *ret_cut)
{
	*ret_cut = false;
	while (from < limit) {
		const char *newline = memchr(text + from, '\n', end - from);
		size_t stop = newline ? (size_t)(newline - text) : end;
		size_t behind = find_end(text, from, stop < limit ? stop : limit, stop);

		if (behind) {
			*k = (struct keyblock){0};
			return behind;
		}
		if (!k->in_line &&
		    (k->lines >= LINES_MAX || !is_key_line(text + from, stop - from))) {
			*k = (struct keyblock){0};
			*ret_cut = true;
			return from;
		}
		k->in_line = true;
		if (stop >= limit)
			break;
		k->in_line = false;
		k->lines++;
		from = stop + 1;
	}
	return limit;
}
