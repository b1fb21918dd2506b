/* SPDX-License-Identifier: Apache-2.0 */
/* Each row of the settings is tried, whatever rows there are: a wrong type, a value out of bounds,
 * a required one left out, a misspelt one, and the example that the manual shows. */
#include "policy/settings.h"

#include <inttypes.h>

#include "base/own.h"
#include "tap.h"

/* Where a row stands: the text around it, and its path. */
struct around {
	const char *before, *after;
	const char *path; /* "tools.x." or "" */
	int depth;
};

typedef void (*row_check)(const struct section *s, const struct setting *row,
			  const struct around *at);

static struct complaints complaints;
static size_t rows_seen;

static void parse(const char *text)
{
	own_policy p = policy_parse("t.yaml", text, strlen(text), &complaints);

	CHECK(!p == (complaints.n > 0));
}

/* A complaint at this path, or with at something beneath it. */
static const struct complaint *about(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < complaints.n; i++)
		if (strncmp(complaints.list[i].path, path, len) == 0 &&
		    strchr(".[", complaints.list[i].path[len]))
			return &complaints.list[i];
	return NULL;
}

static void walk(const struct section *s, const struct around *at, row_check check);

static void walk_into(const struct setting *row, const struct around *at, row_check check)
{
	static const struct {
		const char *open, *close, *path;
	} forms[] = {
		[SET_SECTION] = {"{ ", " }", "."},
		[SET_POINTER] = {"{ ", " }", "."},
		[SET_NAMED] = {"{ x: { ", " } }", ".x."},
		[SET_LIST] = {"[ { ", " } ]", "[0]."},
		[SET_OWN] = {"{ ", " }", "."}, /* the long form */
	};
	char before[2000], after[200], path[200];
	struct around inside = {before, after, path, at->depth + 1};

	(void)snprintf(before, sizeof(before), "%s%s: %s", at->before, row->key,
		       forms[row->type].open);
	(void)snprintf(after, sizeof(after), "%s%s", forms[row->type].close, at->after);
	(void)snprintf(path, sizeof(path), "%s%s%s", at->path, row->key, forms[row->type].path);
	walk(row->section, &inside, check);
}

static void walk(const struct section *s, const struct around *at, row_check check)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		check(s, &s->rows[i], at);
		rows_seen++;
		/* Arguments hold arguments. */
		if (s->rows[i].section && at->depth < 5)
			walk_into(&s->rows[i], at, check);
	}
}

static void walk_all(row_check check)
{
	static const struct around top = {"{ ", " }\n", "", 0};

	rows_seen = 0;
	walk(&policy_section, &top, check);
	CHECK(rows_seen > 150);
}

/* The row with this value, and the complaint about it; NULL: there is none. */
static const struct complaint *try_value(const struct setting *row, const struct around *at,
					 const char *more, const char *value)
{
	char text[4000], path[200];

	(void)snprintf(text, sizeof(text), "%s%s%s: %s%s", at->before, more, row->key, value,
		       at->after);
	(void)snprintf(path, sizeof(path), "%s%s", at->path, row->key);
	parse(text);
	return about(path);
}

static const char *wrong_value(enum setting_type type)
{
	static const char *const wrong[] = {
		[SET_BOOL] = "maybe",   [SET_COUNT] = "many",   [SET_MS] = "soon",
		[SET_BYTES] = "much",   [SET_TEXT] = "[a]",     [SET_WORD] = "xyzzy-xyzzy",
		[SET_EITHER] = "xyzzy", [SET_TEXTS] = "word",   [SET_VALUE] = "no",
		[SET_SECTION] = "word", [SET_POINTER] = "word", [SET_NAMED] = "word",
		[SET_LIST] = "{a: b}",  [SET_OWN] = "[{}]",
	};
	return wrong[type];
}

static void check_wrong_type(const struct section *s, const struct setting *row,
			     const struct around *at)
{
	const struct complaint *c = try_value(row, at, "", wrong_value(row->type));

	if (!c || c->place.line != 1 || c->place.column < 3)
		printf("# %s%s (%s)\n", at->path, row->key, s->name);
	CHECK(c && c->place.line == 1 && c->place.column >= 3 && c->text[0]);
}

TEST(a_wrong_type_is_refused_in_every_row)
{
	walk_all(check_wrong_type);
}

static void check_empty(const struct section *s, const struct setting *row, const struct around *at)
{
	(void)s;
	if (!try_value(row, at, "", ""))
		printf("# %s%s\n", at->path, row->key);
	CHECK(try_value(row, at, "", ""));
}

TEST(a_key_with_nothing_behind_it_is_refused_in_every_row)
{
	walk_all(check_empty);
}

static void check_bounds(const struct section *s, const struct setting *row,
			 const struct around *at)
{
	const char *unit = row->type == SET_MS ? "ms" : "";
	char value[40];

	(void)s;
	if (row->type != SET_COUNT && row->type != SET_MS && row->type != SET_BYTES)
		return;
	CHECK(row->max >= row->min);
	(void)snprintf(value, sizeof(value), "%" PRIu64 "%s", row->max + 1, unit);
	CHECK(try_value(row, at, "", value));
	if (row->min == 0)
		return;
	(void)snprintf(value, sizeof(value), "%" PRIu64 "%s", row->min - 1, unit);
	CHECK(try_value(row, at, "", value));
}

TEST(a_number_out_of_bounds_is_refused_in_every_row)
{
	walk_all(check_bounds);
}

static void check_required(const struct section *s, const struct setting *row,
			   const struct around *at)
{
	char text[4000], path[200];
	const struct complaint *c;

	(void)s;
	if (!row->required)
		return;
	(void)snprintf(text, sizeof(text), "%s%s", at->before, at->after);
	(void)snprintf(path, sizeof(path), "%s%s", at->path, row->key);
	parse(text);
	c = about(path);
	CHECK(c && strstr(c->text, "is missing") && strstr(c->text, row->key));
}

TEST(a_required_setting_that_is_left_out_is_missed_in_every_section)
{
	walk_all(check_required);
}

static void check_misspelt(const struct section *s, const struct setting *row,
			   const struct around *at)
{
	struct setting misspelt = *row;
	const struct complaint *c;
	char key[64], words[100];

	/* One letter twice, one that no other key has. */
	(void)snprintf(key, sizeof(key), "%sq", row->key);
	misspelt.key = key;
	(void)snprintf(words, sizeof(words), "did you mean '%s'?", row->key);
	c = try_value(&misspelt, at, "", "1");
	if (!c || !strstr(c->text, words))
		printf("# %s%s (%s): %s\n", at->path, key, s->name, c ? c->text : "");
	CHECK(c && strstr(c->text, words) && strstr(c->text, s->name));
}

TEST(a_misspelt_key_is_refused_with_the_nearest_in_every_row)
{
	walk_all(check_misspelt);
}

/* What a row's example needs around it to make sense. */
static const char *needs(const struct section *s, const char *key)
{
	static const struct {
		const char *section, *keys, *more;
	} list[] = {
		{"tool", " languages ", "kind: code, "},
		{"tool", " exec ",
		 "kind: command, args: { limit: { type: integer }, query: { type: string } }, "},
		{"tool", " programs ", "kind: command, "},
		{"tool", " args input ", "kind: command, exec: [x], "},
		{"argument", " min max default ", "type: integer, "},
		{"argument", " min_len max_len pattern enum multiline ", "type: string, "},
		{"argument", " under ", "type: path, "},
		{"argument", " match ", "type: path, under: [/x], "},
		{"argument", " hosts ", "type: url, "},
		{"argument", " schemes ports ", "type: url, hosts: [a.example.com], "},
		{"argument", " items ", "type: list, "},
		{"argument", " fields ", "type: object, "},
		{"budget", " per ", "calls: 5, "},
		{"policy file", " tools clients ", "version: 1, "},
	};
	char word[40];

	(void)snprintf(word, sizeof(word), " %s ", key);
	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (strcmp(list[i].section, s->name) == 0 && strstr(list[i].keys, word))
			return list[i].more;
	return "";
}

static void check_example(const struct section *s, const struct setting *row,
			  const struct around *at)
{
	const struct complaint *c;

	CHECK(row->example && row->help && row->help[0]);
	/* These speak of others that are not there. */
	if (strcmp(s->name, "policy file") == 0 || strcmp(row->key, "schema") == 0 ||
	    (strcmp(s->name, "client") == 0 &&
	     (strcmp(row->key, "tools") == 0 || strcmp(row->key, "cert") == 0)) ||
	    (strcmp(s->name, "test") == 0 && strcmp(row->key, "client") == 0))
		return;
	c = try_value(row, at, needs(s, row->key), row->example);
	if (c)
		printf("# %s%s (%s): %s: %s\n", at->path, row->key, s->name, c->path, c->text);
	CHECK(!c);
}

TEST(every_row_has_help_and_an_example_that_is_accepted)
{
	walk_all(check_example);
}

static void check_form(const struct section *s, const struct setting *row, const struct around *at)
{
	char what[240];

	(void)s;
	(void)at;
	setting_expects(row, what, sizeof(what));
	CHECK(what[0]);
	CHECK((row->type == SET_OWN) == (row->read != NULL));
	CHECK((row->type == SET_OWN) == (row->form != NULL));
	CHECK(row->type != SET_WORD || row->words);
	CHECK(row->type != SET_EITHER || (row->words[0] && row->words[1] && !row->words[2]));
	CHECK(row->type < SETTING_TYPE_COUNT);
}

TEST(every_row_says_what_it_expects)
{
	walk_all(check_form);
}

/* One tool with this in it. */
static bool tool_says(const char *inside, const char *path, const char *words)
{
	const struct complaint *c;
	char text[2000], full[200];

	(void)snprintf(text, sizeof(text), "version: 1\ntools:\n  t: { %s }\n", inside);
	(void)snprintf(full, sizeof(full), "tools.t%s", path);
	parse(text);
	c = about(full);
	if (c && strstr(c->text, words) && c->place.line == 3)
		return true;
	printf("# %s: %zu complaints: %s %s\n", inside, complaints.n, complaints.list[0].path,
	       complaints.list[0].text);
	return false;
}

static bool tool_is_fine(const char *inside)
{
	char text[2000];

	(void)snprintf(text, sizeof(text), "version: 1\ntools:\n  t: { %s }\n", inside);
	parse(text);
	for (size_t i = 0; i < complaints.n; i++)
		printf("# %s: %s\n", complaints.list[i].path, complaints.list[i].text);
	return complaints.n == 0;
}

TEST(settings_belong_to_kinds)
{
	CHECK(tool_says("kind: command, programs: [ls], languages: [python]", ".languages",
			"only kind code"));
	CHECK(tool_says("kind: code, languages: [python], exec: [ls]", ".exec",
			"only kind command"));
	CHECK(tool_says("kind: code, languages: [python], programs: [ls]", ".programs",
			"only kind command"));
	CHECK(tool_says("kind: code, languages: [python], args: {}", ".args", "with exec"));
	CHECK(tool_says("kind: command, programs: [ls], args: {}", ".args", "with exec"));
	CHECK(tool_says("kind: command, programs: [ls], input: json", ".input", "with exec"));
	CHECK(tool_says("kind: fetch, schema: x.json", ".schema", "with exec"));
	CHECK(tool_says("kind: code", ".languages", "needs languages"));
	CHECK(tool_says("kind: command", ".exec", "needs exec or programs"));
	CHECK(tool_says("kind: fetch", ".args", "type url"));
	CHECK(tool_says("kind: fetch, args: { u: { type: string } }", ".args", "type url"));
	CHECK(tool_says("kind: command, exec: [x], args: {}, schema: x.json", ".schema",
			"one of the two"));
	CHECK(tool_is_fine("kind: fetch, args: { u: { type: url, hosts: [a.example.com] } }"));
}

TEST(a_command_is_a_program_and_its_words)
{
	CHECK(tool_says("kind: command, exec: [\"{p}\"], args: { p: { type: string } }", ".exec",
			"fixed"));
	CHECK(tool_says("kind: command, exec: [bin/x]", ".exec", "absolute path"));
	CHECK(tool_says("kind: command, exec: [x, {p}], args: { p: { type: string } }", ".exec[1]",
			"put it in quotes"));
	CHECK(tool_says("kind: command, exec: [x, \"{q}\"], args: { p: { type: string } }",
			".exec[1]", "not a declared argument"));
	CHECK(tool_says("kind: command, programs: [a/b]", ".programs", "neither"));
	CHECK(tool_says("kind: command, programs: [\"a b\"]", ".programs", "neither"));
	CHECK(tool_says("kind: command, exec: [x], programs: [ls]", ".programs", "not among them"));
	CHECK(tool_is_fine("kind: command, exec: [/x/y, \"{p}\"], args: { p: { type: string } }"));
}

TEST(mounts_are_whole_paths)
{
	CHECK(tool_says("kind: command, exec: [x], read: [data]", ".read[0]", "absolute"));
	CHECK(tool_says("kind: command, exec: [x], read: [/a, /a/../b]", ".read[1]", "'..'"));
	CHECK(tool_says("kind: command, exec: [x], read: [/]", ".read[0]", "absolute"));
	CHECK(tool_says("kind: command, exec: [x], read: [\"/a//b\"]", ".read[0]", "empty parts"));
	CHECK(tool_says("kind: command, exec: [x], write: [\"/a:b\"]", ".write[0]", "'b'"));
	CHECK(tool_says("kind: command, exec: [x], write: [\"/a/*:/b\"]", ".write[0]", "pattern"));
	CHECK(tool_is_fine("kind: command, exec: [x], read: [\"/a/*\", \"/a:/b\"], write: [/c]"));
}

TEST(variables_have_names)
{
	CHECK(tool_says("kind: command, exec: [x], env: { 1A: x }", ".env.1A", "letters"));
	CHECK(tool_says("kind: command, exec: [x], env: { A-B: x }", ".env.A-B", "letters"));
	CHECK(tool_says("kind: command, exec: [x], env: { A: [x] }", ".env.A", "a text"));
	CHECK(tool_is_fine("kind: command, exec: [x], env: { A_1: no, B: '' }"));
}

TEST(hosts_are_checked_at_load)
{
	CHECK(tool_says("kind: command, exec: [x], hosts: [\"*\"]", ".hosts", ""));
	CHECK(tool_says("kind: command, exec: [x], hosts: [\"*.com\"]", ".hosts", ""));
	CHECK(tool_is_fine("kind: command, exec: [x], hosts: [\"*.example.com\"]"));
}

TEST(rates_have_four_forms)
{
	CHECK(tool_is_fine("kind: command, exec: [x], rate: 10/min burst 3"));
	CHECK(tool_is_fine("kind: command, exec: [x], rate: unlimited"));
	CHECK(tool_is_fine("kind: command, exec: [x], rate: { limit: 5, per: 1m }"));
	CHECK(tool_is_fine("kind: command, exec: [x], rate: [5/min, { limit: 5, per: 1h }]"));
	CHECK(tool_says("kind: command, exec: [x], rate: 10", ".rate", "10/min"));
	CHECK(tool_says("kind: command, exec: [x], rate: 0/min", ".rate", "decision: deny"));
	CHECK(tool_says("kind: command, exec: [x], rate: []", ".rate", "from 1 to"));
	CHECK(tool_says("kind: command, exec: [x], rate: [unlimited]", ".rate[0]", "alone"));
	CHECK(tool_says("kind: command, exec: [x], rate: { limit: 5, per: 1m, key: [clint] }",
			".rate.key", "did you mean 'client'?"));
}

TEST(an_argument_is_required_unless_it_says_otherwise)
{
	static const char text[] = "version: 1\n"
				   "tools:\n"
				   "  t:\n"
				   "    kind: command\n"
				   "    exec: [x]\n"
				   "    args:\n"
				   "      a: { type: integer }\n"
				   "      b: { type: integer, default: 5 }\n"
				   "      c: { type: integer, required: false, min: 1 }\n"
				   "      d: { type: list, items: { type: string } }\n";
	own_policy p = policy_parse("t.yaml", text, strlen(text), &complaints);
	const struct arg_rule *r = p ? p->tools[0].args.rule : NULL;

	CHECK(p && p->tools[0].args.n == 4);
	CHECK(r && r[0].required && !r[1].required && !r[2].required);
	CHECK(r && json_integer_value(r[1].standard) == 5 && !r[0].standard);
	CHECK(r && r[2].has_min && !r[2].has_max && !r[0].has_min);
	CHECK_STR(r ? r[3].items->name : NULL, "[]");
	CHECK(r && r[2].place.line == 9 && r[2].place.column == 7);
	CHECK(tool_says("kind: command, exec: [x], args: { a: { type: integer, default: 1, "
			"required: true } }",
			".args.a", "leave one out"));
}

TEST(a_complaint_about_an_argument_is_at_the_setting)
{
	static const char text[] = "version: 1\ntools:\n  t:\n    kind: command\n    exec: [x]\n"
				   "    args:\n      a.b:\n        type: integer\n"
				   "        min: 10\n        max: 5\n";

	parse(text);
	CHECK(complaints.n == 1 && complaints.list[0].place.line == 10);
	CHECK(complaints.list[0].place.column == 14);
	CHECK_STR(complaints.list[0].path, "tools.t.args.a.b.max");
}

/* The value of "default:" in an argument, as JSON; NULL: refused. */
static const char *value_of(const char *written)
{
	static char ret[200];
	own_policy p = NULL;
	own_str made = NULL;
	char text[400];

	(void)snprintf(text, sizeof(text),
		       "version: 1\ntools:\n  t:\n    kind: command\n    programs: [x]\n"
		       "    test: [ { args: { v: %s }, expect: deny } ]\n",
		       written);
	p = policy_parse("t.yaml", text, strlen(text), &complaints);
	if (!p)
		return NULL;
	made = json_dumps(json_object_get(p->tools[0].tests[0].args, "v"),
			  JSON_ENCODE_ANY | JSON_COMPACT);
	(void)snprintf(ret, sizeof(ret), "%s", made ? made : "");
	return ret;
}

TEST(values_are_typed_as_in_json)
{
	CHECK_STR(value_of("5"), "5");
	CHECK_STR(value_of("-5"), "-5");
	CHECK_STR(value_of("1.0"), "1.0");
	CHECK_STR(value_of("1e3"), "1000.0");
	CHECK_STR(value_of("true"), "true");
	CHECK_STR(value_of("null"), "null");
	CHECK_STR(value_of("abc"), "\"abc\"");
	CHECK_STR(value_of("\"5\""), "\"5\"");
	CHECK_STR(value_of("'no'"), "\"no\"");
	CHECK_STR(value_of("''"), "\"\"");
	CHECK_STR(value_of("[1, {a: 'b'}]"), "[1,{\"a\":\"b\"}]");
}

TEST(values_that_could_mean_several_things_are_refused)
{
	static const char *const doubtful[] = {
		"no",   "Yes",  "on",   "OFF",   "y",    "~",     "Null",  "True",       "FALSE",
		"010",  "0x10", "0o17", "1_000", "+5",   ".5",    "5.",    "1e",         ".inf",
		".NaN", "",     "--5",  "1:30",  "-0x1", "12abc", "1.2.3", "2024-01-01",
	};

	for (size_t i = 0; i < ARRAY_LEN(doubtful); i++) {
		const char *got = value_of(doubtful[i]);

		if (got)
			printf("# %s became %s\n", doubtful[i], got);
		CHECK(!got && complaints.n >= 1);
	}
	CHECK(!value_of("99999999999999999999") && strstr(complaints.list[0].text, "fit"));
	CHECK(!value_of("1e999"));
}

TEST(all_that_is_wrong_is_said_in_the_order_of_the_file)
{
	static const char text[] = "version: 2\n"
				   "tools:\n"
				   "  a: { kind: cod, languages: [pyton] }\n"
				   "  b: { kind: code, limts: {} }\n"
				   "clients:\n"
				   "  c: { tools: [d] }\n";

	parse(text);
	CHECK(complaints.n == 7 && !complaints.cut);
	for (size_t i = 1; i < complaints.n; i++)
		CHECK(complaints.list[i - 1].place.line <= complaints.list[i].place.line);
	CHECK(complaints.list[0].place.line == 1 && complaints.list[0].place.column == 10);
	CHECK_STR(complaints.list[0].path, "version");
	CHECK_STR(complaints.list[0].place.file, "t.yaml");
}

TEST(complaints_have_an_end)
{
	char text[8000] = "version: 1\n";
	size_t len = strlen(text);

	for (int i = 0; i < COMPLAINTS_MAX + 20; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "bad%d: 1\n", i);
	parse(text);
	CHECK(complaints.n == COMPLAINTS_MAX && complaints.cut);
}

TEST(defaults_count_for_tools_that_do_not_say)
{
	static const char text[] =
		"version: 1\n"
		"tools:\n"
		"  a: { kind: code, languages: [python] }\n"
		"  b: { kind: code, languages: [python], limits: { cpu: 1s }, rate: 3/min,\n"
		"       screen: { mode: warn } }\n"
		"defaults: { limits: { wall: 5s, cpu: 2s }, rate: 20/min, concurrency: 3,\n"
		"            screen: { imports: [math] } }\n";
	own_policy p = policy_parse("t.yaml", text, strlen(text), &complaints);
	const struct tool *a = p ? policy_tool(p, "a") : NULL, *b = p ? policy_tool(p, "b") : NULL;

	CHECK(a && a->limits.wall_ms == 5000 && a->limits.cpu_ms == 2000);
	CHECK(a && a->limits.memory_bytes == 256 << 20 && a->concurrency == 3);
	CHECK(a && a->rates.n == 1 && a->rates.rate[0].limit == 20);
	CHECK(a && a->screen.has_imports && a->screen.imports.n == 1);
	CHECK(b && b->limits.wall_ms == 5000 && b->limits.cpu_ms == 1000);
	CHECK(b && b->rates.n == 1 && b->rates.rate[0].limit == 3);
	CHECK(b && b->screen.has_imports && b->screen.mode == SCREEN_WARN);
	CHECK(a && a->screen.mode == SCREEN_UNSET);
}

TEST(without_a_word_a_tool_may_be_called_ten_times_a_minute)
{
	static const char text[] = "version: 1\n"
				   "tools: { a: { kind: command, exec: [x] } }\n";
	own_policy p = policy_parse("t.yaml", text, strlen(text), &complaints);
	const struct tool *t = p ? p->tools : NULL;

	CHECK(t && t->rates.n == 1 && t->rates.rate[0].limit == 10);
	CHECK(t && t->rates.rate[0].per_ms == 60000);
	CHECK(t && t->rates.rate[0].key == (RATE_PER_CLIENT | RATE_PER_TOOL));
	CHECK(t && t->decision == DECISION_ALLOW && t->limits.wall_ms == 30000);
	CHECK(t && t->limits.memory_bytes == 256 << 20 && !t->root && !t->input_json);
	CHECK(t && t->programs.n == 1 && strcmp(t->programs.word[0], "x") == 0);
}
