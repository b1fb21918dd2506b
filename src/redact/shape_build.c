/* SPDX-License-Identifier: Apache-2.0 */
/* shape_build.c - part of the build: reads shapes from patterns. */
#include "redact/shape_build.h"

#include <ctype.h>
#include <string.h>

#include "redact/flatforms.h"

static char unescaped(char c)
{
	return c == 't' ? '\t' : c;
}

static void put(bool in[static 256], unsigned char first, unsigned char last, bool caseless)
{
	for (unsigned c = first; c <= last; c++) {
		in[c] = true;
		if (caseless && isalpha((int)c))
			in[c ^ 0x20] = true;
	}
}

/* The number of a set that has these and no others. */
static int number_of(const bool in[static 256], struct shape_sets *sets)
{
	for (size_t i = 0; i < sets->n; i++) {
		unsigned c = 0;

		while (c < 256 && in[c] == (sets->of[c] >> i & 1))
			c++;
		if (c == 256)
			return (int)i;
	}
	if (sets->n == SHAPE_SETS)
		return -1;
	for (unsigned c = 0; c < 256; c++)
		sets->of[c] |= (uint64_t)in[c] << sets->n;
	return (int)sets->n++;
}

int shape_set(const char *class, bool caseless, struct shape_sets *sets)
{
	bool in[256] = {false};
	const char *p = class + 1;

	if (*class != '[' || *p == '^')
		return -1;
	for (; *p && *p != ']'; p++) {
		char first, last;

		p += *p == '\\';
		first = last = p[-1] == '\\' ? unescaped(*p) : *p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			last = p[2];
			p += 2;
		}
		put(in, (unsigned char)first, (unsigned char)last, caseless);
	}
	/* Texts are searched line by line. */
	return *p && !in['\n'] ? number_of(in, sets) : -1;
}

static bool read_part(const char *form, struct shape_sets *sets, bool caseless,
		      struct shape_part *ret)
{
	int set;

	*ret = (struct shape_part){.kind = SHAPE_CHAR, .count = 1};
	if (strncmp(form, "\\b", 2) == 0) {
		*ret = (struct shape_part){.kind = SHAPE_BORDER};
		return true;
	}
	if (*form == '[') {
		set = shape_set(form, caseless, sets);
		ret->kind = SHAPE_SET;
		ret->what = (uint8_t)set;
		return set >= 0;
	}
	ret->what = (uint8_t)(*form == '\\' ? unescaped(form[1]) : *form);
	if (caseless)
		ret->what = (uint8_t)tolower(ret->what);
	return true;
}

bool shape_read(const char *form, bool caseless, struct shape_sets *sets, struct shape *ret)
{
	*ret = (struct shape){.caseless = caseless};
	while (*form) {
		struct shape_part *p = &ret->parts[ret->n];

		if (ret->n == SHAPE_PARTS || !read_part(form, sets, caseless, p))
			return false;
		p->at = ret->len;
		form = flatforms_skip(form);
		if (*form == '{') {
			const char *digits = form + 1;
			unsigned count = flatforms_number(&digits);

			form = strchr(form, '}') + 1;
			if (p->kind == SHAPE_BORDER || count > 4096)
				return false;
			p->count = (uint16_t)count;
			if (count == 0 && *form)
				return false;
		}
		ret->len = (uint16_t)(ret->len + p->count);
		ret->n = (uint16_t)(ret->n + (p->count > 0 || p->kind == SHAPE_BORDER));
	}
	return true;
}

/* Characters, then sets of one byte, then borders, then the rest. */
static int rank_of(const struct shape_part *p)
{
	if (p->kind == SHAPE_CHAR)
		return 0;
	if (p->kind == SHAPE_BORDER)
		return 2;
	return p->count == 1 ? 1 : 3;
}

void shape_order(struct shape *s, size_t from, size_t behind)
{
	struct shape_part parts[SHAPE_PARTS];
	uint16_t n = 0;

	for (int rank = 0; rank <= 3; rank++) {
		for (const struct shape_part *p = s->parts; p < s->parts + s->n; p++) {
			bool known = p->kind == SHAPE_CHAR && p->at >= from &&
				     (size_t)p->at + p->count <= behind;

			if (rank_of(p) == rank && !known)
				parts[n++] = *p;
		}
	}
	memcpy(s->parts, parts, n * sizeof(*parts));
	s->n = n;
}
