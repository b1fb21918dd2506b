/* SPDX-License-Identifier: Apache-2.0 */
/* superdrive.c - the supervisor with other programs for its roles: superdrive DIR LISTEN [--json].
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "serve/roles/supervisor.h"

int main(int argc, char **argv)
{
	static const char *const names[] = {"front", "belljar", "gate", "scribe", "auditor"};
	static char paths[5][PATH_MAX], state[PATH_MAX];
	struct serve_config c = {.self = paths[0],
				 .belljar = paths[1],
				 .gate = paths[2],
				 .scribe = paths[3],
				 .auditor = paths[4],
				 .state = state};
	struct error err = {0};

	if (argc < 3)
		return 2;
	for (int i = 0; i < 5; i++)
		(void)snprintf(paths[i], sizeof(paths[i]), "%s/%s", argv[1], names[i]);
	(void)snprintf(state, sizeof(state), "%s/state", argv[1]);
	if (strcmp(argv[2], "-") != 0)
		c.listen[c.n_listen++] = argv[2];
	c.json = argc > 3 && strcmp(argv[3], "--json") == 0;
	if (supervisor_run(&c, &err) == 0)
		return 0;
	(void)fprintf(stderr, "superdrive: %s\n", err.text);
	return 1;
}
