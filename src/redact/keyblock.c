/* SPDX-License-Identifier: Apache-2.0 */
/* keyblock.c - a private key from its BEGIN line on, also if its END never comes.
 *
 * A key may be cut off, indented, quoted, or have the name of a program before each line.  So a
 * block goes on while lines look like parts of a key, and ends behind END or before the first one
 * that does not.
 */
#include "redact/keyblock.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "redact/lanes.h"

enum {
	LINES_MAX = 4096, /* the longest real ones have some hundred */
	RUN_LEAST = 28,   /* base64 within other words */
};

/* Of which the first that is there counts. */
static const char *const marks[KEYBLOCK_MARKS] = {"--END ", "-- END ", "Private-MAC:"};

void keyblock_move(struct keyblock *k)
{
	k->line_end = 0;
	memset(k->marks, 0, sizeof(k->marks));
}

static void set_open(struct keyblock *k, bool open)
{
	k->open = k->in_line = open;
	k->lines = 0;
}

void keyblock_begin(struct keyblock *k)
{
	set_open(k, true);
}

/* Is there "ND " or "AC:"?  Every mark ends with one of these. */
static bool may_have_mark(const char *text, size_t from, size_t to)
{
	for (; to - from >= LANES + 2; from += LANES) {
		lanes first = lanes_load(text + from), second = lanes_load(text + from + 1);
		lanes third = lanes_load(text + from + 2);

		if (lanes_bits(((lanes)(first == 'N') & (lanes)(second == 'D') &
				(lanes)(third == ' ')) |
			       ((lanes)(first == 'A') & (lanes)(second == 'C') &
				(lanes)(third == ':'))))
			return true;
	}
	return memmem(text + from, to - from, "ND ", 3) || memmem(text + from, to - from, "AC:", 3);
}

/* The line that text[from] is in ends there. */
static size_t line_end(struct keyblock *k, const char *text, size_t from, size_t end)
{
	const char *newline;
	bool may;

	if (from < k->line_end)
		return k->line_end;
	newline = memchr(text + from, '\n', end - from);
	k->line_end = newline ? (size_t)(newline - text) : end;
	may = may_have_mark(text, from, k->line_end);
	for (size_t i = 0; i < KEYBLOCK_MARKS; i++)
		k->marks[i] = may ? 0 : SIZE_MAX;
	return k->line_end;
}

/* The next mark of a kind in text[from .. k->line_end); SIZE_MAX: there is none. */
static size_t next_mark(struct keyblock *k, size_t kind, const char *text, size_t from)
{
	const char *found;

	if (k->marks[kind] >= from && k->marks[kind])
		return k->marks[kind];
	found = memmem(text + from, k->line_end - from, marks[kind], strlen(marks[kind]));
	return k->marks[kind] = found ? (size_t)(found - text) : SIZE_MAX;
}

/* Behind the END mark that begins in text[from .. to]; 0: there is none. */
static size_t find_end(struct keyblock *k, const char *text, size_t from, size_t to)
{
	for (size_t i = 0; i < KEYBLOCK_MARKS; i++) {
		size_t at = next_mark(k, i, text, from);

		if (at > to)
			continue;
		at += strlen(marks[i]);
		while (at < k->line_end && text[at] &&
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

/* 0xff for each byte that is_base64(). */
static inline lanes base64_in(lanes v)
{
	lanes letter = (v | 0x20) - 'a', digit = v - '/'; /* "/" is before "0" */

	return (lanes)(letter <= 'z' - 'a') | (lanes)(digit <= 10) | (lanes)(v == '+') |
	       (lanes)(v == '=');
}

/* All of it is base64, or RUN_LEAST bytes in a row. */
static bool is_key_text(const char *text, size_t len)
{
	size_t i = 0, run = 0, other = 0;

	for (; len - i >= LANES && run < RUN_LEAST; i += LANES) {
		uint32_t no = ~lanes_bits(base64_in(lanes_load(text + i))) & 0xffff;

		if (!no) {
			run += LANES;
			continue;
		}
		/* A row within these is too short: only one that goes on to them counts, or from.
		 */
		if (run + (size_t)__builtin_ctz(no) >= RUN_LEAST)
			return true;
		run = (size_t)__builtin_clz(no) - LANES;
		other++;
	}
	for (; i < len && run < RUN_LEAST; i++) {
		bool part = is_base64(text[i]);

		run = part ? run + 1 : 0;
		other += !part;
	}
	return other == 0 || run >= RUN_LEAST;
}

static bool is_key_line(const char *line, size_t len)
{
	while (len > 0 && line[0] && strchr(" \t>|\"'`", line[0])) {
		line++;
		len--;
	}
	/* What a string in a program has behind its text: \n", + \ */
	while (len > 0 && line[len - 1] && strchr(" \t\"'`,;+\\|", line[len - 1]))
		len--;
	if (len >= 2 && line[len - 2] == '\\' && line[len - 1] == 'n')
		len -= 2;
	return len == 0 || is_header(line, len) || is_key_text(line, len);
}

size_t keyblock_run(struct keyblock *k, const char *text, size_t from, size_t limit, size_t end,
		    bool *ret_cut)
{
	*ret_cut = false;
	while (from < limit) {
		size_t stop = line_end(k, text, from, end);
		size_t behind = find_end(k, text, from, stop < limit ? stop : limit);

		if (behind) {
			set_open(k, false);
			return behind;
		}
		if (!k->in_line &&
		    (k->lines >= LINES_MAX || !is_key_line(text + from, stop - from))) {
			set_open(k, false);
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
