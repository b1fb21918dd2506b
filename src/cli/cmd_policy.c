/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_policy.c - belljar policy: check, test, explain, begin and describe policy files. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/gatecli.h"
#include "cli/policy_words.h"
#include "policy/settings.h"

enum { POLICY_WRONG = 1, TEXT_BYTES = 4 << 20 };

/* policies/starter.yaml, in this program. */
extern const char starter_policy_start[], starter_policy_end[];

struct policy_options {
	struct word_list arg;
	const char *args;
	const char *client;
	const char *policy;
	bool json, help;
};

#define AT(member) offsetof(struct policy_options, member)
static const struct word_row rows[] = {
	{"arg", "NAME=VALUE", WORD_EACH, AT(arg), "explain: one argument of the call"},
	{"args", "JSON|@FILE|-", WORD_TEXT, AT(args), "explain: all of them as one JSON object"},
	{"client", "NAME", WORD_TEXT, AT(client), "explain: on whose behalf (by your uid)"},
	{"policy", "FILE", WORD_TEXT, AT(policy), "another policy file"},
	{"json", NULL, WORD_FLAG, AT(json), "check, test, explain of a call: as one JSON object"},
	{"help", NULL, WORD_FLAG, AT(help), "this list"},
	{0},
};
#undef AT

static int print_help(void)
{
	puts("usage: belljar policy check [FILE]     say everything that is wrong with it\n"
	     "       belljar policy test [FILE]      run the tests in it, and show each\n"
	     "       belljar policy explain          the whole policy in plain words\n"
	     "       belljar policy explain TOOL     one tool; with --args, what is decided and "
	     "why\n"
	     "       belljar policy init [FILE]      write a policy to begin with (policy.yaml)\n"
	     "       belljar policy schema           the JSON Schema of policy files, for "
	     "editors\n");
	words_print_help(rows);
	puts("\nexit codes: 0 well; 1 the policy is wrong, a test failed or the call is refused;\n"
	     "125 belljar failed\n\nmore: man belljar-policy, man 5 belljar-policy");
	return 0;
}

static int write_out(const struct buf *text)
{
	struct error err = {0};

	return fd_write_all(STDOUT_FILENO, buf_str(text), text->len, &err) < 0 ? cli_complain(&err)
									       : 0;
}

static int out_of_memory(void)
{
	struct error err = {0};

	(void)fail_sys(&err, "allocate");
	return cli_complain(&err);
}

static const char *shown_name(const char *file)
{
	return file ? file : "built in";
}

/* check */

static void write_complaints(struct jsonout *j, const struct complaints *c)
{
	jsonout_array(j, "complaints");
	for (size_t i = 0; i < c->n; i++) {
		jsonout_object(j, NULL);
		jsonout_str(j, "file", c->list[i].place.file);
		jsonout_uint(j, "line", c->list[i].place.line);
		jsonout_uint(j, "column", c->list[i].place.column);
		jsonout_str(j, "path", c->list[i].path);
		jsonout_str(j, "text", c->list[i].text);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
	jsonout_bool(j, "more", c->cut);
}

static int json_verdict(const char *file, const struct policy *p, const struct complaints *c,
			size_t n_tests)
{
	own(buf) text;
	struct error err = {0};
	struct jsonout j;

	buf_init(&text, TEXT_BYTES);
	jsonout_start(&j, &text, &err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_str(&j, "file", shown_name(file));
	jsonout_bool(&j, "valid", c->n == 0);
	jsonout_str(&j, "sha256", p ? p->sha256 : NULL);
	jsonout_uint(&j, "tests", n_tests);
	write_complaints(&j, c);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0 || buf_add_str(&text, "\n", &err) < 0)
		return cli_complain(&err);
	return write_out(&text);
}

static size_t count_tests(const struct policy *p)
{
	size_t n = 0;

	for (size_t i = 0; p && i < p->n_tools; i++)
		n += p->tools[i].n_tests;
	return n;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static int check(const char *file, const struct policy_options *o, struct complaints *c)
{
	struct redact_means means;
	own_policy p = cli_load(file, NULL, &means, c);
	int code;

	if (p)
		gate_check_secrets(p, c);
	code = c->n || !p ? POLICY_WRONG : 0;

	if (o->json)
		return json_verdict(file, p, c, count_tests(p)) ? EXIT_BELLJAR : code;
	cli_print_complaints(stdout, c);
	if (code == 0)
		printf("%s: well: %zu client%s, %zu tool%s, %zu test%s\n", shown_name(file),
		       p->n_clients, plural(p->n_clients), p->n_tools, plural(p->n_tools),
		       count_tests(p), plural(count_tests(p)));
	return code;
}

/* test */

static void show_test(const struct tool *t, size_t i, const struct complaints *c, size_t before)
{
	const char *name = t->tests[i].name;

	printf("%s tools.%s.test[%zu]%s%s\n", c->n > before ? "not ok" : "ok", t->name, i,
	       name ? " " : "", name ? name : "");
	if (c->n > before)
		cli_print_complaint(stdout, &c->list[before]);
}

static int test(const char *file, const struct policy_options *o, struct complaints *c)
{
	own_policy p = gate_check(file, c);
	size_t n = 0, failed = 0;

	if (!p && o->json)
		return json_verdict(file, p, c, 0) ? EXIT_BELLJAR : POLICY_WRONG;
	if (!p) {
		cli_print_complaints(stderr, c);
		return POLICY_WRONG;
	}
	for (size_t i = 0; i < p->n_tools; i++)
		for (size_t k = 0; k < p->tools[i].n_tests; k++, n++) {
			size_t before = c->n;

			/* What is wrong with one is said at once: there is always room for it. */
			if (before == COMPLAINTS_MAX)
				before = c->n = 0;
			gate_test_one(p, &p->tools[i], k, c);
			failed += c->n > before;
			if (!o->json)
				show_test(&p->tools[i], k, c, before);
		}
	if (o->json)
		return json_verdict(file, p, c, n) ? EXIT_BELLJAR : (failed ? POLICY_WRONG : 0);
	printf("%zu tests, %zu failed\n", n, failed);
	return failed ? POLICY_WRONG : 0;
}

/* explain */

static int explain_call(const struct policy *policy, const char *tool,
			const struct policy_options *o)
{
	struct error err = {0};
	own_json args =
		cli_arguments(o->args, &o->arg, cli_visible_tool(policy, o->client, tool), &err);
	own(passage) p;
	own(buf) text;

	passage_init(&p);
	buf_init(&text, 0);
	if (!args)
		return cli_complain(&err);
	p.policy = policy;
	p.dry_run = true;
	p.call = (struct tool_call){o->client, getuid(), tool, args};
	gate_pass(&p);
	if (o->json) {
		buf_init(&text, passage_json_room(&p));
		if (passage_json(&p, &text, &err) < 0 || buf_add_str(&text, "\n", &err) < 0)
			return cli_complain(&err);
		return write_out(&text) ? EXIT_BELLJAR : p.decision != DECISION_ALLOW;
	}
	cli_print_findings(stdout, tool, &p.findings);
	words_decision(&p, stdout);
	return p.decision == DECISION_ALLOW ? 0 : POLICY_WRONG;
}

static int explain(const char *file, const char *tool, const struct policy_options *o)
{
	struct redact_means means;
	own_policy p = cli_load_policy(file, NULL, &means, NULL);
	const struct tool *known;
	struct error err = {0};

	if (!p)
		return EXIT_BELLJAR;
	if (tool && (o->args || o->arg.n))
		return explain_call(p, tool, o);
	if (o->json) {
		(void)fail(&err, ERR_CALLER,
			   "explain --json tells of a call: give a tool and --args or --arg");
		return cli_complain(&err);
	}
	if (!tool) {
		words_policy(p, stdout);
		return 0;
	}
	known = policy_tool(p, tool);
	if (!known) {
		(void)fail(&err, ERR_CALLER, "there is no tool '%.64s' in %s", tool, p->source);
		return cli_complain(&err);
	}
	words_tool(known, stdout);
	return 0;
}

/* init and schema */

static int init(const char *file)
{
	struct error err = {0};
	own_fd fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0) {
		(void)fail(&err, ERR_CALLER, "%s: %s", file,
			   errno == EEXIST ? "is there already, and is not overwritten"
					   : strerror(errno));
		return cli_complain(&err);
	}
	if (fd_write_all(fd, starter_policy_start,
			 (size_t)(starter_policy_end - starter_policy_start), &err) < 0)
		return cli_complain(&err);
	printf("%s is a policy to begin with; try: belljar policy explain --policy %s\n", file,
	       file);
	return 0;
}

static int schema(void)
{
	own(buf) text;
	struct error err = {0};

	buf_init(&text, TEXT_BYTES);
	if (settings_schema(&text, &err) < 0)
		return cli_complain(&err);
	return write_out(&text);
}

/* file: of check, test and init a word of its own, else --policy. */
static int obey(const char *word, const char *more, const struct policy_options *o)
{
	bool names_file = strcmp(word, "explain") != 0;
	const char *file = names_file && more ? more : o->policy;
	own_mem struct complaints *c = calloc(1, sizeof(*c));

	if (!c)
		return out_of_memory();
	if (strcmp(word, "init") == 0)
		return init(file ? file : "policy.yaml");
	if (strcmp(word, "schema") == 0)
		return schema();
	if (!file)
		file = policy_default_file();
	if (strcmp(word, "check") == 0)
		return check(file, o, c);
	if (strcmp(word, "test") == 0)
		return test(file, o, c);
	return explain(file, more, o);
}

static int check_words(const struct word_list *rest, struct error *err)
{
	static const char *const words[] = {"check", "test", "explain", "init", "schema", NULL};
	const char *near;

	if (rest->n == 0)
		return fail(
			err, ERR_CALLER,
			"policy: check, test, explain, init or schema? see belljar policy --help");
	if (rest->n > 2)
		return fail(err, ERR_CALLER, "policy %s: '%s' is too much", rest->word[0],
			    rest->word[2]);
	for (size_t i = 0; words[i]; i++)
		if (strcmp(words[i], rest->word[0]) == 0)
			return 0;
	near = text_nearest(rest->word[0], words);
	return fail(err, ERR_CALLER, "policy: there is no '%s'%s%s%s; see belljar policy --help",
		    rest->word[0], near ? "; did you mean '" : "", near ? near : "",
		    near ? "'?" : "");
}

int cmd_policy(int argc, char **argv)
{
	static struct policy_options o;
	static struct word_list rest;
	struct error err = {0};

	(void)argc;
	if (words_parse(rows, argv, &o, &rest, &err) < 0)
		return cli_complain(&err);
	if (o.help)
		return print_help();
	if (check_words(&rest, &err) < 0)
		return cli_complain(&err);
	return obey(rest.word[0], rest.n > 1 ? rest.word[1] : NULL, &o);
}
