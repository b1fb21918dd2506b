/* SPDX-License-Identifier: Apache-2.0 */
/* call_main.c - belljar-call: the command of belljar that makes one call; belljar starts it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int main(int argc, char **argv)
{
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	if (argc > 1 && strcmp(argv[1], "call") == 0)
		return cli_finish(cmd_call(argc - 1, argv + 1));
	(void)fprintf(stderr, "belljar-call is a part of belljar: see belljar call --help\n");
	return EXIT_BELLJAR;
}
