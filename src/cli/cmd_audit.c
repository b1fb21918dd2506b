/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_audit.c - belljar audit: which word, which options, and what --help says of them. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "cli/auditcli.h"
#include "cli/cli.h"

#define AT(member) offsetof(struct audit_options, member)
/* clang-format off */
#define LOG    {"log", "DIR", WORD_TEXT, AT(log), "the log's directory"}
#define KEY    {"key", "FILE", WORD_TEXT, AT(key), "believe this key, not the one in the directory"}
#define JSON   {"json", NULL, WORD_FLAG, AT(json), "as JSON"}
#define HELP   {"help", NULL, WORD_FLAG, AT(help), "this list"}
#define SINCE  {"since", "TIME", WORD_TEXT, AT(since), "from then on: 2h (ago), 2026-11-15T10:00"}
#define UNTIL  {"until", "TIME", WORD_TEXT, AT(until), "before that time"}
#define MEMORY {"no-index", NULL, WORD_FLAG, AT(no_index), "read the whole log, not index.db"}

static const struct word_row tail_rows[] = {
	{"follow", NULL, WORD_FLAG, AT(follow), "go on as records come (-f)"},
	{"lines", "N", WORD_TEXT, AT(lines), "so many of the last records, 20 (-n)"},
	JSON, LOG, KEY, HELP, {0},
};
static const struct word_row query_rows[] = {
	{"tool", "NAME", WORD_TEXT, AT(tool), "of this tool"},
	{"client", "NAME", WORD_TEXT, AT(client), "of this client"},
	{"session", "ID", WORD_TEXT, AT(session), "what was done in this session"},
	{"status", "WORD", WORD_TEXT, AT(status), "success, error, timeout, ..., aborted, open"},
	{"decision", "WORD", WORD_TEXT, AT(decision), "allow, ask or deny"},
	{"kind", "WORD", WORD_TEXT, AT(kind), "first record of that kind: policy_loaded, ..."},
	SINCE, UNTIL,
	{"limit", "N", WORD_TEXT, AT(limit), "the latest N, 100; 0: all"},
	JSON, LOG, KEY, MEMORY, HELP, {0},
};
static const struct word_row show_rows[] = {JSON, LOG, KEY, MEMORY, HELP, {0}};
static const struct word_row verify_rows[] = {
	{"anchor", "FILE", WORD_EACH, AT(anchor), "checkpoints that were kept elsewhere; repeatable"},
	JSON, LOG, KEY, HELP, {0},
};
static const struct word_row prove_rows[] = {
	{"out", "FILE", WORD_TEXT, AT(out), "write it there; an old file is not overwritten"},
	{"no-record", NULL, WORD_FLAG, AT(no_record), "with the record's hash only"},
	LOG, KEY, HELP, {0},
};
static const struct word_row proof_rows[] = {
	{"key", "FILE", WORD_TEXT, AT(key), "key.pub of the log; needed"},
	JSON, HELP, {0},
};
static const struct word_row export_rows[] = {
	{"ocsf", NULL, WORD_FLAG, AT(ocsf), "events of OCSF 1.8, one JSON object on each line"},
	SINCE, UNTIL, LOG, KEY, HELP, {0},
};
static const struct word_row anchor_rows[] = {
	{"file", "FILE", WORD_TEXT, AT(file), "append it to this file"},
	{"syslog", NULL, WORD_FLAG, AT(syslog), "send it to the system log"},
	{"command", "PROGRAM", WORD_TEXT, AT(command), "hand it to a program on standard input"},
	JSON, LOG, KEY, HELP, {0},
};
static const struct word_row prune_rows[] = {
	{"before", "TIME", WORD_TEXT, AT(before), "bodies that are older: 90d (ago), 2026-11-15; needed"},
	JSON, LOG, HELP, {0},
};
static const struct word_row index_rows[] = {JSON, LOG, KEY, HELP, {0}};
/* clang-format on */
#undef AT

struct audit_command {
	const char *name;
	const char *title; /* as messages name it */
	const char *words, *what;
	const struct word_row *rows;
	size_t least, most; /* words that are no options */
	int (*run)(const struct audit_options *o, const struct word_list *rest);
};

static const struct audit_command commands[] = {
	{"tail", "audit tail", "[-f] [-n N]", "the last records", tail_rows, 0, 0, audit_tail},
	{"query", "audit query", "", "calls that match", query_rows, 0, 0, audit_query},
	{"show", "audit show", "ID|INDEX", "one call as a story", show_rows, 1, 1, audit_show},
	{"verify", "audit verify", "", "is every byte of the log what was signed?", verify_rows, 0,
	 0, audit_verify},
	{"prove", "audit prove", "INDEX", "a proof of one record that holds without the log",
	 prove_rows, 1, 1, audit_prove},
	{"verify-proof", "audit verify-proof", "FILE", "check such a proof, offline", proof_rows, 1,
	 1, audit_verify_proof},
	{"export", "audit export", "--ocsf", "the log in another form", export_rows, 0, 0,
	 audit_export},
	{"anchor", "audit anchor", "[-- WORD...]", "put the last checkpoint where it is safe",
	 anchor_rows, 0, WORD_LIST_MAX, audit_anchor},
	{"prune", "audit prune", "--before TIME", "remove old bodies; records stay", prune_rows, 0,
	 0, audit_prune},
	{"index", "audit index", "", "make index.db anew", index_rows, 0, 0, audit_index},
};

static void print_usage(const struct audit_command *c)
{
	(void)printf("belljar %s %s%s[options]    %s\n", c->title, c->words, c->words[0] ? " " : "",
		     c->what);
	words_print_help(c->rows);
}

static int print_help(void)
{
	(void)puts("usage: belljar audit WORD [options]\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		print_usage(&commands[i]);
		(void)putchar('\n');
	}
	(void)puts("The log is in --log, $BELLJAR_AUDIT, /var/lib/belljar/audit (root) or\n"
		   "$XDG_STATE_HOME/belljar/audit.  Times are UTC.\n\n"
		   "exit codes: 0 well; 1 the log or proof is not what was signed, or there is no "
		   "such\n"
		   "call or record; 125 wrong option, a file that cannot be read, or belljar "
		   "failed\n\n"
		   "more: man belljar-audit, man 5 belljar-audit");
	return audit_printed(0);
}

static const struct audit_command *find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(word, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static int complain_about(const char *word)
{
	const char *names[ARRAY_LEN(commands) + 1] = {0};
	struct error err = {0};
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		names[i] = commands[i].name;
	near = word ? text_nearest(word, names) : NULL;
	if (!word)
		(void)fail(&err, ERR_CALLER,
			   "audit: tail, query, show, verify, prove, ...? see belljar audit "
			   "--help");
	else
		(void)fail(&err, ERR_CALLER,
			   "audit: there is no '%.40s'%s%s%s; see belljar audit --help", word,
			   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return cli_complain(&err);
}

/* The two short options that fingers know from tail(1). */
static void lengthen(char **argv)
{
	static char follow[] = "--follow", lines[] = "--lines";

	for (; *argv && strcmp(*argv, "--") != 0; argv++)
		if (strcmp(*argv, "-f") == 0)
			*argv = follow;
		else if (strcmp(*argv, "-n") == 0)
			*argv = lines;
}

static int check_words(const struct audit_command *c, const struct word_list *rest,
		       struct error *err)
{
	if (rest->n < c->least)
		return fail(err, ERR_CALLER, "%s: %s is missing; see belljar audit --help",
			    c->title, c->words);
	if (rest->n > c->most)
		return fail(err, ERR_CALLER, "%s: '%.80s' is too much", c->title,
			    rest->word[c->most]);
	return 0;
}

int cmd_audit(int argc, char **argv)
{
	static struct audit_options o;
	static struct word_list rest;
	const struct audit_command *c;
	struct error err = {0};

	if (argc < 2)
		return complain_about(NULL);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help();
	c = find(argv[1]);
	if (!c)
		return complain_about(argv[1]);
	argv[1] = (char *)c->title;
	if (c->rows == tail_rows)
		lengthen(argv + 2);
	if (words_parse(c->rows, argv + 1, &o, &rest, &err) < 0)
		return cli_complain(&err);
	if (o.help) {
		(void)fputs("usage: ", stdout);
		print_usage(c);
		return audit_printed(0);
	}
	if (check_words(c, &rest, &err) < 0)
		return cli_complain(&err);
	return c->run(&o, &rest);
}
