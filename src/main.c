/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the first word picks a command. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what; /* NULL: not for people */
};

static const struct command commands[] = {
	{"run", cmd_run, "run a program or a piece of code in a sealed box"},
	{"doctor", cmd_doctor, "say what this host can do for boxes; --attack tries to break one"},
	{"attack-inside", cmd_attack, NULL},
	{"slot", cmd_slot, NULL},
	{"warden", cmd_warden, NULL},
	{"root", cmd_root,
	 "make and check a private root, so that boxes share no file with the host"},
	{"call", cmd_tool, "call a tool of the policy: judged, screened, then run in a box"},
	{"policy", cmd_gate, "check, test, explain or begin a policy file"},
	{"screen", cmd_gate, "look at code or a command line without running it"},
	{"serve", cmd_serve, "serve all of this over HTTP, for agents on this host or elsewhere"},
	{"audit", cmd_evidence, "read, query, prove and verify the record of every call"},
};

static void print_usage(FILE *to)
{
	(void)fprintf(to, "usage: belljar COMMAND [options]\n\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (commands[i].what)
			(void)fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].what);
	(void)fprintf(to, "\nbelljar COMMAND --help says more; so does man belljar.\n"
			  "belljar --version says which one this is.\n");
}

static int complain_about(const char *word)
{
	const char *names[ARRAY_LEN(commands) + 1] = {0};
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		names[i] = commands[i].what ? commands[i].name : "";
	near = text_nearest(word, names);
	(void)fprintf(stderr, "belljar: there is no command '%s'%s%s%s; see belljar --help\n", word,
		      near ? "; did you mean '" : "", near ? near : "", near ? "'" : "");
	return EXIT_BELLJAR;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* "help run" is "run --help". */
static void ask_command(char **argv)
{
	static char help[] = "--help";

	argv[1] = argv[2];
	argv[2] = help;
	argv[3] = NULL;
}

int main(int argc, char **argv)
{
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_BELLJAR;
	}
	if (argc > 2 && strcmp(argv[1], "help") == 0)
		ask_command(argv);
	if (is_help(argv[1])) {
		print_usage(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("belljar %s\n", BELLJAR_VERSION);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return complain_about(argv[1]);
}
