/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines made of judged values. */
#include "argrules.h"
#include "base/own.h"
#include "policy/arguments.h"
#include "tap.h"

static const char rules_text[] =
	"{\"q\":{\"type\":\"string\"},"
	"\"n\":{\"type\":\"integer\",\"default\":20},"
	"\"x\":{\"type\":\"number\",\"default\":0.1},"
	"\"b\":{\"type\":\"boolean\",\"default\":false},"
	"\"m\":{\"type\":\"string\",\"enum\":[\"-a\",\"b\"],\"default\":\"b\"},"
	"\"p\":{\"type\":\"string\",\"pattern\":\"[a-z-]*\",\"default\":\"\"},"
	"\"maybe\":{\"type\":\"string\",\"required\":false},"
	"\"l\":{\"type\":\"list\",\"items\":{\"type\":\"string\"},\"default\":[]}}";

enum { WORDS_MAX = 8 };

/* The words between spaces. */
static struct words split(char *text, const char **room)
{
	struct words w = {.word = room};
	char *word;

	while ((word = strsep(&text, " ")) && w.n < WORDS_MAX)
		w.word[w.n++] = word;
	return w;
}

/* The filled words in [], or "deny RULE: WHAT". */
static const char *fill(const char *template, const char *args_text)
{
	static char ret[4096];
	const char *room[WORDS_MAX];
	own_str copy = strdup(template);
	struct words exec = split(copy, room);
	struct policy p = {0};
	struct arg_rules rules = argrules_make(&p, rules_text);
	struct complaints complaints = {0};
	struct path_grants grants = {0};
	struct why why = {0};
	struct error err = {0};
	own(arena) arena;
	char **argv = NULL;
	own_json args = jsonread(args_text, strlen(args_text), 4096, &err);
	own_json made = NULL;
	struct tool tool = {.name = "t", .exec = exec, .args = rules};
	size_t n = 0;

	arena_init(&arena, 1 << 20);
	arguments_check(&rules, "a", &p, &complaints);
	CHECK(complaints.n == 0);
	if (arguments_judge(&rules, args, "a", &grants, &made, &why) == ANSWER_DENY ||
	    template_fill(&tool, made, &arena, &argv, &why) == ANSWER_DENY) {
		(void)snprintf(ret, sizeof(ret), "deny %s: %s", why.rule, why.what);
		return ret;
	}
	ret[0] = '\0';
	for (; argv[n]; n++)
		(void)snprintf(ret + strlen(ret), sizeof(ret) - strlen(ret), "[%s]", argv[n]);
	CHECK(n == exec.n);
	return ret;
}

struct row {
	const char *template, *args, *want;
};

TEST(one_value_becomes_part_of_one_word)
{
	static const struct row rows[] = {
		{"x {q}", "{\"q\":\"a\"}", "[x][a]"},
		{"x {q}", "{\"q\":\"a b; rm -rf / | sh\"}", "[x][a b; rm -rf / | sh]"},
		{"x {q}", "{\"q\":\"$(id) `id` * ? ~ 'x' \\\"y\\\"\"}",
		 "[x][$(id) `id` * ? ~ 'x' \"y\"]"},
		{"x {q}", "{\"q\":\"\"}", "[x][]"},
		{"x {q}", "{\"q\":\"{n}\"}", "[x][{n}]"}, /* not filled in again */
		{"x {q}", "{\"q\":\"{{\"}", "[x][{{]"},
		{"x --limit={n} {q}{q}", "{\"q\":\"a\",\"n\":3}", "[x][--limit=3][aa]"},
		{"x {{{q}}} }}{{", "{\"q\":\"a\"}", "[x][{a}][}{]"},
		{"x {n} {x} {b} {m}", "{\"q\":\"a\"}", "[x][20][0.1][false][b]"},
		{"x {x}", "{\"q\":\"a\",\"x\":1e21}", "[x][1e+21]"},
		{"x {x}", "{\"q\":\"a\",\"x\":5}", "[x][5]"},
		{"x {x}", "{\"q\":\"a\",\"x\":0.30000000000000004}", "[x][0.30000000000000004]"},
		{"x {n}", "{\"q\":\"a\",\"n\":-9223372036854775808}", "[x][-9223372036854775808]"},
		{"x {b}", "{\"q\":\"a\",\"b\":true}", "[x][true]"},
		{"x", "{\"q\":\"a\"}", "[x]"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_STR(fill(rows[i].template, rows[i].args), rows[i].want);
}

TEST(a_string_never_becomes_an_option)
{
	static const struct row rows[] = {
		{"x {q}", "{\"q\":\"-rf\"}",
		 "deny tools.t.exec: 'q' begins with '-', and the program would take it for an "
		 "option"},
		{"x {q}", "{\"q\":\"-\"}",
		 "deny tools.t.exec: 'q' begins with '-', and the program would take it for an "
		 "option"},
		{"x {q}y", "{\"q\":\"--output=/x\"}",
		 "deny tools.t.exec: 'q' begins with '-', and the program would take it for an "
		 "option"},
		{"x {p}", "{\"q\":\"a\",\"p\":\"-rf\"}",
		 "deny tools.t.exec: 'p' begins with '-', and the program would take it for an "
		 "option"},
		/* an empty one in front lets the next one begin the word */
		{"x {p}{q}", "{\"q\":\"-rf\"}",
		 "deny tools.t.exec: 'q' begins with '-', and the program would take it for an "
		 "option"},
		{"x {p}-o", "{\"q\":\"a\"}",
		 "deny tools.t.exec: 'p' begins with '-', and the program would take it for an "
		 "option"},
		{"x -- {q}", "{\"q\":\"-rf\"}", "[x][--][-rf]"},
		{"x {q} --", "{\"q\":\"-rf\"}",
		 "deny tools.t.exec: 'q' begins with '-', and the program would take it for an "
		 "option"},
		{"x --{q}", "{\"q\":\"-rf\"}", "[x][---rf]"}, /* the owner wrote an option */
		{"x {p}-- {q}", "{\"q\":\"-rf\",\"p\":\"a\"}",
		 "deny tools.t.exec: 'q' begins with '-', and the program would take it for an "
		 "option"},
		{"x --q={q}", "{\"q\":\"-rf\"}", "[x][--q=-rf]"},
		{"x {m}", "{\"q\":\"a\",\"m\":\"-a\"}", "[x][-a]"}, /* the owner wrote it */
		{"x {n}", "{\"q\":\"a\",\"n\":-5}", "[x][-5]"},
		{"x {x}", "{\"q\":\"a\",\"x\":-0.5}", "[x][-0.5]"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_STR(fill(rows[i].template, rows[i].args), rows[i].want);
}

static bool complains(const char *template, const char *word)
{
	const char *room[WORDS_MAX];
	own_str copy = strdup(template);
	struct words exec = split(copy, room);
	struct policy p = {0};
	struct arg_rules rules = argrules_make(&p, rules_text);
	struct complaints c = {0};

	template_check(&exec, &rules, "tools.t.exec", (struct place){0}, &c);
	if (c.n)
		printf("# %s: %s: %s\n", template, c.list[0].path, c.list[0].text);
	return word ? c.n == 1 && strstr(c.list[0].text, word) : c.n == 0;
}

TEST(templates_that_cannot_be_filled_are_found_at_load)
{
	CHECK(complains("x {q} {n}{x} --m={m} {{q}} }}", NULL));
	CHECK(complains("x {query}", "not a declared argument"));
	CHECK(complains("x {Q}", "did you mean {q}?"));
	CHECK(complains("x {maybe}", "may be absent"));
	CHECK(complains("x {l}", "list or object"));
	CHECK(complains("{q} x", "the program itself"));
	CHECK(complains("x {}", "'{'"));
	CHECK(complains("x {q", "'{'"));
	CHECK(complains("x {q{n}}", "'{'"));
	CHECK(complains("x q}", "'}'"));
	CHECK(complains("x {l...}", "not a declared"));
	CHECK(complains("x {q}}", "'}'"));
}

TEST(values_that_only_a_schema_judged_are_refused_if_they_do_not_fit)
{
	const char *word[] = {"x", "{a}"};
	struct tool tool = {.name = "t", .exec = {word, 2}, .schema = (struct jsonschema *)word};
	own(arena) arena;
	static const struct row rows[] = {
		{"{\"a\":\"b\"}", NULL, ""},
		{"{}", NULL, "is missing"},
		{"{\"a\":null}", NULL, "is not one word"},
		{"{\"a\":[1]}", NULL, "is not one word"},
		{"{\"a\":{}}", NULL, "is not one word"},
		{"{\"a\":\"-b\"}", NULL, "begins with '-'"},
	};

	arena_init(&arena, 1 << 16);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct error err = {0};
		struct why why = {0};
		char **argv = NULL;
		own_json args = jsonread(rows[i].template, strlen(rows[i].template), 100, &err);
		enum answer answer = template_fill(&tool, args, &arena, &argv, &why);

		CHECK((answer == ANSWER_ALLOW) == !rows[i].want[0]);
		CHECK((argv != NULL) == !rows[i].want[0]);
		CHECK(strstr(why.what, rows[i].want));
	}
}

TEST(words_that_the_kernel_would_not_take_are_refused)
{
	const char *word[] = {"x", "{a}{a}"};
	struct tool tool = {.name = "t", .exec = {word, 2}, .schema = (struct jsonschema *)word};
	own(arena) arena;
	static char big[70000];
	own_json args = json_object();
	struct why why = {0};
	char **argv = NULL;

	arena_init(&arena, 1 << 20);
	memset(big, 'a', sizeof(big) - 1);
	CHECK(json_object_set_new(args, "a", json_string(big)) == 0);
	CHECK(template_fill(&tool, args, &arena, &argv, &why) == ANSWER_DENY);
	CHECK(why.layer == WHY_LIMIT && !argv);
	CHECK(json_object_set_new(args, "a", json_stringn_nocheck("a\0b", 3)) == 0);
	CHECK(template_fill(&tool, args, &arena, &argv, &why) == ANSWER_DENY);
	CHECK(strstr(why.what, "NUL"));
}

TEST(without_memory_there_is_no_command)
{
	const char *word[] = {"x", "{a}"};
	struct tool tool = {.name = "t", .exec = {word, 2}, .schema = (struct jsonschema *)word};
	own(arena) arena;
	own_json args = json_pack("{s:s}", "a", "a long word that does not fit any more");
	struct why why = {0};
	char **argv = NULL;

	arena_init(&arena, 64);
	CHECK(template_fill(&tool, args, &arena, &argv, &why) == ANSWER_DENY);
	CHECK(!argv && why.layer == WHY_KERNEL);
}
