/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c - reads Accept and Content-Type, no more of them than we need. */
#include "serve/api/accept.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"

static const struct {
	const char *range;
	enum form form;
} ranges[] = {
	{"text/event-stream", FORM_SSE},
	{"application/x-ndjson", FORM_NDJSON},
	{"application/ndjson", FORM_NDJSON},
	{"application/json", FORM_JSON},
	{"application/problem+json", FORM_JSON},
	{"application/*", FORM_JSON},
	{"*/*", FORM_JSON},
};

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t");
}

/* Without the spaces at its end. */
static size_t trimmed(const char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	return len;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

/* "0.25" as thousandths; what cannot be read is 0: not wanted. */
static int weight(const char *text, size_t len)
{
	int value = 0, digit = 100;

	if (len == 0 || len > 5 || (text[0] != '0' && text[0] != '1') ||
	    (len > 1 && text[1] != '.'))
		return 0;
	if (text[0] == '1')
		return 1000;
	for (size_t i = 2; i < len; i++, digit /= 10) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		value += (text[i] - '0') * digit;
	}
	return value;
}

/* The q among the parameters behind the first semicolon of an element. */
static int element_weight(const char *text, size_t len)
{
	const char *end = text + len, *at = memchr(text, ';', len);

	while (at) {
		const char *next, *name = skip_space(at + 1);

		if (name >= end)
			break;
		next = memchr(name, ';', (size_t)(end - name));
		if (end - name > 2 && (name[0] == 'q' || name[0] == 'Q') && name[1] == '=')
			return weight(name + 2,
				      trimmed(name + 2, (size_t)((next ? next : end) - name - 2)));
		at = next;
	}
	return 1000;
}

static enum form element_form(const char *text, size_t len)
{
	const char *semicolon = memchr(text, ';', len);
	size_t name = trimmed(text, semicolon ? (size_t)(semicolon - text) : len);

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (is_word(text, name, ranges[i].range))
			return ranges[i].form;
	return FORM_NONE;
}

enum form accept_form(const char *accept)
{
	enum form best = FORM_NONE;
	int best_weight = 0;

	if (!accept || !*skip_space(accept))
		return FORM_JSON;
	while (*accept) {
		const char *at = skip_space(accept);
		size_t len = strcspn(at, ",");
		enum form form = element_form(at, len);
		int w = form == FORM_NONE ? 0 : element_weight(at, len);

		if (w > best_weight) {
			best = form;
			best_weight = w;
		}
		accept = at + len + (at[len] == ',');
	}
	return best;
}

bool accept_is_json(const char *type)
{
	const char *semicolon, *at;
	size_t len;

	if (!type)
		return false;
	type = skip_space(type);
	semicolon = strchr(type, ';');
	len = trimmed(type, semicolon ? (size_t)(semicolon - type) : strlen(type));
	if (!is_word(type, len, "application/json"))
		return false;
	if (!semicolon)
		return true;
	at = skip_space(semicolon + 1);
	len = trimmed(at, strlen(at));
	return len == 0 || is_word(at, len, "charset=utf-8") ||
	       is_word(at, len, "charset=\"utf-8\"");
}
