/* SPDX-License-Identifier: Apache-2.0 */
/* argform.c - what an argument may be, in words: the hint of every refusal.
 *
 * The roots of a path are not in it: they are the host's, and a caller that
 * should know them is told in the argument's description.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "policy/argspot.h"

struct line {
	char *text;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *l, const char *fmt, ...)
{
	size_t len = strlen(l->text);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(l->text + len, l->room - len, fmt, args);
	va_end(args);
}

static void say_value(struct line *l, const json_t *value)
{
	own_str text = NULL;

	if (json_is_string(value)) {
		say(l, "%s", json_string_value(value));
		return;
	}
	text = jsonread_text(value);
	say(l, "%s", text ? text : "?");
}

static void say_allowed(struct line *l, const json_t *allowed)
{
	size_t n = json_array_size(allowed);

	say(l, n == 1 ? "only " : "one of ");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			say(l, ", ");
		if (strlen(l->text) + 40 > l->room) {
			say(l, "...");
			return;
		}
		say_value(l, json_array_get(allowed, i));
	}
}

static void say_bounds(struct line *l, const struct arg_rule *r)
{
	if (r->has_min && r->has_max) {
		say(l, " from ");
		say_value(l, r->min);
		say(l, " to ");
		say_value(l, r->max);
	} else if (r->has_min) {
		say(l, ", at least ");
		say_value(l, r->min);
	} else if (r->has_max) {
		say(l, ", at most ");
		say_value(l, r->max);
	}
}

static void say_lengths(struct line *l, const struct arg_rule *r, uint64_t most, const char *unit)
{
	most = r->max_len ? r->max_len : most;
	if (r->min_len)
		say(l, " of %" PRIu64 " to %" PRIu64 " %s", r->min_len, most, unit);
	else
		say(l, " of at most %" PRIu64 " %s", most, unit);
}

static void say_string(struct line *l, const struct arg_rule *r)
{
	say(l, "a string");
	say_lengths(l, r, ARG_STRING_MAX, "characters");
	if (r->multiline)
		say(l, ", several lines are fine");
	if (r->pattern)
		say(l, "; the whole of it matches %.100s", r->pattern);
}

static void say_words(struct line *l, const struct words *w, const char *standard)
{
	if (w->n == 0)
		say(l, "%s", standard);
	for (size_t i = 0; i < w->n && strlen(l->text) + 40 < l->room; i++)
		say(l, "%s%s", i > 0 ? ", " : "", w->word[i]);
}

static void say_url(struct line *l, const struct arg_rule *r)
{
	say(l, "a URL with scheme ");
	say_words(l, &r->schemes, "https");
	say(l, "; host ");
	say_words(l, &r->hosts, "none");
	say(l, "; port ");
	say_words(l, &r->ports, "the scheme's own");
}

static void say_path(struct line *l, const struct arg_rule *r)
{
	say(l, "an absolute path, without '..' and symbolic links, beneath a directory of this "
	       "argument");
	for (size_t i = 0; i < r->globs.n && strlen(l->text) + 40 < l->room; i++)
		say(l, "%s%s", i > 0 ? ", " : "; a file that matches ", r->globs.word[i]);
}

static void say_object(struct line *l, const struct arg_rule *r)
{
	say(l, "an object of");
	for (size_t i = 0; i < r->fields.n && strlen(l->text) + 40 < l->room; i++)
		say(l, "%s %s", i > 0 ? "," : "", r->fields.rule[i].name);
}

void argument_form(const struct arg_rule *r, char *ret, size_t room)
{
	struct line l = {ret, room};

	ret[0] = '\0';
	if (r->allowed) {
		say_allowed(&l, r->allowed);
		return;
	}
	switch (r->type) {
	case ARG_INTEGER:
	case ARG_NUMBER:
		say(&l, r->type == ARG_INTEGER ? "an integer" : "a number");
		say_bounds(&l, r);
		break;
	case ARG_BOOLEAN:
		say(&l, "true or false");
		break;
	case ARG_STRING:
		say_string(&l, r);
		break;
	case ARG_PATH:
		say_path(&l, r);
		break;
	case ARG_URL:
		say_url(&l, r);
		break;
	case ARG_LIST:
		say(&l, "a list");
		say_lengths(&l, r, ARG_LIST_MAX, "items");
		break;
	case ARG_OBJECT:
		say_object(&l, r);
		break;
	case ARG_NONE:
	case ARG_ENUM:
	case ARG_COUNT:
		say(&l, "nothing");
	}
	if (r->description)
		say(&l, " (%.120s)", r->description);
}
