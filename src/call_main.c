/* SPDX-License-Identifier: Apache-2.0 */
/* call_main.c - belljar-call: the command of belljar that makes one call; belljar starts it. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "cli/cli.h"

/* What it is not given, jansson opens a device for. */
static void seed_hashes(void)
{
	size_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		json_object_seed(seed);
}

int main(int argc, char **argv)
{
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	if (argc > 1 && strcmp(argv[1], "call") == 0) {
		seed_hashes();
		return cli_finish(cmd_call(argc - 1, argv + 1));
	}
	(void)fprintf(stderr, "belljar-call is a part of belljar: see belljar call --help\n");
	return EXIT_BELLJAR;
}
