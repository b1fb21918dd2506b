/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_judge.c - is a value valid?  The walk, its bounds, and how a refusal is told.
 *
 * Whatever ends the judging early (steps, depth, memory, a pattern that takes
 * too long) sets stopped, and then the answer is no, even beneath a "not":
 * jsonschema_judge() looks at it last.
 */
#include "policy/jsonschema_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/match.h"
#include "base/own.h"

enum {
	JUDGE_DEPTH_MAX = 512,        /* subschemas within subschemas */
	PATTERNS_US_MAX = 250 * 1000, /* for all patterns together */
	PATTERN_STEPS = 4,            /* what trying one costs at least */
};

bool judge_stop(struct judging *j, const char *why)
{
	if (!j->stopped)
		j->stopped = why;
	return false;
}

bool judge_spend(struct judging *j, uint64_t steps)
{
	if (j->stopped || steps > j->steps)
		return judge_stop(j, "steps");
	j->steps -= steps;
	return true;
}

bool judge_matches(struct judging *j, const struct match *m, const char *text, size_t len)
{
	enum match_result result;
	uint64_t now;

	if (!judge_spend(j, PATTERN_STEPS + len / 16))
		return false;
	now = clock_us();
	if (j->until_us == 0)
		j->until_us = now + PATTERNS_US_MAX;
	if (now > j->until_us)
		return judge_stop(j, "time");
	result = match_part(m, text, len);
	if (result == MATCH_GAVE_UP)
		return judge_stop(j, "pattern");
	return result == MATCH_YES;
}

void judge_place(const struct spot *at, char *ret_text, size_t room)
{
	size_t len;

	if (!at->up) {
		(void)snprintf(ret_text, room, "args");
		return;
	}
	judge_place(at->up, ret_text, room);
	len = strlen(ret_text);
	if (at->key)
		(void)snprintf(ret_text + len, room - len, "/%s", at->key);
	else
		(void)snprintf(ret_text + len, room - len, "/%zu", at->index);
}

bool judge_refuse(struct judging *j, const struct rule *r, const struct spot *at, const char *fmt,
		  ...)
{
	char place[192], rule[256], text[512];
	va_list args;

	if (j->quiet || j->stopped)
		return false;
	(void)snprintf(rule, sizeof(rule), "%s#%s/%s", j->prefix, r->owner->where,
		       r->keyword->name);
	judge_place(at, place, sizeof(place));
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	(void)why_deny(j->why, WHY_POLICY, rule, "%s %s", place, text);
	return false;
}

void judge_hint(struct judging *j, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (j->quiet || j->stopped)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	why_hint(j->why, "%s", text);
}

static size_t words_of(const struct seen *seen)
{
	return (seen->n + 63) / 64;
}

static bool seen_init(struct judging *j, struct seen *seen, const json_t *value)
{
	*seen = (struct seen){.n = json_object_size(value) + json_array_size(value)};
	if (seen->n <= 64)
		return true;
	if (!judge_spend(j, words_of(seen)))
		return false;
	seen->many = calloc(words_of(seen), sizeof(uint64_t));
	return seen->many ? true : judge_stop(j, "memory");
}

void seen_end(struct seen *seen)
{
	free(seen->many);
}

void seen_mark(struct seen *seen, size_t i)
{
	if (!seen || i >= seen->n)
		return;
	*(seen->many ? &seen->many[i / 64] : &seen->few) |= 1ULL << i % 64;
}

bool seen_has(const struct seen *seen, size_t i)
{
	return (seen->many ? seen->many[i / 64] : seen->few) >> i % 64 & 1;
}

static void seen_merge(struct seen *to, const struct seen *from)
{
	to->few |= from->few;
	for (size_t i = 0; to->many && from->many && i < words_of(to); i++)
		to->many[i] |= from->many[i];
}

static unsigned kind_of(const json_t *value)
{
	static const unsigned kinds[] = {
		[JSON_OBJECT] = OF_OBJECT,  [JSON_ARRAY] = OF_LIST,  [JSON_STRING] = OF_STRING,
		[JSON_INTEGER] = OF_NUMBER, [JSON_REAL] = OF_NUMBER, [JSON_TRUE] = OF_BOOLEAN,
		[JSON_FALSE] = OF_BOOLEAN,  [JSON_NULL] = OF_NULL,
	};

	return kinds[json_typeof(value)];
}

static bool judge_rules(struct judging *j, const struct subschema *s, const struct spot *at,
			struct seen *seen)
{
	unsigned kind = kind_of(at->value);

	for (const struct rule *r = s->rules; r; r = r->next) {
		if (!(r->keyword->of & kind))
			continue;
		if (!judge_spend(j, 1) || !r->keyword->judge(j, r, at, seen) || j->stopped)
			return false;
	}
	return true;
}

/* What was looked at counts for those outside only if the whole subschema was content; and an
 * unevaluated... inside must not know what those outside have looked at. */
static bool judge_tracked(struct judging *j, const struct subschema *s, const struct spot *at,
			  struct seen *outside)
{
	own(seen) seen = {0};

	if (!seen_init(j, &seen, at->value) || !judge_rules(j, s, at, &seen))
		return false;
	if (outside)
		seen_merge(outside, &seen);
	return true;
}

static bool refuse_all(struct judging *j, const struct subschema *s, const struct spot *at)
{
	char place[192], rule[256];

	if (j->quiet || j->stopped)
		return false;
	judge_place(at, place, sizeof(place));
	(void)snprintf(rule, sizeof(rule), "%s#%s", j->prefix, s->where);
	(void)why_deny(j->why, WHY_POLICY, rule, "%s is not allowed", place);
	return false;
}

bool judge_subschema(struct judging *j, const struct subschema *s, const struct spot *at,
		     struct seen *seen)
{
	const struct scope *outer = j->scope;
	struct scope scope = {s->resource, outer};
	bool ok;

	if (!judge_spend(j, 1))
		return false;
	if (s->never)
		return refuse_all(j, s, at);
	if (!s->rules)
		return true;
	if (j->depth >= JUDGE_DEPTH_MAX)
		return judge_stop(j, "depth");
	j->depth++;
	if (!outer || outer->resource != s->resource)
		j->scope = &scope;
	ok = seen || s->unevaluated ? judge_tracked(j, s, at, seen) : judge_rules(j, s, at, NULL);
	j->scope = outer;
	j->depth--;
	return ok;
}
