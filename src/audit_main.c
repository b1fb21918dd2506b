/* SPDX-License-Identifier: Apache-2.0 */
/* audit_main.c - belljar-audit: the commands of belljar that read evidence; belljar starts it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "reader/readrole.h"

int main(int argc, char **argv)
{
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	if (argc > 1 && strcmp(argv[1], "audit") == 0)
		return cmd_audit(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "reader") == 0)
		return reader_main(argc - 1, argv + 1);
	(void)fprintf(stderr, "belljar-audit is a part of belljar: see belljar audit --help\n");
	return EXIT_BELLJAR;
}
