/* SPDX-License-Identifier: Apache-2.0 */
/* screen_data.h - snippets in a file, with lines of five dashes between them.
 *
 * The first line of one may say what is expected: a comment sign, "=", and the id of a rule.
 */
#ifndef TESTS_SCREEN_DATA_H
#define TESTS_SCREEN_DATA_H

#include "tap.h"

#include "screen/screen.h"

struct snippet {
	const char *text;
	size_t len;
	char rule[64]; /* empty: none is said */
};

enum { SNIPPETS_MAX = 512 };

static struct snippet snippets[SNIPPETS_MAX];
static size_t n_snippets;
static char snippet_text[1 << 19];

static void read_rule(struct snippet *s)
{
	size_t i = s->text[0] == '#' ? 1 : s->text[0] == '/' && s->text[1] == '/' ? 2 : 0;

	if (i > 0 && s->text[i] == '=')
		(void)sscanf(s->text + i + 1, "%63s", s->rule);
}

/* How many there are; a file that cannot be read has none. */
static size_t load_snippets(const char *name)
{
	const char *dir = getenv("SCREEN_DATA");
	char path[512], *at = snippet_text;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	file = fopen(path, "re");
	n_snippets = 0;
	if (!file)
		return 0;
	snippet_text[fread(snippet_text, 1, sizeof(snippet_text) - 1, file)] = '\0';
	(void)fclose(file);
	while (*at && n_snippets < SNIPPETS_MAX) {
		char *end = strstr(at, "\n-----\n");
		struct snippet *s = &snippets[n_snippets++];

		*s = (struct snippet){.text = at, .len = end ? (size_t)(end - at) + 1 : strlen(at)};
		read_rule(s);
		if (!end)
			break;
		at = end + 7;
	}
	return n_snippets;
}

/* One screening with everything it needs. */
static struct findings found;
static struct why why;

static enum answer screen_text(const char *language, const struct screen_policy *rules,
			       const char *text, size_t len)
{
	static struct arena arena;

	arena_done(&arena);
	arena_init(&arena, 64 << 20);
	return screen_code(language, rules, text, len, &arena, &found, &why);
}

/* Does a finding of that rule block? */
static bool blocks(const char *rule)
{
	for (size_t i = 0; i < found.n; i++)
		if (strcmp(found.list[i].rule, rule) == 0 && found.list[i].mode == SCREEN_BLOCK)
			return true;
	return false;
}

static inline bool warns(const char *rule)
{
	for (size_t i = 0; i < found.n; i++)
		if (strcmp(found.list[i].rule, rule) == 0 && found.list[i].mode == SCREEN_WARN)
			return true;
	return false;
}

static void say_snippet(const char *problem, const struct snippet *s)
{
	printf("# %s:\n", problem);
	for (const char *c = s->text; c < s->text + s->len;) {
		size_t n = strcspn(c, "\n");

		printf("#   %.*s\n", (int)n, c);
		c += n + 1;
	}
	for (size_t i = 0; i < found.n; i++)
		printf("#   found %s %u:%u\n", found.list[i].rule, found.list[i].line,
		       found.list[i].column);
	tap_failures++;
}

/* Each is denied, by the rule it names. */
static inline void check_hostile(const char *language, const char *file, size_t least)
{
	const struct screen_policy none = {0};

	CHECK(load_snippets(file) >= least);
	for (size_t i = 0; i < n_snippets; i++) {
		const struct snippet *s = &snippets[i];

		if (screen_text(language, &none, s->text, s->len) != ANSWER_DENY)
			say_snippet("was let through", s);
		else if (why.layer != WHY_SCREEN || !why.what[0])
			say_snippet("denied without a reason", s);
		else if (s->rule[0] && !blocks(s->rule))
			say_snippet("denied by another rule", s);
	}
}

static inline void check_benign(const char *language, const char *file, size_t least)
{
	const struct screen_policy none = {0};

	CHECK(load_snippets(file) >= least);
	for (size_t i = 0; i < n_snippets; i++)
		if (screen_text(language, &none, snippets[i].text, snippets[i].len) != ANSWER_ALLOW)
			say_snippet(why.what, &snippets[i]);
}

#endif
