/* SPDX-License-Identifier: Apache-2.0 */
/* gate_main.c - belljar-gate: the commands of belljar that judge; belljar itself starts it. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "cli/cli.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"policy", cmd_policy},  /* */
	{"screen", cmd_screen},  /* */
	{"aide", cmd_aide},      /* not for people, as those below */
	{"keeper", cmd_keeper},  /* */
	{"nursery", cmd_keeper}, /* makes them */
	{"view", cmd_view},      /* */
};

int main(int argc, char **argv)
{
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return cli_finish(commands[i].run(argc - 1, argv + 1));
	(void)fprintf(stderr, "belljar-gate is a part of belljar: see belljar --help\n");
	return EXIT_BELLJAR;
}
