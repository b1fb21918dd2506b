/* SPDX-License-Identifier: Apache-2.0 */
/* corpus_run.c - ordinary and hostile pieces of code against the standard rules of screening.
 *
 *     corpus_run LANGUAGE FILE...
 *
 * A file is a list of pieces; each begins with a line "=== NAME" or "=== NAME | EXPECT".  EXPECT is
 * allow (the standard), block, or contained: screening may let it through, because what it does
 * ends in the box (contained_test.py runs those).  At most 2 % of the ordinary ones may be
 * blocked, and none of the hostile ones may pass.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/own.h"
#include "screen/screen.h"

enum { FILE_MAX = 4 << 20, BLOCKED_PER_CENT = 2 };

struct tally {
	size_t ordinary, ordinary_blocked, ordinary_warned;
	size_t hostile, hostile_blocked;
	size_t contained, contained_blocked;
};

static char *read_file(const char *path, size_t *ret_len)
{
	own_file f = fopen(path, "re");
	char *data = malloc(FILE_MAX);

	if (!f || !data) {
		perror(path);
		exit(2);
	}
	*ret_len = fread(data, 1, FILE_MAX, f);
	data[*ret_len] = '\0';
	return data;
}

static const char *verdict_of(const char *language, const char *code, size_t len, struct why *why,
			      bool *ret_warned)
{
	static const struct screen_policy standard;
	static struct findings found;
	own(arena) a;

	arena_init(&a, 16 << 20);
	*why = (struct why){0};
	if (screen_code(language, &standard, code, len, &a, &found, why) != ANSWER_ALLOW)
		return "block";
	*ret_warned = found.n > 0;
	return "allow";
}

static void count(struct tally *t, const char *language, const char *name, const char *expect,
		  const char *code, size_t len)
{
	struct why why;
	bool warned = false;
	bool blocked = strcmp(verdict_of(language, code, len, &why, &warned), "block") == 0;

	if (strcmp(expect, "block") == 0) {
		t->hostile++;
		t->hostile_blocked += blocked;
		if (!blocked)
			printf("# passed, should not: %s\n", name);
	} else if (strcmp(expect, "contained") == 0) {
		t->contained++;
		t->contained_blocked += blocked;
	} else {
		t->ordinary++;
		t->ordinary_blocked += blocked;
		t->ordinary_warned += warned;
		if (blocked)
			printf("# blocked: %s (%s: %s)\n", name, why.rule, why.what);
	}
}

static void count_pieces(struct tally *t, const char *language, char *text)
{
	static const char mark[] = "=== ";
	char *piece = strncmp(text, mark, strlen(mark)) == 0 ? text : NULL;

	while (piece) {
		char *name = piece + strlen(mark);
		char *next = strstr(name, "\n=== ");
		char *line = strchr(name, '\n');
		const char *code = line && line != next ? line + 1 : "";
		char *bar;

		if (line)
			*line = '\0';
		if (next)
			*next = '\0';
		bar = strstr(name, " | ");
		if (bar)
			*bar = '\0';
		count(t, language, name, bar ? bar + 3 : "allow", code, strlen(code));
		piece = next ? next + 1 : NULL;
	}
}

static double per_cent(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

int main(int argc, char **argv)
{
	struct tally t = {0};

	for (int i = 2; i < argc; i++) {
		size_t len;
		own_str text = read_file(argv[i], &len);

		count_pieces(&t, argv[1], text);
	}
	printf("# %s: %zu ordinary pieces: %zu blocked (%.1f %%), %zu with a warning\n",
	       argc > 1 ? argv[1] : "", t.ordinary, t.ordinary_blocked,
	       per_cent(t.ordinary_blocked, t.ordinary), t.ordinary_warned);
	printf("# %zu hostile pieces: %zu blocked; %zu that the box contains: %zu blocked\n",
	       t.hostile, t.hostile_blocked, t.contained, t.contained_blocked);
	printf("%s 1 - at most %d %% of the ordinary pieces are blocked\n",
	       t.ordinary_blocked * 100 <= t.ordinary * BLOCKED_PER_CENT ? "ok" : "not ok",
	       BLOCKED_PER_CENT);
	printf("%s 2 - every hostile piece is blocked\n",
	       t.hostile_blocked == t.hostile ? "ok" : "not ok");
	printf("1..2\n");
	return t.ordinary + t.hostile > 0 ? 0 : 1;
}
