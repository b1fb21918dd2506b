/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_screen.c - belljar screen: looks at code or a command line without running it. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "cli/cli.h"
#include "cli/gatecli.h"

enum { SCREEN_BLOCKED = 1, ARENA_BYTES = 64 << 20 };

struct screen_options {
	const char *lang, *policy, *tool;
	bool json, help;
};

#define AT(member) offsetof(struct screen_options, member)
static const struct word_row rows[] = {
	{"lang", "LANG", WORD_TEXT, AT(lang), "python, node, bash or command (by the name's end)"},
	{"policy", "FILE", WORD_TEXT, AT(policy), "the policy that --tool is in"},
	{"tool", "NAME", WORD_TEXT, AT(tool), "by the rules of this tool"},
	{"json", NULL, WORD_FLAG, AT(json), "print the findings as JSON"},
	{"help", NULL, WORD_FLAG, AT(help), "this list"},
	{0},
};
#undef AT

struct look {
	const char *file;
	const char *language;
	const struct tool *tool; /* NULL: every rule as it comes */
	struct buf text;
	struct arena arena;
	struct findings findings;
	struct why why;
	enum answer answer;
};

static void look_end(struct look *l)
{
	buf_done(&l->text);
	arena_done(&l->arena);
}

static int print_help(void)
{
	puts("usage: belljar screen FILE|- [options]\n");
	words_print_help(rows);
	puts("\nexit codes: 0 nothing blocks; 1 something does; 125 belljar failed\n"
	     "Screening explains; it is not the wall. What it lets through still runs in a box.\n"
	     "\nmore: man belljar-screen");
	return 0;
}

static const char *language_of(const char *file, const char *named)
{
	static const char *const ends[][2] = {
		{".py", "python"}, {".js", "node"}, {".mjs", "node"},
		{".cjs", "node"},  {".sh", "bash"}, {".bash", "bash"},
	};

	for (size_t i = 0; !named && i < ARRAY_LEN(ends); i++) {
		size_t len = strlen(ends[i][0]), all = strlen(file);

		if (all > len && strcmp(file + all - len, ends[i][0]) == 0)
			return ends[i][1];
	}
	return named;
}

static int check_language(const struct look *l, struct error *err)
{
	static const char *const known[] = {"python", "node", "bash", "command"};

	if (!l->language)
		return fail(err, ERR_CALLER, "%s: give --lang python, node, bash or command",
			    l->file);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(l->language, known[i]) == 0)
			return 0;
	return fail(err, ERR_CALLER,
		    "--lang: there is no language '%.40s'; give python, node, bash or command",
		    l->language);
}

static void look(struct look *l)
{
	static const struct screen_policy standard;
	static const struct words any;
	const struct screen_policy *rules = l->tool ? &l->tool->screen : &standard;
	struct shell_reading reading;

	if (strcmp(l->language, "command") == 0) {
		/* A file ends in a newline, which is no part of the command. */
		while (l->text.len && l->text.data[l->text.len - 1] == '\n')
			l->text.data[--l->text.len] = '\0';
		l->answer = screen_command(l->tool ? &l->tool->programs : &any, rules,
					   buf_str(&l->text), l->text.len, &l->arena, &l->findings,
					   &reading, &l->why);
	} else {
		l->answer = screen_code(l->language, rules, buf_str(&l->text), l->text.len,
					&l->arena, &l->findings, &l->why);
	}
}

static int write_json(const struct look *l, struct error *err)
{
	own(buf) out;
	struct jsonout j;

	buf_init(&out, 1 << 20);
	jsonout_start(&j, &out, err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_str(&j, "file", l->file);
	jsonout_str(&j, "language", l->language);
	jsonout_bool(&j, "blocks", l->answer != ANSWER_ALLOW);
	why_json(&l->why, &j, "why");
	findings_json(&l->findings, &j, "screening");
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0 || buf_add_str(&out, "\n", err) < 0)
		return -1;
	return fd_write_all(STDOUT_FILENO, out.data, out.len, err);
}

static bool has_blocking(const struct findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->list[i].mode == SCREEN_BLOCK)
			return true;
	return false;
}

static int report(const struct look *l, bool json)
{
	struct error err = {0};

	if (json && write_json(l, &err) < 0)
		return cli_complain(&err);
	if (!json) {
		cli_print_findings(stdout, l->file, &l->findings);
		/* Refused for another reason than a finding: not readable, too large, too slow. */
		if (l->answer != ANSWER_ALLOW && !has_blocking(&l->findings))
			printf("%s: %s: %s\n", l->file, l->why.rule, l->why.what);
		/* Before the verdict, also where both go to the same pipe. */
		if (fflush(stdout) != 0)
			return (void)fail_sys(&err, "write to standard output"), cli_complain(&err);
		(void)fprintf(stderr,
			      "%s; screening explains, it is not the wall: that is the box\n",
			      l->answer == ANSWER_ALLOW ? "nothing blocks" : "blocked");
	}
	return l->answer == ANSWER_ALLOW ? 0 : SCREEN_BLOCKED;
}

static int screen(const char *file, const struct screen_options *o)
{
	own_policy policy = NULL;
	own(look) l = {.file = file, .language = language_of(file, o->lang)};
	struct redact_means means;
	struct error err = {0};

	buf_init(&l.text, CLI_TEXT_MAX);
	arena_init(&l.arena, ARENA_BYTES);
	if (cli_read_file(file, &l.text, &err) < 0 || check_language(&l, &err) < 0)
		return cli_complain(&err);
	if (o->tool || o->policy) {
		policy = cli_load_policy(o->policy, NULL, &means, NULL);
		if (!policy)
			return EXIT_BELLJAR;
		l.tool = o->tool ? policy_tool(policy, o->tool) : NULL;
		if (!l.tool) {
			(void)fail(&err, ERR_CALLER,
				   o->tool ? "there is no tool '%.64s'" : "--policy needs --tool%s",
				   o->tool ? o->tool : "");
			return cli_complain(&err);
		}
	}
	look(&l);
	return report(&l, o->json);
}

int cmd_screen(int argc, char **argv)
{
	static struct screen_options o;
	static struct word_list rest;
	struct error err = {0};

	(void)argc;
	if (words_parse(rows, argv, &o, &rest, &err) < 0)
		return cli_complain(&err);
	if (o.help)
		return print_help();
	if (rest.n != 1) {
		(void)fail(&err, ERR_CALLER, "one file, or - ; see belljar screen --help");
		return cli_complain(&err);
	}
	return screen(rest.word[0], &o);
}
