/* SPDX-License-Identifier: Apache-2.0 */
/* flatforms.c - the alternatives of a pattern, written out one by one.
 *
 * "a(?:b|c)d?" is "abd", "acd", "ab" and "ac".  What is left has a fixed length up to its last
 * part, and so can be compared with a text at a known place.
 */
#include "redact/flatforms.h"

#include <stdio.h>
#include <string.h>

enum { WIDE = 4 }; /* more counts than this are not written out */

struct flat {
	flatforms_hit *hit;
	void *context;
	size_t n;
};

static bool expand(struct flat *f, const char *text);

const char *flatforms_skip(const char *text)
{
	int depth = 0;

	do {
		if (*text == '\\' && text[1]) {
			text += 2;
		} else if (*text == '[') {
			for (text += 1 + (text[1] == '^'); *text && *text != ']'; text++)
				text += *text == '\\' && text[1];
			text += *text == ']';
		} else {
			depth += (*text == '(') - (*text == ')');
			text++;
		}
	} while (depth > 0 && *text);
	return text;
}

unsigned flatforms_number(const char **text)
{
	unsigned n = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		n = n > 65535 ? n : n * 10 + (unsigned)(**text - '0');
	return n;
}

/* The text with [at, behind) replaced. */
static bool expand_with(struct flat *f, const char *text, const char *at, const char *behind,
			const char *with, size_t len)
{
	char form[FLATFORMS_LEN];
	size_t before = (size_t)(at - text), after = strlen(behind);

	if (before + len + after >= sizeof(form))
		return false;
	memcpy(form, text, before);
	memcpy(form + before, with, len);
	memcpy(form + before + len, behind, after + 1);
	return expand(f, form);
}

/* "(a|b)", "(?:a|b)" at text[at], perhaps with a "?" behind it. */
static bool expand_group(struct flat *f, const char *text, const char *at)
{
	const char *end = flatforms_skip(at), *behind = end + (*end == '?');
	const char *from = at + (at[1] == '?' ? 3 : 1);

	if (end[-1] != ')' || (at[1] == '?' && at[2] != ':') || strchr("{*+", *end ? *end : '!'))
		return false;
	for (const char *p = from; p < end; p = flatforms_skip(p)) {
		if (p != end - 1 && *p != '|')
			continue;
		if (!expand_with(f, text, at, behind, from, (size_t)(p - from)))
			return false;
		from = p + 1;
	}
	return *end != '?' || expand_with(f, text, at, behind, "", 0);
}

/* "{n}", "{n,}" or "{n,m}" at text[at], behind a part. */
static bool expand_count(struct flat *f, const char *text, const char *at, bool *ret_done)
{
	const char *end = at + 1;
	unsigned least = flatforms_number(&end), most = least;

	*ret_done = false;
	if (*end == ',') {
		end++;
		most = *end == '}' ? least + WIDE : flatforms_number(&end);
	}
	if (*end != '}')
		return false;
	*ret_done = least < most && end[1]; /* else: fixed, or the last */
	if (!*ret_done || most - least >= WIDE)
		return !*ret_done;
	for (; least <= most; least++) {
		char count[] = {'{', (char)('0' + least / 10), (char)('0' + least % 10), '}'};

		if (least > 99 || !expand_with(f, text, at, end + 1, count, sizeof(count)))
			return false;
	}
	return true;
}

static bool is_plain(const char *part)
{
	if (*part == '\\')
		return part[1] && strchr("bt.$/\\-[](){}|?*+^", part[1]);
	return *part == '[' ? part[1] != '^' : !strchr("|)*+.^$?{", *part);
}

static bool expand(struct flat *f, const char *text)
{
	for (const char *at = text; *at;) {
		const char *behind;
		bool done = false;

		if (*at == '(')
			return expand_group(f, text, at);
		if (!is_plain(at))
			return false;
		behind = flatforms_skip(at);
		if (*behind == '?')
			return expand_with(f, text, behind, behind + 1, "", 0) &&
			       expand_with(f, text, at, behind + 1, "", 0);
		if (*behind == '{') {
			if (!expand_count(f, text, behind, &done))
				return false;
			if (done)
				return true;
			behind = strchr(behind, '}') + 1;
		}
		at = behind;
	}
	return f->n++ < FLATFORMS_MOST && f->hit(f->context, text);
}

bool flatforms_each(const char *pattern, size_t len, flatforms_hit *hit, void *context)
{
	struct flat f = {hit, context, 0};
	char form[FLATFORMS_LEN];

	if (len + 5 > sizeof(form))
		return false;
	(void)snprintf(form, sizeof(form), "(?:%.*s)", (int)len, pattern);
	return expand(&f, form);
}
