/* SPDX-License-Identifier: Apache-2.0 */
/* complaints.c - what is wrong with a policy file: collected, not printed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "policy/policy.h"

/* The policy that a place names may be gone before somebody reads about it. */
static const char *keep_name(struct complaints *c, const char *file)
{
	size_t len = strlen(file) + 1;
	char *kept;

	for (size_t at = 0; at < c->names_len; at += strlen(c->names + at) + 1)
		if (strcmp(c->names + at, file) == 0)
			return c->names + at;
	if (len > sizeof(c->names) - c->names_len)
		return "a file";
	kept = c->names + c->names_len;
	memcpy(kept, file, len);
	c->names_len += len;
	return kept;
}

void complain(struct complaints *c, struct place place, const char *path, const char *fmt, ...)
{
	struct complaint *one;
	char text[sizeof(one->text)];
	va_list args;

	if (c->n >= COMPLAINTS_MAX) {
		c->cut = true;
		return;
	}
	one = &c->list[c->n++];
	one->place = place;
	if (place.file)
		one->place.file = keep_name(c, place.file);
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* Names and values of the file are in both; they may be anything. */
	text_one_line(text, one->text, sizeof(one->text));
	text_one_line(path, one->path, sizeof(one->path));
}

static size_t file_rank(const struct complaints *c, size_t n, const char *file)
{
	size_t i = 0;

	while (i < n && c->list[i].place.file != file)
		i++;
	return i;
}

static bool comes_before(const struct complaints *c, size_t n, const struct complaint *one,
			 const struct complaint *other)
{
	size_t a = file_rank(c, n, one->place.file), b = file_rank(c, n, other->place.file);

	if (a != b)
		return a < b;
	if (one->place.line != other->place.line)
		return one->place.line < other->place.line;
	return one->place.column < other->place.column;
}

void complaints_sort(struct complaints *c)
{
	struct complaint one;

	/* Insertion: there are few, and those of equal place keep their order. */
	for (size_t i = 1; i < c->n; i++) {
		size_t to = i;

		while (to > 0 && comes_before(c, i, &c->list[i], &c->list[to - 1]))
			to--;
		if (to == i)
			continue;
		one = c->list[i];
		memmove(&c->list[to + 1], &c->list[to], (i - to) * sizeof(one));
		c->list[to] = one;
	}
}
