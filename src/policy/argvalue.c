/* SPDX-License-Identifier: Apache-2.0 */
/* argvalue.c - one plain value against its rule: numbers, booleans, strings, URLs.
 *
 * Types are JSON's own and never converted: true is not 1, 1.0 is no integer,
 * "1" is no number.  What a rule does not say is not allowed by it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/match.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/argspot.h"
#include "policy/url.h"

static enum answer deny_type(struct judging *j, const struct spot *s, const json_t *value,
			     const char *wanted)
{
	return spot_deny(j, s, WHY_POLICY, "type", "is %s, not %s%s", jsonread_kind(value), wanted,
			 json_is_null(value) ? "; leave it out instead" : "");
}

/* The new value, or our own failure. */
static enum answer give(struct judging *j, json_t *made, json_t **ret)
{
	if (!made)
		return spot_give_up(j);
	*ret = made;
	return ANSWER_ALLOW;
}

int value_compare(const json_t *a, const json_t *b)
{
	/* 64 bits of mantissa or more: every integer fits.  Two integers need none of it. */
	long double x = json_is_integer(a) ? (long double)json_integer_value(a)
					   : (long double)json_real_value(a);
	long double y = json_is_integer(b) ? (long double)json_integer_value(b)
					   : (long double)json_real_value(b);

	if (json_is_integer(a) && json_is_integer(b)) {
		json_int_t i = json_integer_value(a), k = json_integer_value(b);

		return (i > k) - (i < k);
	}
	return (x > y) - (x < y);
}

static enum answer check_bounds(struct judging *j, const struct spot *s, const json_t *value)
{
	own_str text = NULL;

	if (s->rule->has_min && value_compare(value, s->rule->min) < 0) {
		text = jsonread_text(value);
		return spot_deny(j, s, WHY_POLICY, "min", "is %s, which is too small",
				 text ? text : "a number");
	}
	if (s->rule->has_max && value_compare(value, s->rule->max) > 0) {
		text = jsonread_text(value);
		return spot_deny(j, s, WHY_POLICY, "max", "is %s, which is too large",
				 text ? text : "a number");
	}
	return ANSWER_ALLOW;
}

enum answer value_judge_integer(struct judging *j, const struct spot *s, const json_t *value,
				json_t **ret)
{
	if (!json_is_integer(value))
		return deny_type(j, s, value, "an integer");
	if (check_bounds(j, s, value) == ANSWER_DENY)
		return ANSWER_DENY;
	return give(j, json_integer(json_integer_value(value)), ret);
}

enum answer value_judge_number(struct judging *j, const struct spot *s, const json_t *value,
			       json_t **ret)
{
	if (!json_is_number(value) || !isfinite(json_number_value(value)))
		return deny_type(j, s, value, "a number");
	if (check_bounds(j, s, value) == ANSWER_DENY)
		return ANSWER_DENY;
	return give(j,
		    json_is_integer(value) ? json_integer(json_integer_value(value))
					   : json_real(json_real_value(value)),
		    ret);
}

enum answer value_judge_boolean(struct judging *j, const struct spot *s, const json_t *value,
				json_t **ret)
{
	if (!json_is_boolean(value))
		return deny_type(j, s, value, "true or false");
	return give(j, json_boolean(json_is_true(value)), ret);
}

/* A character of a text that is UTF-8. */
static uint32_t decode(const unsigned char *p, size_t len)
{
	static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = p[0] & first_bits[len];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

struct range {
	uint32_t first, last;
	const char *name;
};

/* Not in any string: they move a terminal's cursor. */
static const struct range controls[] = {
	{0x00, 0x08, "a control character"},
	{0x0b, 0x1f, "a control character"},
	{0x7f, 0x9f, "a control character"},
};

/* Not in one line: they end it, or make it look like another one to whoever reads or approves it.
 * Joiners (U+200C, U+200D) and direction marks (U+200E, U+200F) are part of ordinary words. */
static const struct range one_line_only[] = {
	{0x09, 0x09, "a tab"},
	{0x0a, 0x0a, "a newline"},
	{0x200b, 0x200b, "an invisible character"},
	{0x2028, 0x2029, "a line separator"},
	{0x202a, 0x202e, "a character that turns the direction of text"},
	{0x2060, 0x2064, "an invisible character"},
	{0x2066, 0x2069, "a character that turns the direction of text"},
	{0xfeff, 0xfeff, "an invisible character"},
	{0xfff9, 0xfffb, "an invisible character"},
	{0xe0000, 0xe007f, "an invisible character"},
};

static const char *name_in(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].name;
	return NULL;
}

/* What is wrong with this character? */
static const char *judge_character(uint32_t c, bool multiline)
{
	const char *name;

	if (c >= 0x20 && c < 0x7f)
		return NULL;
	name = name_in(c, controls, ARRAY_LEN(controls));
	if (!name && !multiline)
		name = name_in(c, one_line_only, ARRAY_LEN(one_line_only));
	return name;
}

static enum answer check_characters(struct judging *j, const struct spot *s, const char *text,
				    size_t len, uint64_t *ret_count)
{
	uint64_t count = 0;

	for (size_t at = 0, step; at < len; at += step, count++) {
		const char *name;

		step = text_utf8_char(text + at, len - at);
		if (!step)
			return spot_deny(j, s, WHY_POLICY, "type", "is not UTF-8");
		name = judge_character(decode((const unsigned char *)text + at, step),
				       s->rule->multiline);
		if (name)
			return spot_deny(j, s, WHY_POLICY, "multiline",
					 "has %s at character %" PRIu64, name, count + 1);
	}
	*ret_count = count;
	return ANSWER_ALLOW;
}

enum answer value_check_text(struct judging *j, const struct spot *s, const json_t *value)
{
	uint64_t most = s->rule->max_len ? s->rule->max_len : ARG_STRING_MAX, count = 0;
	size_t len;

	if (!json_is_string(value))
		return deny_type(j, s, value, "a string");
	/* No character has more than four bytes: what is far too long is not even counted. */
	len = json_string_length(value);
	if (len / 4 > most)
		return spot_deny(j, s, WHY_POLICY, "max_len",
				 "has more than %" PRIu64 " characters", most);
	if (check_characters(j, s, json_string_value(value), len, &count) == ANSWER_DENY)
		return ANSWER_DENY;
	if (count > most)
		return spot_deny(j, s, WHY_POLICY, "max_len",
				 "has %" PRIu64 " characters, which is too long", count);
	if (count < s->rule->min_len)
		return spot_deny(j, s, WHY_POLICY, "min_len",
				 "has %" PRIu64 " characters, which is too short", count);
	return ANSWER_ALLOW;
}

enum answer value_check_pattern(struct judging *j, const struct spot *s, const char *text,
				size_t len)
{
	if (!s->rule->pattern)
		return ANSWER_ALLOW;
	/* A pattern that was never compiled is a mistake of ours, and matches nothing. */
	switch (s->rule->match ? match_full(s->rule->match, text, len) : MATCH_NO) {
	case MATCH_YES:
		return ANSWER_ALLOW;
	case MATCH_GAVE_UP:
		return spot_deny(j, s, WHY_POLICY, "pattern",
				 "takes too long to compare with its pattern");
	case MATCH_NO:
		break;
	}
	return spot_deny(j, s, WHY_POLICY, "pattern", "does not match its pattern");
}

enum answer value_judge_string(struct judging *j, const struct spot *s, const json_t *value,
			       json_t **ret)
{
	if (value_check_text(j, s, value) == ANSWER_DENY ||
	    value_check_pattern(j, s, json_string_value(value), json_string_length(value)) ==
		    ANSWER_DENY)
		return ANSWER_DENY;
	return give(j, json_stringn(json_string_value(value), json_string_length(value)), ret);
}

/* That it is in the list is asked for every type (arguments.c); here only that it is a string. */
enum answer value_judge_enum(struct judging *j, const struct spot *s, const json_t *value,
			     json_t **ret)
{
	if (!s->rule->allowed)
		return spot_deny(j, s, WHY_POLICY, "enum", "has no allowed values");
	return value_judge_string(j, s, value, ret);
}

static bool is_listed(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->word[i], word) == 0)
			return true;
	return false;
}

static enum answer check_scheme(struct judging *j, const struct spot *s, const struct url *u)
{
	const struct words *schemes = &s->rule->schemes;

	if (schemes->n ? is_listed(schemes, u->scheme) : strcmp(u->scheme, "https") == 0)
		return ANSWER_ALLOW;
	return spot_deny(j, s, WHY_POLICY, "schemes", "has the scheme '%s'", u->scheme);
}

static enum answer check_host(struct judging *j, const struct spot *s, const struct url *u)
{
	for (size_t i = 0; i < s->rule->hosts.n; i++)
		if (url_host_matches(u->host, s->rule->hosts.word[i]))
			return ANSWER_ALLOW;
	return spot_deny(j, s, WHY_POLICY, "hosts", "has the host '%.160s'", u->host);
}

static enum answer check_port(struct judging *j, const struct spot *s, const struct url *u)
{
	char port[8];
	bool fine;

	(void)snprintf(port, sizeof(port), "%u", (unsigned)u->port);
	fine = s->rule->ports.n ? is_listed(&s->rule->ports, port)
				: u->port == url_scheme_port(u->scheme);
	return fine ? ANSWER_ALLOW : spot_deny(j, s, WHY_POLICY, "ports", "has the port %s", port);
}

enum answer value_judge_url(struct judging *j, const struct spot *s, const json_t *value,
			    json_t **ret)
{
	char text[URL_TEXT_MAX];
	struct error err = {0};
	struct url u;

	if (value_check_text(j, s, value) == ANSWER_DENY)
		return ANSWER_DENY;
	if (url_parse(json_string_value(value), json_string_length(value), &u, &err) < 0 ||
	    url_text(&u, text, sizeof(text), &err) < 0)
		return spot_deny(j, s, WHY_POLICY, "type", "is not a URL that is taken here: %s",
				 err.text);
	if (check_scheme(j, s, &u) == ANSWER_DENY || check_host(j, s, &u) == ANSWER_DENY ||
	    check_port(j, s, &u) == ANSWER_DENY ||
	    value_check_pattern(j, s, text, strlen(text)) == ANSWER_DENY)
		return ANSWER_DENY;
	return give(j, json_string(text), ret);
}
