/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_sample.h - texts that a pattern matches, drawn by a seeded generator.
 *
 * Knows what the patterns of redaction rules are made of: literals, classes, groups, alternatives,
 * "?", "{n}", "{n,m}", "{n,}", \b and (?i).  It shares no code with what looks for secrets.
 */
#ifndef TESTS_PATTERN_SAMPLE_H
#define TESTS_PATTERN_SAMPLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_ROOM = 8192 };

struct sample {
	uint64_t seed;
	char text[SAMPLE_ROOM];
	size_t len;
	size_t begin, end; /* of the first group, else of all */
	bool grouped, fold;
	int groups; /* seen so far */
};

static inline uint64_t sample_random(struct sample *s)
{
	/* splitmix64 */
	uint64_t z = s->seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline size_t sample_below(struct sample *s, size_t n)
{
	return n ? (size_t)(sample_random(s) % n) : 0;
}

static inline void sample_put(struct sample *s, char c)
{
	if (s->len + 1 < SAMPLE_ROOM)
		s->text[s->len++] = c;
	s->text[s->len] = '\0';
}

/* Behind the part that begins at p: one character, class or group. */
static inline const char *sample_skip(const char *p)
{
	int depth = 0;

	do {
		if (*p == '\\') {
			p += 2;
		} else if (*p == '[') {
			for (p += p[1] == '^' ? 2 : 1; *p != ']'; p++)
				p += *p == '\\';
			p++;
		} else {
			depth += (*p == '(') - (*p == ')');
			p++;
		}
	} while (depth > 0 && *p);
	return p;
}

static inline char sample_escape(char c)
{
	return c == 't' ? '\t' : c == 'n' ? '\n' : c;
}

static inline void sample_class(struct sample *s, const char *p)
{
	bool in[128] = {false}, not = p[1] == '^';
	char all[128];
	size_t n = 0;

	for (p += not ? 2 : 1; *p != ']'; p++) {
		char from, to;

		if (*p == '\\')
			p++;
		from = p[-1] == '\\' ? sample_escape(*p) : *p;
		to = from;
		if (p[1] == '-' && p[2] != ']') {
			to = p[2];
			p += 2;
		}
		for (int c = from; c <= to; c++)
			in[c] = true;
	}
	for (int c = ' '; c < 127; c++)
		if (in[c] != not &&(c != ' ' || !not ))
			all[n++] = (char)c;
	assert(n > 0);
	sample_put(s, all[sample_below(s, n)]);
}

static inline void sample_part(struct sample *s, const char *p, const char *end);

/* One of the alternatives in [p, end). */
static inline void sample_choice(struct sample *s, const char *p, const char *end)
{
	const char *starts[32] = {p};
	size_t n = 1, pick;

	for (const char *at = p; at < end; at = sample_skip(at))
		if (*at == '|' && n < 32)
			starts[n++] = at + 1;
	pick = sample_below(s, n);
	sample_part(s, starts[pick], pick + 1 < n ? starts[pick + 1] - 1 : end);
}

static inline void sample_group(struct sample *s, const char *p, const char *end)
{
	bool first = p[1] != '?' && !s->grouped;

	if (first) {
		s->begin = s->len;
		s->grouped = true;
	}
	sample_choice(s, p + (p[1] == '?' ? 3 : 1), end - 1);
	if (first)
		s->end = s->len;
}

static inline void sample_atom(struct sample *s, const char *p, const char *end)
{
	if (*p == '(')
		sample_group(s, p, end);
	else if (*p == '[')
		sample_class(s, p);
	else if (*p == '\\' && (p[1] == 'b' || p[1] == 'B'))
		return;
	else
		sample_put(s, *p == '\\' ? sample_escape(p[1]) : *p);
}

static inline size_t sample_times(struct sample *s, const char **p)
{
	size_t low, high;
	char *end;

	if (**p == '?') {
		++*p;
		return sample_below(s, 2);
	}
	if (**p != '{')
		return 1;
	low = high = strtoul(*p + 1, &end, 10);
	if (*end == ',')
		high = end[1] == '}' ? low + 12 : strtoul(end + 1, &end, 10);
	*p = strchr(end, '}') + 1;
	if (high > low + 40)
		high = low + 40;
	return low + sample_below(s, high - low + 1);
}

static inline void sample_part(struct sample *s, const char *p, const char *end)
{
	while (p < end) {
		const char *atom = p, *behind = sample_skip(p);
		size_t times;

		p = behind;
		times = sample_times(s, &p);
		for (size_t i = 0; i < times; i++)
			sample_atom(s, atom, behind);
	}
}

/* seed stays in s, so that the next one differs. */
static inline void sample_draw(struct sample *s, const char *pattern)
{
	s->len = s->begin = 0;
	s->grouped = false;
	s->text[0] = '\0';
	if (strncmp(pattern, "(?i)", 4) == 0)
		pattern += 4;
	sample_choice(s, pattern, pattern + strlen(pattern));
	if (!s->grouped)
		s->end = s->len;
}

#endif
