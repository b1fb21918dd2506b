/* SPDX-License-Identifier: Apache-2.0 */
/* starve_user.c - attacks the kernel's quotas per user: take all inotify instances.
 *
 * hold: take them, say "ready", keep them until stdin ends.  try: is one left for us?
 */
#include <sys/inotify.h>

#include "escape.h"

static void hold(void)
{
	char byte;
	int taken = 0;

	while (taken < 1000 && inotify_init1(IN_CLOEXEC) >= 0)
		taken++;
	if (errno != EMFILE || taken == 1000)
		cannot("took %d: %m", taken);
	(void)printf("ready\n");
	(void)fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	if (strcmp(need_arg(argc, argv, 1, "hold or try"), "hold") == 0)
		hold();
	tried("one inotify instance");
	if (inotify_init1(IN_CLOEXEC) >= 0)
		blocked("there was one for us");
	escaped("somebody took them all: %m");
}
