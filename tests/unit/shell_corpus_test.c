/* SPDX-License-Identifier: Apache-2.0 */
/* Every published bypass of a command check, and ordinary command lines, with the answer each
 * must get. */
#include "shell_corpus.h"

#include "base/own.h"
#include "tap.h"

static const char *hostile_programs[] = {"ls",  "cat", "echo", "grep", "find", "sort",
					 "sed", "rg",  "git",  "ping", "jq"};

static bool found(const struct findings *f, const char *rule)
{
	for (size_t i = 0; i < f->n; i++)
		if (strncmp(f->list[i].rule, rule, strlen(rule)) == 0)
			return true;
	return !rule[0];
}

static bool as_expected(const struct piece *p, enum answer answer, const struct findings *f,
			const struct why *why)
{
	if (strcmp(p->expect, "block") == 0)
		return answer == ANSWER_DENY && why->what[0] &&
		       strncmp(why->rule, p->rule, strlen(p->rule)) == 0;
	if (strcmp(p->expect, "contained") == 0)
		return answer == ANSWER_ALLOW && found(f, p->rule);
	return strcmp(p->expect, "allow") == 0 && answer == ANSWER_ALLOW;
}

static size_t run(const char *file, const char **program, size_t n_programs)
{
	own_str data = load_corpus(file);
	struct words programs = {program, n_programs};
	const char *at = data;
	size_t n = 0, warned = 0;
	struct piece p;

	for (; next_piece(&at, &p); n++) {
		const char *room[16];
		struct screen_policy rules = {.allow = piece_constructs(&p, room)};
		struct shell_reading reading = {0};
		struct findings f;
		struct why why = {0};
		own(arena) a;
		enum answer answer;

		arena_init(&a, 1 << 22);
		answer = screen_command(&programs, &rules, p.text, p.len, &a, &f, &reading, &why);
		warned += answer == ANSWER_ALLOW && f.n > 0;
		if (!as_expected(&p, answer, &f, &why)) {
			printf("# %s: %s, not %s %s\n#   %s: %s\n", p.name,
			       answer == ANSWER_ALLOW ? "allow" : "deny", p.expect, p.rule,
			       why.rule, why.what);
			tap_failures++;
		}
	}
	printf("# %zu command lines, %zu of them pass with advice\n", n, warned);
	return n;
}

TEST(every_published_bypass_is_refused_or_ends_in_the_box)
{
	CHECK(run("command-hostile.corpus", hostile_programs, ARRAY_LEN(hostile_programs)) >= 150);
}

TEST(ordinary_command_lines_pass)
{
	CHECK(run("command-benign.corpus", benign_programs, ARRAY_LEN(benign_programs)) >= 150);
}
