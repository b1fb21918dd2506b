/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - patterns written by the owner, matched against text written by a stranger.
 *
 * The interpreter of PCRE2, not its JIT: that one counts other steps than the
 * match limit means, and wants memory that is written and executed.  Verbs
 * ("(*ACCEPT)", "(*UTF)", "(*LIMIT_MATCH=9)") are refused: they change what the
 * rest of the pattern, or our limits, mean.  "\C" splits characters: refused too.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/match.h"

#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	PATTERN_MAX = 4096,      /* bytes */
	STEPS_MAX = 1000000,     /* about 20 ms; (a|b)* over 64 KiB needs 200,000 */
	DEPTH_MAX = 250000,      /* nested points to go back to */
	HEAP_KIB_MAX = 64 << 10, /* what these may take; (a|b)* over 64 KiB needs 10 MiB */
};

struct match {
	pcre2_code *code;
};

/* One context for all: limits never differ, and nothing in it changes afterwards. */
static pcre2_match_context *limits(void)
{
	static pcre2_match_context *made;

	if (made)
		return made;
	made = pcre2_match_context_create(NULL);
	if (!made)
		return NULL;
	(void)pcre2_set_match_limit(made, STEPS_MAX);
	(void)pcre2_set_depth_limit(made, DEPTH_MAX);
	(void)pcre2_set_heap_limit(made, HEAP_KIB_MAX);
	return made;
}

/* Where a verb is, or NULL.  In \Q...\E and in a class "(*" is two characters. */
static const char *find_verb(const char *p)
{
	const char *class = NULL; /* its first character */

	for (; *p; p++) {
		if (p[0] == '\\' && p[1] == 'Q') {
			p = strstr(p, "\\E");
			if (!p)
				return NULL;
			p++;
		} else if (p[0] == '\\' && p[1]) {
			p++;
		} else if (class) {
			if (p[0] == ']' && p != class)
				class = NULL;
			else if (p[0] == '[' && p[1] == ':' && strstr(p, ":]"))
				p = strstr(p, ":]") + 1;
		} else if (p[0] == '[') {
			class = p[1] == '^' ? p + 2 : p + 1;
			if (p[1] == '^')
				p++;
		} else if (p[0] == '(' && p[1] == '*') {
			return p;
		}
	}
	return NULL;
}

static pcre2_compile_context *compile_rules(void)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);

	if (!c)
		return NULL;
	(void)pcre2_set_newline(c, PCRE2_NEWLINE_ANY); /* "." is none of them */
#ifdef PCRE2_EXTRA_CASELESS_RESTRICT
	/* (?i)k is not the Kelvin sign.  Older libraries cannot be told so. */
	(void)pcre2_set_compile_extra_options(c, PCRE2_EXTRA_CASELESS_RESTRICT);
#endif
	return c;
}

static pcre2_code *compile(const char *pattern, struct error *err)
{
	pcre2_compile_context *rules = compile_rules();
	PCRE2_UCHAR words[160] = "";
	PCRE2_SIZE at = 0;
	pcre2_code *ret;
	int why = 0;

	if (!rules) {
		(void)fail(err, ERR_SYSTEM, "compile a pattern: out of memory");
		return NULL;
	}
	ret = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, &why, &at,
			    rules);
	pcre2_compile_context_free(rules);
	if (ret)
		return ret;
	(void)pcre2_get_error_message(why, words, sizeof(words));
	(void)fail(err, ERR_CALLER, "pattern, character %zu: %s", at + 1, (const char *)words);
	return NULL;
}

struct match *match_new(const char *pattern, struct error *err)
{
	const char *verb = NULL;
	struct match *m;

	if (strnlen(pattern, PATTERN_MAX + 1) > PATTERN_MAX) {
		(void)fail(err, ERR_CALLER, "pattern: longer than %d bytes", PATTERN_MAX);
		return NULL;
	}
	verb = find_verb(pattern);
	if (verb) {
		(void)fail(err, ERR_CALLER,
			   "pattern, character %zu: '(*' verbs are not allowed; write \\(\\* for "
			   "the characters",
			   (size_t)(verb - pattern) + 1);
		return NULL;
	}
	m = calloc(1, sizeof(*m));
	if (!m) {
		(void)fail_sys(err, "keep a pattern");
		return NULL;
	}
	m->code = compile(pattern, err);
	if (m->code)
		return m;
	free(m);
	return NULL;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	pcre2_code_free(m->code);
	free(m);
}

/* ret_whole: from the first to the last byte, also as the pattern sees it (\K moves its begin). */
static enum match_result run(const struct match *m, const char *text, size_t len, uint32_t options,
			     bool *ret_whole)
{
	pcre2_match_context *context = limits();
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	enum match_result ret = MATCH_GAVE_UP;
	int rc;

	if (!context || !data)
		goto out;
	/* Bad UTF-8 is an error too, and not the absence of a match. */
	rc = pcre2_match(m->code, (PCRE2_SPTR)text, len, 0, options, data, context);
	if (rc >= 0) {
		const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data);

		*ret_whole = ends[0] == 0 && ends[1] == len;
		ret = MATCH_YES;
	} else if (rc == PCRE2_ERROR_NOMATCH) {
		ret = MATCH_NO;
	}
out:
	pcre2_match_data_free(data);
	return ret;
}

enum match_result match_full(const struct match *m, const char *text, size_t len)
{
	bool whole = false;
	enum match_result r = run(m, text, len, PCRE2_ANCHORED | PCRE2_ENDANCHORED, &whole);

	return r == MATCH_YES && !whole ? MATCH_NO : r;
}

enum match_result match_part(const struct match *m, const char *text, size_t len)
{
	bool whole = false;

	return run(m, text, len, 0, &whole);
}
