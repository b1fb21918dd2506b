/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_alone.h - what a rule's pattern finds in a text, by PCRE2 and the rule's check alone. */
#ifndef TESTS_PATTERN_ALONE_H
#define TESTS_PATTERN_ALONE_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <assert.h>
#include <pcre2.h>
#include <stdbool.h>
#include <string.h>

#include "redact/redact_rule.h"

struct alone {
	const struct redact_rule *rule;
	pcre2_code *code;
	pcre2_match_data *data;
};

static inline struct alone alone_new(const struct redact_rule *rule)
{
	PCRE2_SIZE at;
	int why;
	struct alone a = {.rule = rule};

	a.code = pcre2_compile((PCRE2_SPTR)rule->pattern, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF,
			       &why, &at, NULL);
	assert(a.code);
	(void)pcre2_jit_compile(a.code, PCRE2_JIT_COMPLETE);
	a.data = pcre2_match_data_create_from_pattern(a.code, NULL);
	return a;
}

static inline void alone_free(struct alone *a)
{
	pcre2_match_data_free(a->data);
	pcre2_code_free(a->code);
}

/* The first group that took part, else all. */
static inline struct found alone_found(const struct alone *a, const char *text, size_t len)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(a->data);
	uint32_t group = 0;

	for (uint32_t i = 1; i < pcre2_get_ovector_count(a->data) && group == 0; i++)
		group = ends[2 * (size_t)i] != PCRE2_UNSET ? i : 0;
	return (struct found){
		text, ends[0], ends[1], ends[2 * (size_t)group], ends[2 * (size_t)group + 1], len};
}

/* Marks the bytes that are found in one line, as cut.c goes on from one to the next: what has
 * beginnings may begin in the last bytes of another. */
static inline void alone_in_line(const struct alone *a, const char *line, size_t len, bool *ret)
{
	size_t at = 0, back = a->rule->begins ? 12 : 0;

	while (at <= len && pcre2_match(a->code, (PCRE2_SPTR)line, len, at, 0, a->data, NULL) > 0) {
		struct found f = alone_found(a, line, len);
		size_t from = f.from;

		at = from + 1;
		if (a->rule->check && !a->rule->check(&f))
			continue;
		memset(ret + f.begin, true, f.end - f.begin);
		at = f.end > from + back ? f.end - back : at;
	}
}

/* The same for a text of lines; ret has a place for each byte. */
static inline void alone_find(const struct alone *a, const char *text, size_t len, bool *ret)
{
	memset(ret, false, len);
	for (size_t at = 0; at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t end = newline ? (size_t)(newline - text) : len;

		alone_in_line(a, text + at, end - at, ret + at);
		at = end + 1;
	}
}

#endif
