/* SPDX-License-Identifier: Apache-2.0 */
/* redact_again_test.c - text that says nearly the same again and again.
 *
 * What was told of a piece of text is remembered, so that the same need not be looked at twice.
 * Here lines have the same names, beginnings and values, and differ where that may be forgotten:
 * late in a value, in what is before a name, in how much room there is.  No line says anything of
 * another: together they must become what each of them becomes alone.
 */
#include "base/own.h"
#include "pattern_sample.h"
#include "redact/redact_rule.h"
#include "redacting.h"
#include "tap.h"

enum { TEXTS = 5, LINES = 40, LINE_MAX = 700, TEXT_MAX = (LINES + 1) * LINE_MAX };

struct text {
	struct sample draw;
	char data[TEXT_MAX];
	size_t len;
};

static void put(struct text *t, const char *data, size_t len)
{
	memcpy(t->data + t->len, data, len);
	t->len += len;
}

/* Its value from some place on: one character, others, or less of it. */
static void put_changed(struct text *t, struct sample *choice)
{
	size_t len = t->draw.len < LINE_MAX / 2 ? t->draw.len : LINE_MAX / 2;
	size_t at = sample_below(choice, len), how = sample_below(choice, 4);
	char *line = t->data + t->len;

	put(t, t->draw.text, len);
	for (size_t i = at; i < len && how < 2; i++)
		line[i] = how ? 'a' : "aA1bB2cC3=-_"[sample_below(choice, 12)];
	if (how == 2)
		t->len -= len - at;
}

/* What it begins with, as often as there is room for it or not. */
static void put_begins(struct text *t, struct sample *choice)
{
	static const char *const glues[] = {"", "=", "-", "_", "/", ":"};
	const char *glue = glues[sample_below(choice, ARRAY_LEN(glues))];
	size_t len = t->draw.begin ? t->draw.begin : 3 + sample_below(choice, 8);
	size_t begin = t->len, most = 20 + sample_below(choice, LINE_MAX / 2 - 20);

	len = len < t->draw.len ? len : t->draw.len;
	while (t->len + len + 1 < begin + most) {
		put(t, t->draw.text, len);
		put(t, glue, strlen(glue));
	}
}

static void put_line(struct text *t, struct sample *choice)
{
	static const char *const before[] = {"",  "",   "",   "x",    "_", "-",
					     "=", "\"", "a ", "key=", "1:"};
	const char *first = before[sample_below(choice, ARRAY_LEN(before))];

	put(t, first, strlen(first));
	if (sample_below(choice, 3) == 0)
		put_begins(t, choice);
	put_changed(t, choice);
	put(t, "\n", 1);
}

/* Few texts of the rule's pattern, many lines with them. */
static void draw_text(struct text *t, struct sample *choice, const struct redact_rule *rule)
{
	t->len = 0;
	for (size_t i = 0; i < LINES; i++) {
		t->draw.seed = 1 + sample_below(choice, 2);
		sample_draw(&t->draw, rule->pattern);
		if (t->draw.len > 0 && !memchr(t->draw.text, '\n', t->draw.len))
			put_line(t, choice);
	}
}

/* The first line that does not become the same alone; t->len: there is none. */
static size_t first_other(struct redact_set *set, const struct text *t, size_t *replaced)
{
	struct error err = {0};
	size_t len, at = 0, out = 0;
	own_str all = redact_text(set, t->data, t->len, &len, &err);

	assert(all);
	while (at < t->len) {
		const char *end = memchr(t->data + at, '\n', t->len - at);
		size_t line = (size_t)(end + 1 - t->data) - at, alone_len;
		own_str alone = redact_text(set, t->data + at, line, &alone_len, &err);

		assert(alone);
		if (len - out < alone_len || memcmp(all + out, alone, alone_len) != 0)
			return at;
		*replaced += strstr(alone, "[REDACTED:") != NULL;
		out += alone_len;
		at += line;
	}
	return out == len ? t->len : 0;
}

TEST(what_was_said_before_tells_nothing_of_what_only_looks_the_same)
{
	static struct text t;
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct sample choice = {.seed = 31};
	size_t others = 0, replaced = 0, texts = 0;

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		for (size_t n = 0; n < TEXTS && rule->group & REDACT_STANDARD && !rule->opens_block;
		     n++) {
			size_t at;

			draw_text(&t, &choice, rule);
			at = first_other(set, &t, &replaced);
			texts++;
			if (at < t.len && others++ == 0)
				printf("# %s: %.*s\n", rule->id, (int)strcspn(t.data + at, "\n"),
				       t.data + at);
		}
	}
	CHECK(others == 0);
	CHECK(replaced > texts * LINES / 4);
	redact_set_free(set);
}
