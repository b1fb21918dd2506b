/* SPDX-License-Identifier: Apache-2.0 */
/* landlock_layers.c - attacks Landlock: is there a domain on us at all?
 *
 * The kernel stacks at most 16 domains.  Whoever can add 16 of his own wears none yet.
 */
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "escape.h"

enum { MOST_LAYERS = 16 };

int main(void)
{
	struct landlock_ruleset_attr rules = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_BLOCK,
	};
	int layers = 0;
	long fd;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0)
		cannot("landlock_create_ruleset: %m");
	fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	if (fd < 0)
		cannot("landlock_create_ruleset: %m");
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	tried("stack %d domains", MOST_LAYERS);
	while (layers < MOST_LAYERS && syscall(SYS_landlock_restrict_self, fd, 0) == 0)
		layers++;
	if (layers == MOST_LAYERS)
		escaped("all %d were ours", layers);
	if (errno != E2BIG)
		cannot("landlock_restrict_self: %m");
	blocked("room for %d only: %d were there before us", layers, MOST_LAYERS - layers);
}
